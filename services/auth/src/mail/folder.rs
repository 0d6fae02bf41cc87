//! Mails as files, for development.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::{Error, Result};

/// Number of mails that are kept; older ones are deleted.
const KEPT: usize = 100;
/// Mails that are newer than the one just written by more than this are from when the clock was ahead.
const AHEAD: Duration = Duration::from_secs(60);

/// Writes a mail as a file that only its owner may read.
pub async fn write(folder: &Path, id: &str, mail: Vec<u8>) -> Result<()> {
    let (folder, id) = (folder.to_owned(), id.to_owned());
    tokio::task::spawn_blocking(move || write_now(&folder, &id, &mail))
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)
}

fn write_now(folder: &Path, id: &str, mail: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    kit::config::private_dir(folder)?;
    let unfinished = folder.join(format!(".{id}"));
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    file.write_all(mail)?;
    // Rename the file once it is complete, so that a watcher of the folder never sees half a mail.
    let written = folder.join(format!("{id}.eml"));
    std::fs::rename(&unfinished, &written)?;
    forget_old(folder, &written)
}

/// Deletes the oldest mails that are too many. Mails from when the clock was ahead count as the oldest: otherwise they
/// would stay, and each new mail would be deleted in their place.
fn forget_old(folder: &Path, written: &Path) -> std::io::Result<()> {
    let time = |mail: &Path| std::fs::metadata(mail)?.modified();
    let latest = time(written)? + AHEAD;
    let is_ahead = |mail: &PathBuf| time(mail).is_ok_and(|at| at > latest);
    let (mut old, others): (Vec<_>, Vec<_>) = mails(folder)?.into_iter().partition(is_ahead);
    old.extend(others);
    let over = old.len().saturating_sub(KEPT);
    for mail in old.drain(..over) {
        std::fs::remove_file(mail)?;
    }
    Ok(())
}

/// Returns the mails, oldest first: file names begin with the time.
fn mails(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "eml") {
            all.push(path);
        }
    }
    all.sort_unstable();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[tokio::test]
    async fn the_newest_are_kept_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("mail");
        let ids: Vec<String> = (0..KEPT + 3).map(|_| kit::clock::new_id().to_string()).collect();
        for id in &ids {
            write(&folder, id, id.as_bytes().to_vec()).await.unwrap();
        }
        let kept = mails(&folder).unwrap();
        assert_eq!(kept.len(), KEPT);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), KEPT, "nothing unfinished is left");
        assert_eq!(std::fs::read_to_string(kept.last().unwrap()).unwrap(), *ids.last().unwrap());
        assert_eq!(std::fs::read_to_string(&kept[0]).unwrap(), ids[3]);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&kept[0])), (0o700, 0o600));
    }

    #[tokio::test]
    async fn new_mails_are_kept_when_the_clock_was_set_back() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("mail");
        // Their names and files are of a later time than those of new mails.
        for number in 0..KEPT {
            let id = format!("ffff-{number:03}");
            write(&folder, &id, b"ahead".to_vec()).await.unwrap();
            let file = std::fs::File::open(folder.join(format!("{id}.eml"))).unwrap();
            let now = file.metadata().unwrap().modified().unwrap();
            file.set_modified(now + Duration::from_secs(86_400)).unwrap();
        }
        let new: Vec<String> = (0..3).map(|_| kit::clock::new_id().to_string()).collect();
        for id in &new {
            write(&folder, id, b"new".to_vec()).await.unwrap();
        }
        let kept = mails(&folder).unwrap();
        assert_eq!(kept.len(), KEPT);
        assert_eq!(kept[..3], [0, 1, 2].map(|at| folder.join(format!("{}.eml", new[at]))));
        assert!(kept[3].ends_with("ffff-003.eml"), "the oldest of the others went");
    }
}
