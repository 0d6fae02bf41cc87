//! Database errors in our own terms, told apart portably: never by one vendor's message.

use kit::Error;
use sea_orm::{DbErr, RuntimeErr, SqlErr};

/// Maps a database error. Use as `.map_err(store::db)`.
pub fn db(error: DbErr) -> Error {
    if is_unique_violation(&error) {
        return Error::already_exists("ALREADY_EXISTS", "It exists already").with_source(error);
    }
    if is_full(&error) {
        return Error::storage_full(
            "STORAGE_FULL",
            "The disk is full or cannot be written. Nothing was changed; free some space or ask an \
             administrator, then try again.",
        )
        .with_source(error);
    }
    if retryable(&error) {
        return Error::unavailable(
            "DATABASE_BUSY",
            "The database is busy. Nothing was changed; try again in a moment.",
        )
        .with_source(error);
    }
    if is_unstorable_text(&error) {
        let text = "A text has a character that cannot be stored. Remove it and try again.";
        return Error::invalid("TEXT_NOT_STORABLE", text).with_source(error);
    }
    Error::internal(error)
}

/// Whether Postgres refused a text with U+0000.
fn is_unstorable_text(error: &DbErr) -> bool {
    code(error).is_some_and(|code| code == "22021")
}

/// Maps an error of a COMMIT. When the answer did not arrive, or the disk did not confirm what was written,
/// the database may have committed.
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

/// Whether a unique or primary key refused the row.
pub fn is_unique_violation(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}

/// Whether the statement was stopped because it took too long (9 is SQLITE_INTERRUPT).
pub fn is_timeout(error: &DbErr) -> bool {
    code(error).is_some_and(|code| code == "57014" || code == "9")
}

/// Whether there was no room: on Postgres on its disk or in its memory; on SQLite on the disk (13 is
/// SQLITE_FULL), or a write was refused (778, SQLITE_IOERR_WRITE), as over a quota.
fn is_full(error: &DbErr) -> bool {
    code(error).is_some_and(|code| matches!(code.as_str(), "13" | "778" | "53100" | "53200"))
}

/// Whether SQLite's disk failed otherwise: a frame of the log whose sync failed (1034,
/// SQLITE_IOERR_FSYNC) counts as committed when it is found after a crash.
fn is_unconfirmed(error: &DbErr) -> bool {
    /// Of all of the family of SQLITE_IOERR, in the lowest byte.
    const IO: u32 = 10;
    let code = code(error).filter(|code| code.len() < 5).and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == IO) && !is_full(error)
}

/// Whether the connection broke, so that nobody knows what became of the statement.
fn is_broken_connection(error: &DbErr) -> bool {
    match error {
        DbErr::Exec(RuntimeErr::SqlxError(cause))
        | DbErr::Query(RuntimeErr::SqlxError(cause))
        | DbErr::Conn(RuntimeErr::SqlxError(cause)) => {
            cause.as_database_error().is_none() && cause.as_error_is_io()
        }
        _ => false,
    }
}

fn code(error: &DbErr) -> Option<String> {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return None;
    };
    cause.as_database_error()?.code().map(|code| code.into_owned())
}

/// Whether the same work may succeed when done again: no connection, a deadlock, a lock.
fn retryable(error: &DbErr) -> bool {
    let runtime = match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => return true,
        DbErr::Exec(runtime) | DbErr::Query(runtime) => runtime,
        _ => return false,
    };
    let RuntimeErr::SqlxError(cause) = runtime else { return false };
    match cause.as_database_error() {
        // Serialization failure, deadlock, lock and statement time-out, too many connections, shutdown,
        // crash and start; SQLite busy and locked.
        Some(database) => database.code().is_some_and(|code| {
            matches!(
                code.as_ref(),
                "40001"
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
        // Anything that is no answer of the database is a broken connection.
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
