//! A command rebuilds copies while the program runs.

use std::path::Path;
use std::process::Stdio;

use crate::program::{Ports, Program, refused};
use crate::running::until;

/// Returns the output of `waybill rebuild`.
fn rebuild(data: &Path, copy: &str) -> String {
    let done = Ports::free().command(data).args(["rebuild", copy]).stdin(Stdio::null()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_has_the_running_program_rebuild_a_copy() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let _program = Program::start(&data).await;
    let mut unknown = Ports::free().command(&data);
    unknown.args(["rebuild", "everything"]);
    let text = refused(unknown);
    assert!(text.contains("There is no copy with this name") && text.contains("auth-drivers"), "{text}");
    for copy in ["auth-drivers", "deliveries-settings"] {
        let said = format!("{copy} is rebuilt as soon as");
        assert!(rebuild(&data, copy).starts_with(&said));
        // No second rebuild starts before the first one has ended.
        until("the program has rebuilt it", || async { rebuild(&data, copy).starts_with(&said) }).await;
    }
}
