//! Maps database errors to ours. Recognizes them by kind and error code, never by the text of a message.

use kit::Error;
use sea_orm::{DbErr, RuntimeErr, SqlErr};

/// Maps a database error. Use as `.map_err(store::db)`.
pub fn db(error: DbErr) -> Error {
    if is_unique_violation(&error) {
        return Error::already_exists("ALREADY_EXISTS", "It already exists").with_source(error);
    }
    if is_full(&error) {
        return Error::storage_full(
            "STORAGE_FULL",
            "The disk is full or cannot be written. Nothing was changed; free some space or ask an \
             administrator, then try again.",
        )
        .with_source(error);
    }
    if is_read_only(&error) {
        let text = "The database cannot be written. Check the owner and permissions of its file and folder, and whether \
                    the disk is mounted read-only. Nothing was changed.";
        return Error::unavailable("DATABASE_UNAVAILABLE", text).with_source(error);
    }
    if is_forbidden(&error) {
        let text = "Waybill's account lacks permissions on the database server. Check who owns the database and its tables. \
                    Nothing was changed.";
        return Error::unavailable("DATABASE_UNAVAILABLE", text).with_source(error);
    }
    if refuses_writes(&error) {
        return server_refuses_writes().with_source(error);
    }
    if retryable(&error) {
        return Error::unavailable(
            "DATABASE_BUSY",
            "The database is busy. Nothing was changed; try again in a moment.",
        )
        .with_source(error);
    }
    if is_unstorable_text(&error) {
        let text = "The text has a character that cannot be stored. Remove it and try again.";
        return Error::invalid("TEXT_NOT_STORABLE", text).with_source(error);
    }
    Error::internal(error)
}

/// Returns the error for a Postgres server that answers and cannot write.
pub(crate) fn server_refuses_writes() -> Error {
    Error::unavailable(
        "DATABASE_UNAVAILABLE",
        "The database server accepts no changes right now. Nothing was changed; try again in a moment.",
    )
}

/// Returns whether Postgres refused a text because it contains U+0000.
fn is_unstorable_text(error: &DbErr) -> bool {
    code(error).is_some_and(|code| code == "22021")
}

/// Maps an error of a COMMIT. The database may have committed nevertheless, if the response was lost or the
/// disk did not confirm the write.
pub(crate) fn commit(error: DbErr) -> Error {
    if is_broken_connection(&error) || is_unconfirmed(&error) {
        return Error::unavailable(
            "COMMIT_UNKNOWN",
            "Saving was interrupted, so it isn't known whether your change was saved. Reload and check before you \
             try again.",
        )
        .with_source(error);
    }
    db(error)
}

/// Returns whether the row violated a unique or primary key.
pub fn is_unique_violation(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}

/// Returns whether the statement was stopped because it took too long; 9 is SQLITE_INTERRUPT.
pub fn is_timeout(error: &DbErr) -> bool {
    code(error).is_some_and(|code| code == "57014" || code == "9")
}

/// Returns whether Postgres gave up waiting for a lock, as `lock_timeout` demands.
pub(crate) fn is_lock_timeout(error: &DbErr) -> bool {
    code(error).is_some_and(|code| code == "55P03")
}

/// Returns whether space ran out. On Postgres: on disk or in memory. On SQLite: on disk (13, SQLITE_FULL), for the
/// memory that processes share (4874, SQLITE_IOERR_SHMSIZE), or because a write was refused (778,
/// SQLITE_IOERR_WRITE), for example by a quota.
pub(crate) fn is_full(error: &DbErr) -> bool {
    code(error).is_some_and(|code| matches!(code.as_str(), "13" | "778" | "4874" | "53100" | "53200"))
}

/// Returns whether opening a SQLite file failed in a way that a full disk can cause, among other things.
pub(crate) fn is_disk_suspect(error: &DbErr) -> bool {
    /// SQLITE_IOERR and SQLITE_CANTOPEN.
    const SUSPECT: [u32; 2] = [10, 14];
    sqlite_family(error).is_some_and(|family| SUSPECT.contains(&family))
}

/// Returns whether Postgres refused a statement because the account lacks a permission.
fn is_forbidden(error: &DbErr) -> bool {
    code(error).is_some_and(|code| code == "42501")
}

/// Returns whether a Postgres server cannot write: it is a standby or was made read-only (25006), or its disk fails
/// (58030).
fn refuses_writes(error: &DbErr) -> bool {
    code(error).is_some_and(|code| matches!(code.as_str(), "25006" | "58030"))
}

/// Returns whether SQLite may not write to its files.
fn is_read_only(error: &DbErr) -> bool {
    /// SQLITE_READONLY.
    const READ_ONLY: u32 = 8;
    sqlite_family(error) == Some(READ_ONLY)
}

/// Returns whether a write to SQLite's disk failed in a way that leaves the outcome open: a log frame whose
/// sync failed (1034, SQLITE_IOERR_FSYNC) counts as committed if it is found after a crash.
fn is_unconfirmed(error: &DbErr) -> bool {
    /// SQLITE_IOERR.
    const IO: u32 = 10;
    sqlite_family(error) == Some(IO) && !is_full(error)
}

/// Returns the primary code of a SQLite error, which is the lowest byte of all extended codes of its family. Codes of
/// Postgres are longer.
fn sqlite_family(error: &DbErr) -> Option<u32> {
    let code = code(error).filter(|code| code.len() < 5)?.parse::<u32>().ok()?;
    Some(code & 0xff)
}

/// Returns whether the connection broke, so that nobody knows whether the statement took effect.
fn is_broken_connection(error: &DbErr) -> bool {
    cause(error).is_some_and(|cause| cause.as_database_error().is_none() && cause.as_error_is_io())
}

fn code(error: &DbErr) -> Option<String> {
    cause(error)?.as_database_error()?.code().map(|code| code.into_owned())
}

/// Returns what sqlx reported.
fn cause(error: &DbErr) -> Option<&sea_orm::sqlx::Error> {
    match error {
        DbErr::Exec(RuntimeErr::SqlxError(cause))
        | DbErr::Query(RuntimeErr::SqlxError(cause))
        | DbErr::Conn(RuntimeErr::SqlxError(cause)) => Some(&**cause),
        _ => None,
    }
}

/// Returns whether retrying may help: there is no connection, or a deadlock or a lock stopped the statement.
fn retryable(error: &DbErr) -> bool {
    let runtime = match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => return true,
        DbErr::Exec(runtime) | DbErr::Query(runtime) => runtime,
        _ => return false,
    };
    let RuntimeErr::SqlxError(cause) = runtime else { return false };
    match cause.as_database_error() {
        // Postgres: transaction idle for too long, serialization failure, deadlock, lock and statement timeout,
        // too many connections, shutdown, crash and startup. SQLite: busy and locked.
        Some(database) => database.code().is_some_and(|code| {
            matches!(
                code.as_ref(),
                "25P03"
                    | "40001"
                    | "40P01"
                    | "53300"
                    | "55P03"
                    | "57014"
                    | "57P01"
                    | "57P02"
                    | "57P03"
                    | "5"
                    | "6"
                    | "517"
                    | "9"
            )
        }),
        // This is not a response of the database. An I/O error means a broken connection.
        None => cause.as_error_is_io(),
    }
}

trait IsIo {
    fn as_error_is_io(&self) -> bool;
}

impl<T: std::error::Error + 'static> IsIo for T {
    fn as_error_is_io(&self) -> bool {
        let mut next: Option<&(dyn std::error::Error + 'static)> = Some(self);
        while let Some(cause) = next {
            if cause.is::<std::io::Error>() {
                return true;
            }
            next = cause.source();
        }
        false
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::borrow::Cow;
    use std::error::Error as StdError;
    use std::sync::Arc;

    use kit::Kind;
    use sea_orm::sqlx;
    use sea_orm::sqlx::error::{DatabaseError, ErrorKind};

    use super::*;

    /// An error of a database with this code: an extended one of SQLite, or one of Postgres.
    #[derive(Debug, thiserror::Error)]
    #[error("disk I/O error")]
    struct Coded(u32);

    pub(crate) fn coded(of: fn(RuntimeErr) -> DbErr, code: u32) -> DbErr {
        of(RuntimeErr::SqlxError(Arc::new(sqlx::Error::Database(Box::new(Coded(code))))))
    }

    impl DatabaseError for Coded {
        fn message(&self) -> &str {
            "disk I/O error"
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.to_string().into())
        }

        fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> ErrorKind {
            ErrorKind::Other
        }
    }

    fn committing(code: u32) -> (Kind, String) {
        let [exec, query] = [DbErr::Exec, DbErr::Query].map(|of| {
            let error = commit(coded(of, code));
            (error.kind, error.reason)
        });
        assert_eq!(exec, query);
        exec
    }

    #[test]
    fn a_flush_that_fails_leaves_open_whether_the_change_is_saved() {
        // SQLITE_IOERR, and its extended codes FSYNC, DIR_FSYNC, TRUNCATE, CLOSE and COMMIT_ATOMIC.
        for code in [10, 1034, 1290, 1546, 4106, 7690] {
            assert_eq!(committing(code), (Kind::Unavailable, "COMMIT_UNKNOWN".to_owned()), "{code}");
        }
        // SQLITE_FULL, SQLITE_IOERR_WRITE and SQLITE_IOERR_SHMSIZE: the commit was never written completely.
        for code in [13, 778, 4874] {
            assert_eq!(committing(code), (Kind::StorageFull, "STORAGE_FULL".to_owned()), "{code}");
        }
    }

    #[test]
    fn a_file_that_may_not_be_written_is_no_internal_error() {
        // SQLITE_READONLY, and its extended codes CANTLOCK, DBMOVED and DIRECTORY.
        for code in [8, 520, 1032, 1544] {
            assert_eq!(committing(code), (Kind::Unavailable, "DATABASE_UNAVAILABLE".to_owned()), "{code}");
        }
    }

    #[test]
    fn an_account_without_permissions_is_no_internal_error() {
        let error = db(coded(DbErr::Query, 42501));
        assert_eq!(error.reason, "DATABASE_UNAVAILABLE");
        assert!(error.message.contains("lacks permissions"), "{}", error.message);
    }

    #[test]
    fn a_full_disk_is_recognized_whatever_was_being_done() {
        for of in [DbErr::Exec, DbErr::Query, DbErr::Conn] {
            for code in [13, 778, 4874] {
                let error = db(coded(of, code));
                assert_eq!(
                    (error.kind, error.reason.as_str()),
                    (Kind::StorageFull, "STORAGE_FULL"),
                    "{code}"
                );
            }
        }
    }

    #[test]
    fn a_server_that_accepts_no_changes_is_waited_for() {
        for code in [25006, 58030] {
            for error in [db(coded(DbErr::Exec, code)), commit(coded(DbErr::Exec, code))] {
                assert_eq!(error.reason, "DATABASE_UNAVAILABLE", "{code}");
                assert!(error.is_transient() && error.message.contains("accepts no changes"), "{error:?}");
            }
        }
    }
}
