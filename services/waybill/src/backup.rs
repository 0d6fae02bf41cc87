//! `waybill backup` and `waybill restore`: databases as of one moment, objects, and the secrets that the
//! program generated.
//!
//! A backup is a folder: `databases/`, `objects/`, `secrets/`, `SHA256SUMS` (as `sha256sum -c` reads it), and
//! `manifest.json`. The manifest is written last: a folder without it is not a backup. Objects are copied
//! before the databases. Objects that arrive in the meantime are copied afterwards, so the backup has every
//! object that a database refers to. Reasons, and what a backup omits, are in docs/adr/0069.

mod room;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use kit::blob::{Blob, Key};
use kit::clock::Clock;
use kit::config::{Config, Target, absolute, private_dir};
use kit::{Error, Result};
use serde::{Deserialize, Serialize};
use store::Db;
use store::backup::{Copied, cannot, digest};

use crate::database;
use crate::folder::DataFolder;
use crate::plumbing;
use crate::target::{self, Row};

const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const SUMS: &str = "SHA256SUMS";
const DATABASES: &str = "databases";
const OBJECTS: &str = "objects";
const SECRETS: &str = "secrets";
/// Concurrent copies of objects.
const AT_ONCE: usize = 8;
/// Pause before a failed backup is removed again.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// The release that made the backup. An older release may not work with the backup's tables.
    release: String,
    made_at: String,
    databases: Vec<Database>,
    objects: u64,
    secrets: u64,
    bytes: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Database {
    service: String,
    file: PathBuf,
    rows: BTreeMap<String, u64>,
}

/// Makes a backup in a new folder, while the program runs. Returns the text to print. After an error, nothing of the backup
/// is left.
///
/// # Errors
///
/// `DATABASE_MISSING`, `BACKUP_FOLDER_NOT_EMPTY`; `STORAGE_FULL` before anything is written, if there is not enough room;
/// those of [`store::backup::copy`].
pub async fn make(config: &Config, clock: &Clock, folder: &Path) -> Result<String> {
    make_with(config, clock, folder, kit::disk::free).await
}

/// Makes a backup like [`make`]; `free` returns the free bytes on the disk of a folder.
async fn make_with(
    config: &Config,
    clock: &Clock,
    folder: &Path,
    free: impl Fn(&Path) -> io::Result<u64>,
) -> Result<String> {
    let rows: Vec<&'static Row> = target::services(Target::All).collect();
    database::require_each(config, rows.len())?;
    for row in &rows {
        database::require_present(config, row)?;
    }
    let is_new = !folder.exists();
    if !is_new && fs::read_dir(folder).map_err(|error| cannot(folder, &error))?.next().is_some() {
        return Err(Error::precondition(
            "BACKUP_FOLDER_NOT_EMPTY",
            format!("The folder {} is not empty. Give each backup a folder of its own.", folder.display()),
        ));
    }
    let blob = plumbing::blob_of_command(config, clock)?;
    room::for_backup(config, &rows, &blob, folder, free).await?;
    private_dir(folder).map_err(|error| cannot(folder, &error))?;
    match write_all(config, clock, &rows, &blob, folder).await {
        Ok(manifest) => Ok(format!("The backup is in {}: {}", folder.display(), manifest.words())),
        Err(error) => Err(without_rest(error, folder, is_new).await),
    }
}

/// Removes what a failed backup wrote, and the folder if it is new. Returns the error with what became of them.
async fn without_rest(mut error: Error, folder: &Path, is_new: bool) -> Error {
    let mut removed = remove(folder, is_new);
    if removed.is_err() {
        // A copy that was given up may still have made a file.
        tokio::time::sleep(AGAIN).await;
        removed = remove(folder, is_new);
    }
    let rest = match removed {
        Ok(()) => format!("Nothing of this backup is left in {}.", folder.display()),
        Err(why) => {
            format!(
                "Remove {}: it has a part of a backup that could not be removed ({why}).",
                folder.display()
            )
        }
    };
    error.message = format!("{}. {rest}", error.message.trim_end_matches('.'));
    error
}

fn remove(folder: &Path, is_new: bool) -> io::Result<()> {
    let gone = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    for name in [DATABASES, OBJECTS, SECRETS] {
        gone(fs::remove_dir_all(folder.join(name)))?;
    }
    for name in [SUMS, MANIFEST] {
        gone(fs::remove_file(folder.join(name)))?;
    }
    if is_new { gone(fs::remove_dir(folder)) } else { Ok(()) }
}

/// Writes all files of a backup into an empty folder, the manifest last. Returns the manifest.
async fn write_all(
    config: &Config,
    clock: &Clock,
    rows: &[&'static Row],
    blob: &Blob,
    folder: &Path,
) -> Result<Manifest> {
    let inside = |name: &str| {
        let path = folder.join(name);
        private_dir(&path).map_err(|error| cannot(&path, &error)).map(|()| path)
    };
    let (databases, objects, secrets) = (inside(DATABASES)?, inside(OBJECTS)?, inside(SECRETS)?);
    let secrets = copy_secrets(&config.data.join(SECRETS), &secrets)?;
    copy_objects(blob, &objects).await?;
    let copied = copy_databases(config, rows, &databases).await?;
    copy_objects(blob, &objects).await?;

    let (files, bytes) = sum(folder)?;
    let manifest = Manifest {
        format: FORMAT,
        release: env!("CARGO_PKG_VERSION").to_owned(),
        made_at: clock.now().to_rfc3339(),
        databases: copied.into_iter().map(Database::from).collect(),
        objects: files.iter().filter(|file| file.starts_with(OBJECTS)).count() as u64,
        secrets,
        bytes,
    };
    let text = serde_json::to_vec_pretty(&manifest).map_err(Error::internal)?;
    write(&folder.join(MANIFEST), &text)?;
    Ok(manifest)
}

/// Checks that a backup is complete: every file exists and is unchanged.
pub fn check(folder: &Path) -> Result<String> {
    let manifest = read_manifest(folder)?;
    let sums = fs::read_to_string(folder.join(SUMS)).map_err(|error| cannot(&folder.join(SUMS), &error))?;
    for line in sums.lines() {
        let (sum, file) = line.split_once("  ").ok_or_else(|| damaged(format!("{SUMS} cannot be read")))?;
        match digest(&folder.join(file)) {
            Ok((_, found)) if found == sum => {}
            Ok(_) => return Err(damaged(format!("{file} is not what it was"))),
            Err(error) => return Err(damaged(format!("{file} cannot be read: {error}"))),
        }
    }
    let listed: Vec<&str> = sums.lines().filter_map(|line| line.split_once("  ")).map(|it| it.1).collect();
    for database in &manifest.databases {
        let file = Path::new(DATABASES).join(&database.file);
        if !listed.iter().any(|it| Path::new(it) == file) {
            return Err(damaged(format!("{} is missing in {SUMS}", file.display())));
        }
    }
    Ok(format!("The backup in {} is whole: {}", folder.display(), manifest.words()))
}

/// Restores a backup into an empty data folder and empty databases.
///
/// # Errors
///
/// `BACKUP_DAMAGED`, `BACKUP_TOO_NEW`. Before anything is changed: `DATABASE_NOT_EMPTY`, `DATA_FOLDER_NOT_EMPTY`,
/// `RESTORE_UNFINISHED`, `STORAGE_FULL`. After any later error, every start fails with `RESTORE_UNFINISHED`.
pub async fn restore(config: &Config, clock: &Clock, folder: &Path) -> Result<String> {
    check(folder)?;
    let manifest = read_manifest(folder)?;
    database::require_each(config, manifest.databases.len())?;
    let copies = manifest.copies()?;
    // Claims the folder, so that no process starts on half-restored data.
    let _claimed = DataFolder::claim(config, Target::All)?;
    let (from, to) = (folder.join(SECRETS), config.data.join(SECRETS));
    for (row, _) in &copies {
        store::backup::require_empty(row.name, &row.database(config), &config.database).await?;
    }
    require_no_others(&from, &to)?;
    room::for_restore(config, folder)?;

    for (row, _) in &copies {
        store::backup::begin(&absolute(folder), &row.database(config), &config.database).await?;
    }
    put_secrets(&from, &to)?;
    for (row, copied) in &copies {
        let url = row.database(config);
        store::backup::restore(copied, &folder.join(DATABASES), &url, &config.database).await?;
        if row.name == deliveries::NAME {
            let db = Db::connect(&url, &config.database).await?;
            let done = deliveries::after_restore(&db).await;
            db.close().await;
            done?;
        }
    }
    put_objects(&plumbing::blob_of_command(config, clock)?, &folder.join(OBJECTS)).await?;
    for (row, _) in &copies {
        store::backup::end(&row.database(config), &config.database).await?;
    }
    Ok(format!("Restored from {}: {}", folder.display(), manifest.words()))
}

impl Manifest {
    /// Returns the copies of databases, each with its service.
    fn copies(&self) -> Result<Vec<(&'static Row, Copied)>> {
        let copy = |it: &Database| {
            let Ok(row) = target::service(&it.service) else {
                return Err(Error::precondition(
                    "BACKUP_TOO_NEW",
                    format!(
                        "This release does not know the service {}. Restore with {}.",
                        it.service, self.release
                    ),
                ));
            };
            let Database { service, file, rows } = it;
            Ok((row, Copied { service: service.clone(), file: file.clone(), rows: rows.clone() }))
        };
        self.databases.iter().map(copy).collect()
    }

    fn words(&self) -> String {
        let rows: u64 = self.databases.iter().flat_map(|it| it.rows.values()).sum();
        let mib = self.bytes.div_ceil(1 << 20);
        format!(
            "{} databases with {rows} rows, {} objects, {mib} MiB, made {} by release {}.",
            self.databases.len(),
            self.objects,
            self.made_at,
            self.release
        )
    }
}

impl From<Copied> for Database {
    fn from(copied: Copied) -> Self {
        let Copied { service, file, rows } = copied;
        Self { service, file, rows }
    }
}

async fn copy_databases(config: &Config, rows: &[&'static Row], folder: &Path) -> Result<Vec<Copied>> {
    let opened = database::open_current(config, rows).await?;
    let databases: Vec<_> = opened.iter().map(|(row, db)| (row.name, db.clone())).collect();
    let copied = store::backup::copy(&databases, folder).await;
    database::close(&opened).await;
    copied
}

/// Copies objects. An object never changes, so one that already exists is equal.
async fn copy_objects(blob: &Blob, folder: &Path) -> Result<()> {
    let copy = |(key, _): (Key, u64)| async move {
        let to = folder.join(key.as_str());
        if to.exists() {
            return Ok(());
        }
        if let Some(parent) = to.parent() {
            private_dir(parent).map_err(|error| cannot(parent, &error))?;
        }
        match blob.download(&key, &to, u64::MAX).await {
            // The object was deleted in the meantime, so nothing in the backup refers to it.
            Err(error) if error.kind == kit::Kind::NotFound => Ok(()),
            done => done.map(|_| ()),
        }
    };
    blob.list().map_ok(copy).try_buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
    Ok(())
}

async fn put_objects(blob: &Blob, folder: &Path) -> Result<()> {
    let files = files(folder)?;
    let put = |file: PathBuf| async move {
        let name = file.strip_prefix(folder).map_err(Error::internal)?;
        let key = Key::parse(&name.to_string_lossy())?;
        let bytes = tokio::fs::read(&file).await.map_err(|error| cannot(&file, &error))?;
        blob.put(&key, Bytes::from(bytes)).await
    };
    futures::stream::iter(files).map(put).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
    Ok(())
}

/// Copies the generated secrets. Mounted secrets belong to the platform.
fn copy_secrets(from: &Path, to: &Path) -> Result<u64> {
    let mut copied = 0;
    for file in files(from)? {
        let name = file.strip_prefix(from).map_err(Error::internal)?;
        let text = fs::read(&file).map_err(|error| cannot(&file, &error))?;
        write(&to.join(name), &text)?;
        copied += 1;
    }
    Ok(copied)
}

/// Restores the secrets before the program generates new ones. With new ones it could not read anything
/// signed or sealed earlier.
fn put_secrets(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        let target = to.join(file.strip_prefix(from).map_err(Error::internal)?);
        private_dir(to).map_err(|error| cannot(to, &error))?;
        write(&target, &fs::read(&file).map_err(|error| cannot(&file, &error))?)?;
    }
    Ok(())
}

/// Fails if a secret of the backup is in the data folder with other content.
fn require_no_others(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        let target = to.join(file.strip_prefix(from).map_err(Error::internal)?);
        let read = |path: &Path| fs::read(path).map_err(|error| cannot(path, &error));
        if target.try_exists().map_err(|error| cannot(&target, &error))? && read(&target)? != read(&file)? {
            return Err(Error::precondition(
                "DATA_FOLDER_NOT_EMPTY",
                format!(
                    "{} is there already, with other content. Restore into an empty folder; nothing was changed.",
                    target.display()
                ),
            ));
        }
    }
    Ok(())
}

/// Writes the checksums of all files and flushes each file to disk. Returns the files and their total size in
/// bytes.
fn sum(folder: &Path) -> Result<(Vec<PathBuf>, u64)> {
    let (mut lines, mut found, mut bytes) = (String::new(), Vec::new(), 0);
    for file in files(folder)? {
        fs::File::open(&file).and_then(|it| it.sync_all()).map_err(|error| cannot(&file, &error))?;
        let (size, sum) = digest(&file).map_err(|error| cannot(&file, &error))?;
        let name = file.strip_prefix(folder).map_err(Error::internal)?.to_owned();
        lines += &format!("{sum}  {}\n", name.display());
        bytes += size;
        found.push(name);
    }
    write(&folder.join(SUMS), lines.as_bytes())?;
    Ok((found, bytes))
}

/// Returns every file below a folder, in sorted order. Returns nothing if the folder does not exist.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries.map_err(|error| cannot(&folder, &error))?,
        };
        for entry in entries {
            let path = entry.map_err(|error| cannot(&folder, &error))?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// Writes a file that only its owner may read, and syncs it to disk.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    kit::folder::write_private(path, bytes).map_err(|error| cannot(path, &error))
}

fn read_manifest(folder: &Path) -> Result<Manifest> {
    let path = folder.join(MANIFEST);
    let text = fs::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            damaged(format!("{} has no {MANIFEST}: it is no backup, or was not finished", folder.display()))
        }
        _ => cannot(&path, &error),
    })?;
    let manifest: Manifest = serde_json::from_slice(&text)
        .map_err(|error| damaged(format!("{MANIFEST} cannot be read: {error}")))?;
    match manifest.format {
        FORMAT => Ok(manifest),
        other => Err(damaged(format!("This release cannot read the format {other}"))),
    }
}

fn damaged(text: String) -> Error {
    Error::precondition("BACKUP_DAMAGED", text)
}
