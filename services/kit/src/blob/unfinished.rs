//! A file that is being written.

use std::path::PathBuf;

/// Removes the file when dropped, unless the file was kept. So a cancelled write leaves no file behind.
pub(super) struct RemoveOnDrop(Option<PathBuf>);

impl RemoveOnDrop {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(Some(path))
    }

    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = std::fs::remove_file(path);
        }
    }
}
