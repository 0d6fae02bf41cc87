//! Refuses a Postgres server that can lose committed changes.

use kit::config::Database as DatabaseConfig;
use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::{Db, db};

/// The settings that decide whether a committed change outlives a crash of the server or its machine, each
/// with what can happen while it is off.
pub(crate) const DURABILITY: [(&str, &str); 3] = [
    ("fsync", "a crash of the machine can destroy the database"),
    ("full_page_writes", "a crash of the machine can destroy pages"),
    ("synchronous_commit", "what was answered as saved can be lost in a crash"),
];

const SETTINGS: &str = "SELECT current_setting('server_version') AS server_version, current_setting('fsync') AS fsync, \
    current_setting('full_page_writes') AS full_page_writes, current_setting('synchronous_commit') AS synchronous_commit";

impl Db {
    /// Refuses a Postgres server that can lose committed changes, unless `database.require_durable` is false:
    /// then the log has a warning. Does nothing on SQLite, where each connection makes these settings itself.
    ///
    /// # Errors
    ///
    /// `DATABASE_NOT_DURABLE`, and the errors of a database that is down.
    pub async fn require_durable(&self, config: &DatabaseConfig, service: &str) -> Result<()> {
        if !self.is_postgres() {
            return Ok(());
        }
        let row = self.writer.query_one_raw(Statement::from_string(DbBackend::Postgres, SETTINGS)).await;
        let row = row.map_err(db)?.ok_or_else(|| Error::internal("there is no answer"))?;
        let mut risks = Vec::new();
        for (name, risk) in DURABILITY {
            if row.try_get::<String>("", name).map_err(db)? == "off" {
                risks.push(format!("{name} is off: {risk}"));
            }
        }
        let version: String = row.try_get("", "server_version").map_err(db)?;
        let risks = risks.join("; ");
        if risks.is_empty() {
            tracing::info!(service, version, "Postgres keeps what it commits");
        } else if config.require_durable {
            return Err(Error::precondition(
                "DATABASE_NOT_DURABLE",
                format!(
                    "Postgres can lose data of {service}. {risks}. Turn it on; where losing data does not matter, set \
                     database.require_durable to false."
                ),
            ));
        } else {
            tracing::warn!(service, version, "Postgres can lose data: {risks}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Db;
    use crate::testing::{config, create_postgres, drop_postgres};

    #[tokio::test(flavor = "multi_thread")]
    async fn a_server_that_can_lose_commits_is_refused_unless_that_is_wanted() {
        let (url, name) = create_postgres().await;
        let mut config = config();
        config.require_durable = true;
        let asked = async |config: &kit::config::Database| {
            let db = Db::connect(&url, config).await.unwrap();
            let answer = db.require_durable(config, "auth").await;
            db.close().await;
            answer
        };
        let set = async |value: &str| {
            let db = Db::connect(&url, &config).await.unwrap();
            let sql = format!("ALTER DATABASE {name} SET synchronous_commit = {value}");
            sea_orm::ConnectionTrait::execute_unprepared(&db.writer, &sql).await.unwrap();
            db.close().await;
        };
        set("off").await;
        let refused = asked(&config).await.unwrap_err();
        assert_eq!(refused.reason, "DATABASE_NOT_DURABLE");
        assert!(refused.message.contains("data of auth"), "{}", refused.message);
        assert!(refused.message.contains("synchronous_commit is off: what was"), "{}", refused.message);
        let mut careless = config.clone();
        careless.require_durable = false;
        asked(&careless).await.unwrap();
        // The server of the tests may itself run without fsync, which is then all that is left.
        set("on").await;
        let left = asked(&config).await.err().map(|it| it.message).unwrap_or_default();
        assert!(!left.contains("synchronous_commit"), "{left}");
        drop_postgres(&name).await;
    }
}
