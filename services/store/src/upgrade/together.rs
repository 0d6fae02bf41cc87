//! Upgrades all databases of an installation, and leaves a way back to all of them as of one time.
//!
//! On SQLite, an upgrade copies each database that it changes. Services know of each other's records, so going
//! back takes the databases that it does not change as well: they are copied before the first change.

use std::path::{Path, PathBuf};
use std::{fs, io};

use kit::{Error, Result};

use super::{Migrations, copy};
use crate::Db;

/// Ending of the note beside the first database that says which upgrade is under way. When it was interrupted, the
/// next start must not copy again: databases that are upgraded already would replace the copies to go back to.
const NOTE: &str = ".upgrade-under-way";

/// Upgrades these databases, in this order.
///
/// # Errors
///
/// Those of [`up`](super::up). If any database is too new, none is changed.
pub async fn up_together(databases: &[(Migrations, &Db)]) -> Result<()> {
    let note = copy_unchanged(databases).await?;
    for (migrations, db) in databases {
        migrations.up(db).await?;
    }
    match note {
        Some(note) => removed(&note),
        None => Ok(()),
    }
}

/// Copies the databases that an upgrade of the others will not change. Returns the path of the note, on SQLite.
async fn copy_unchanged(databases: &[(Migrations, &Db)]) -> Result<Option<PathBuf>> {
    let (mut is_upgrade, mut unchanged) = (false, Vec::new());
    let (mut newest, mut current) = (Vec::new(), Vec::new());
    for (migrations, db) in databases {
        let found = migrations.found(db).await?;
        let is_current = found.is_current()?;
        is_upgrade |= !is_current && !found.is_empty;
        if is_current {
            unchanged.push(db);
        }
        newest.extend(migrations.newest());
        current.push(if is_current { "current" } else { "pending" });
    }
    let first = databases.first().and_then(|(_, db)| db.url().strip_prefix("sqlite://"));
    let Some(note) = first.map(|file| PathBuf::from(format!("{file}{NOTE}"))) else { return Ok(None) };
    let (upgrade, state) = (newest.join(" "), current.join(" "));
    // In the state of the note, either nothing was upgraded, or somebody went back to the copies and may have worked
    // since: then copy again.
    let noted = fs::read_to_string(&note).unwrap_or_default();
    let is_under_way = noted.split_once('\n').is_some_and(|(of, from)| of == upgrade && from != state);
    if is_upgrade && !is_under_way {
        for db in unchanged {
            copy::before_upgrade(db).await?;
        }
        written(&note, &format!("{upgrade}\n{state}"))?;
    }
    Ok(Some(note))
}

fn written(note: &Path, text: &str) -> Result<()> {
    fs::write(note, text).and_then(|()| fs::File::open(note)?.sync_all()).map_err(failed(note))
}

fn removed(note: &Path) -> Result<()> {
    match fs::remove_file(note) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(note)(error)),
        _ => Ok(()),
    }
}

fn failed(note: &Path) -> impl Fn(io::Error) -> Error {
    let note = note.to_owned();
    move |error| Error::internal(format!("{}: {error:#}", note.display()))
}
