//! Rewrites folded keys after the folding rules have changed.
//!
//! For migrations, inside their transaction. Folding is idempotent, so the new key follows from the old key,
//! and visible texts are not read. ASCII keys, which are most, never change: only the others are read, a page
//! of distinct keys at a time, and each table is written once.
//!
//! Two rows whose keys become equal are both kept: the second row gets a number appended to its key and to
//! its visible text, as in "José (2)", for somebody to sort out. Rows that refer to it are updated.

use kit::text::fold;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, Statement, Value};
use sea_orm_migration::SchemaManager;

/// Distinct keys read at once.
const PAGE: u64 = 500;

/// A column of folded keys.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    table: &'static str,
    column: &'static str,
    uniqueness: Uniqueness,
    followers: &'static [Follower],
}

#[derive(Debug, Clone, Copy)]
enum Uniqueness {
    /// Several rows may have the same key.
    None,
    /// A list of distinct texts: of two texts that become equal, the second is dropped.
    Distinct,
    /// The key identifies a row in the whole table, or among rows with the same value of the column `within`.
    Identity { within: Option<&'static str>, shown: &'static str },
}

/// A column that refers to rows by key, and the column that copies the visible text of these rows.
#[derive(Debug, Clone, Copy)]
pub struct Follower {
    pub table: &'static str,
    pub column: &'static str,
    pub shown: Option<&'static str>,
}

impl Keys {
    /// Keys that rows may share.
    pub const fn shared(table: &'static str, column: &'static str) -> Self {
        Self { table, column, uniqueness: Uniqueness::None, followers: &[] }
    }

    /// Keys of a table that only lists texts, each once.
    pub const fn distinct(table: &'static str, column: &'static str) -> Self {
        Self { table, column, uniqueness: Uniqueness::Distinct, followers: &[] }
    }

    /// Keys that identify rows; `shown` is the column of the visible text.
    pub const fn identity(table: &'static str, column: &'static str, shown: &'static str) -> Self {
        let uniqueness = Uniqueness::Identity { within: None, shown };
        Self { table, column, uniqueness, followers: &[] }
    }

    /// Like [`Self::identity`], for keys that are unique only among rows with the same value in the column
    /// `scope`. Followers must have this column, too.
    pub const fn identity_within(
        scope: &'static str,
        table: &'static str,
        column: &'static str,
        shown: &'static str,
    ) -> Self {
        let uniqueness = Uniqueness::Identity { within: Some(scope), shown };
        Self { table, column, uniqueness, followers: &[] }
    }

    pub const fn followed_by(mut self, followers: &'static [Follower]) -> Self {
        self.followers = followers;
        self
    }

    fn scope(&self) -> Option<&'static str> {
        match self.uniqueness {
            Uniqueness::None | Uniqueness::Distinct => None,
            Uniqueness::Identity { within, .. } => within,
        }
    }
}

/// Updates the keys, in the given order.
pub async fn refold(manager: &SchemaManager<'_>, all: &[Keys]) -> Result<(), DbErr> {
    let run = Run { connection: manager.get_connection(), backend: manager.get_database_backend() };
    for keys in all {
        run.keys(keys).await?;
    }
    Ok(())
}

struct Run<'a, C> {
    connection: &'a C,
    backend: DbBackend,
}

impl<C: ConnectionTrait> Run<'_, C> {
    async fn keys(&self, keys: &Keys) -> Result<(), DbErr> {
        self.note_changes().await?;
        let (changed, met) = self.look(keys).await?;
        if changed > 0 {
            let Keys { table, column, uniqueness, followers } = *keys;
            let shown = match uniqueness {
                Uniqueness::Identity { shown, .. } => Some(shown),
                _ => None,
            };
            self.write(keys, Follower { table, column, shown }).await?;
            for follower in followers {
                self.write(keys, *follower).await?;
            }
            tracing::info!(table, column, changed, "keys were folded anew");
            if met > 0 {
                tracing::warn!(table, column, met, "keys became the same as others; both rows are kept");
            }
        }
        self.run("DROP TABLE refolded").await
    }

    /// Creates a temporary table of the changed keys, so that each table is written in one statement.
    async fn note_changes(&self) -> Result<(), DbErr> {
        let text = match self.backend {
            DbBackend::Postgres => "text COLLATE \"C\" NOT NULL",
            _ => "text NOT NULL",
        };
        let columns = format!("scope {text}, old {text}, new {text}, mark {text}");
        self.run(&format!("CREATE TEMPORARY TABLE refolded ({columns}, PRIMARY KEY (scope, old))")).await
    }

    /// Goes through the keys in byte order, so that every run appends the same numbers; returns how many keys
    /// change, and how many of those collided.
    async fn look(&self, keys: &Keys) -> Result<(u64, u64), DbErr> {
        let (mut changed, mut met) = (0, 0);
        let mut last: Option<(String, String)> = None;
        loop {
            let page = self.page(keys, last.as_ref()).await?;
            let Some(end) = page.last().cloned() else { return Ok((changed, met)) };
            for (scope, old) in page {
                let new = fold(&old);
                if new == old {
                    continue;
                }
                let mark = self.mark(keys, &scope, &new).await?;
                changed += 1;
                met += u64::from(mark.as_deref().is_some_and(|mark| !mark.is_empty()));
                match mark {
                    Some(mark) => {
                        let insert = "INSERT INTO refolded (scope, old, new, mark) VALUES ($1, $2, $3, $4)";
                        let key = format!("{new}{mark}");
                        self.with(insert, [scope.into(), old.into(), key.into(), mark.into()]).await?;
                    }
                    None => {
                        let Keys { table, column, .. } = keys;
                        let delete = format!("DELETE FROM \"{table}\" WHERE \"{column}\" = $1");
                        self.with(&delete, [old.into()]).await?;
                    }
                }
            }
            last = Some(end);
        }
    }

    async fn page(
        &self,
        keys: &Keys,
        last: Option<&(String, String)>,
    ) -> Result<Vec<(String, String)>, DbErr> {
        let (table, column) = (keys.table, keys.column);
        let scope = keys.scope();
        let select = scope.map_or_else(|| "''".to_owned(), |scope| format!("\"{scope}\""));
        let order = scope.map_or_else(|| format!("\"{column}\""), |it| format!("\"{it}\", \"{column}\""));
        let beyond_ascii = match self.backend {
            DbBackend::Postgres => format!("octet_length(\"{column}\") <> char_length(\"{column}\")"),
            _ => format!("length(CAST(\"{column}\" AS BLOB)) <> length(\"{column}\")"),
        };
        let (after, values): (String, Vec<Value>) = match (last, scope) {
            (None, _) => (String::new(), Vec::new()),
            (Some((_, key)), None) => (format!("AND \"{column}\" > $1"), vec![key.into()]),
            (Some((of, key)), Some(scope)) => {
                (format!("AND (\"{scope}\", \"{column}\") > ($1, $2)"), vec![of.into(), key.into()])
            }
        };
        let sql = format!(
            "SELECT DISTINCT {select} AS scope, \"{column}\" AS old FROM \"{table}\" \
             WHERE {beyond_ascii} {after} ORDER BY {order} LIMIT {PAGE}"
        );
        let rows = self.connection.query_all_raw(self.statement(&sql, values)).await?;
        let pair = |row: &QueryResult| Ok((row.try_get("", "scope")?, row.try_get("", "old")?));
        rows.iter().map(pair).collect()
    }

    /// Returns the suffix that keeps a new key apart from existing ones; `None` if the row is dropped.
    async fn mark(&self, keys: &Keys, scope: &str, new: &str) -> Result<Option<String>, DbErr> {
        if matches!(keys.uniqueness, Uniqueness::None) || !self.is_taken(keys, scope, new).await? {
            return Ok(Some(String::new()));
        }
        if matches!(keys.uniqueness, Uniqueness::Distinct) {
            return Ok(None);
        }
        let mut number = 2;
        loop {
            let mark = format!(" ({number})");
            if !self.is_taken(keys, scope, &format!("{new}{mark}")).await? {
                return Ok(Some(mark));
            }
            number += 1;
        }
    }

    async fn is_taken(&self, keys: &Keys, scope: &str, key: &str) -> Result<bool, DbErr> {
        let (table, column) = (keys.table, keys.column);
        let within = keys.scope().map_or_else(String::new, |within| format!(" AND \"{within}\" = $2"));
        let mut values: Vec<Value> = vec![key.into()];
        if keys.scope().is_some() {
            values.push(scope.into());
        }
        let there = format!("SELECT 1 FROM \"{table}\" WHERE \"{column}\" = $1{within}");
        if self.connection.query_one_raw(self.statement(&there, values)).await?.is_some() {
            return Ok(true);
        }
        let coming = "SELECT 1 FROM refolded WHERE new = $1 AND scope = $2";
        let coming = self.statement(coming, vec![key.into(), scope.into()]);
        Ok(self.connection.query_one_raw(coming).await?.is_some())
    }

    /// Writes the new keys into a column, even of an append-only table: its recorded data stays unchanged,
    /// only its reference gets the new key.
    async fn write(&self, keys: &Keys, into: Follower) -> Result<(), DbErr> {
        let Follower { table, column, shown } = into;
        let shown = shown.map_or_else(String::new, |it| format!(", \"{it}\" = \"{it}\" || refolded.mark"));
        let within =
            keys.scope().map_or_else(String::new, |it| format!(" AND \"{table}\".\"{it}\" = refolded.scope"));
        let update = format!(
            "UPDATE \"{table}\" SET \"{column}\" = refolded.new{shown} FROM refolded \
             WHERE \"{table}\".\"{column}\" = refolded.old{within}"
        );
        match self.backend {
            DbBackend::Postgres => {
                let triggers = format!("SELECT 1 FROM pg_trigger WHERE tgrelid = '\"{table}\"'::regclass");
                let triggers = self.statement(&format!("{triggers} AND NOT tgisinternal"), Vec::new());
                if self.connection.query_one_raw(triggers).await?.is_none() {
                    return self.run(&update).await;
                }
                self.run(&format!("ALTER TABLE \"{table}\" DISABLE TRIGGER USER")).await?;
                self.run(&update).await?;
                self.run(&format!("ALTER TABLE \"{table}\" ENABLE TRIGGER USER")).await
            }
            _ => {
                let triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1";
                let triggers = self.statement(triggers, vec![table.into()]);
                let triggers = self.connection.query_all_raw(triggers).await?;
                let text = |row: &QueryResult, column: &str| row.try_get::<String>("", column);
                for trigger in &triggers {
                    self.run(&format!("DROP TRIGGER \"{}\"", text(trigger, "name")?)).await?;
                }
                self.run(&update).await?;
                for trigger in &triggers {
                    self.run(&text(trigger, "sql")?).await?;
                }
                Ok(())
            }
        }
    }

    fn statement(&self, sql: &str, values: Vec<Value>) -> Statement {
        Statement::from_sql_and_values(self.backend, sql, values)
    }

    async fn with<const N: usize>(&self, sql: &str, values: [Value; N]) -> Result<(), DbErr> {
        self.connection.execute_raw(self.statement(sql, values.into())).await?;
        Ok(())
    }

    async fn run(&self, sql: &str) -> Result<(), DbErr> {
        self.connection.execute_unprepared(sql).await?;
        Ok(())
    }
}
