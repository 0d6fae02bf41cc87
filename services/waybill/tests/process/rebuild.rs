//! A command rebuilds copies while the program runs.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::place::Place;
use crate::program::{Ports, Program, refused};
use crate::running::until;

/// Returns the output of `waybill rebuild`.
fn rebuild(data: &Path, copy: &str) -> String {
    let mut command = Ports::free().command(data);
    command.args(["rebuild", copy]);
    output(command)
}

fn output(mut command: Command) -> String {
    let done = command.stdin(Stdio::null()).output().unwrap();
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_database_that_cannot_be_used_no_rebuild_is_requested() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    Place::folder(data.clone()).command(&["migrate"]);
    // Analytics is the last of those that keep copies.
    std::fs::remove_file(data.join("analytics.db")).unwrap();
    let mut all = Ports::free().command(&data);
    all.arg("rebuild");
    let text = refused(all);
    assert!(text.contains("analytics"), "{text}");
    assert_eq!(rebuild(&data, "auth-drivers"), "auth-drivers is rebuilt as soon as auth runs\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_the_database_of_one_service_only_its_copies_can_be_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::on_servers(dir.path()).await;
    place.command(&["migrate"]);
    let deliveries = |arguments: &[&str]| {
        let mut command = place.command_of("deliveries");
        command.args(arguments);
        command
    };
    let backup = dir.path().join("backup");
    let to = backup.to_str().unwrap();
    for arguments in [&["rebuild"][..], &["migrate"], &["seed"], &["backup", "--to", to]] {
        let text = refused(deliveries(arguments));
        assert!(text.contains("database.url has no {service}"), "{arguments:?}: {text}");
    }
    assert!(!backup.exists());
    for arguments in [&["rebuild", "--target", "auth"][..], &["rebuild", "auth-drivers"], &["audit-check"]] {
        let text = refused(deliveries(arguments));
        assert!(text.contains("Use the configuration of auth"), "{arguments:?}: {text}");
    }
    let text = refused(deliveries(&["rebuild", "--target", "settings"]));
    assert!(text.contains("settings keeps no copies"), "{text}");

    let said = output(deliveries(&["rebuild", "--target", "deliveries"]));
    assert!(said.contains("deliveries-drivers is rebuilt as soon as deliveries runs"), "{said}");
    assert!(said.lines().all(|line| line.starts_with("deliveries-")), "{said}");
    let said = output(deliveries(&["rebuild", "deliveries-drivers"]));
    assert_eq!(said, "deliveries-drivers is being rebuilt already\n");
    place.end().await;
}
