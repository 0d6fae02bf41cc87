//! Writes folded keys anew after the way of folding has changed.
//!
//! For migrations, inside their transaction. Folding is idempotent, so the new key follows from the old
//! one and no text that people see is read. Keys of ASCII alone never change, and most rows are of that
//! kind: only the others are looked at, a page of distinct keys at a time, and each table is written once.
//!
//! Two rows whose keys become one are both kept: the second gets a number behind its key and behind the
//! text that people see, "José (2)", for somebody to sort out. The rows that point at it follow it.

use kit::text::fold;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, Statement, Value};
use sea_orm_migration::SchemaManager;

/// Distinct keys that are read at once.
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
    /// Rows may share a key.
    None,
    /// A list of distinct texts: of two that become one, the second is dropped.
    Distinct,
    /// The key tells rows apart; `within` another column, where the key alone does not.
    Identity { within: Option<&'static str>, shown: &'static str },
}

/// A column that points at rows by their key, and what it shows of them.
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

    /// Keys of a list that has each text once and nothing else of value.
    pub const fn distinct(table: &'static str, column: &'static str) -> Self {
        Self { table, column, uniqueness: Uniqueness::Distinct, followers: &[] }
    }

    /// Keys that tell rows apart; `shown` is the column of the text that people see.
    pub const fn identity(table: &'static str, column: &'static str, shown: &'static str) -> Self {
        let uniqueness = Uniqueness::Identity { within: None, shown };
        Self { table, column, uniqueness, followers: &[] }
    }

    /// The same among the rows that have one value in the column `scope`, as followers have it, too.
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

/// Brings the keys up to date, in this order.
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

    /// Holds what changes, so that each table is written in one statement.
    async fn note_changes(&self) -> Result<(), DbErr> {
        let text = match self.backend {
            DbBackend::Postgres => "text COLLATE \"C\" NOT NULL",
            _ => "text NOT NULL",
        };
        let columns = format!("scope {text}, old {text}, new {text}, mark {text}");
        self.run(&format!("CREATE TEMPORARY TABLE refolded ({columns}, PRIMARY KEY (scope, old))")).await
    }

    /// Goes through the keys in the order of their bytes, so that every run numbers alike; returns how
    /// many change, and how many of those met another one.
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

    /// What goes behind a new key to keep it apart from those there are. Nothing: its row is dropped.
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

    /// Writes the new keys into a column, also of a table that refuses changes of what was recorded: its
    /// rows stay what they are, only what they hang on gets its new name.
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
