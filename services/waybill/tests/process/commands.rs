//! Commands that receive a signal to end, and commands whose output cannot be written.

use std::fs::File;
use std::future::ready;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use sea_orm::ConnectionTrait;
use store::Db;
use store::testing::config;

use crate::place::Place;
use crate::program::{Ports, Program, refused};
use crate::running::{binary, program, until};

/// Returns a command that begins with both signals ignored, as the first process of a container does.
fn ignoring_signals(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' TERM INT; exec \"$0\" \"$@\""])
        .arg(binary())
        .args(["--data", data.to_str().unwrap()])
        .args(arguments)
        .env("WAYBILL__TELEMETRY__LOG", "warn")
        .stdout(Stdio::null());
    command
}

/// Returns whether a process has a handler for SIGINT.
fn handles_signals(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 1) != 0
}

/// Sends a signal until the program ends, and returns its exit code.
async fn code_after(signal: Signal, mut program: Program) -> Option<i32> {
    let pid = Pid::from_child(&program.child);
    let mut ended = None;
    until("the program ends", || {
        kill_process(pid, signal).unwrap();
        ended = program.child.try_wait().unwrap();
        ready(ended.is_some())
    })
    .await;
    ended.unwrap().code()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_ends_a_command_also_as_the_first_process_of_a_container() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let dir = tempfile::tempdir().unwrap();
        let mut seed = ignoring_signals(dir.path(), &["seed", "--deliveries", "100000"]);
        let seed = Program { child: seed.stdin(Stdio::null()).spawn().unwrap(), base: String::new() };
        let database = dir.path().join("deliveries.db");
        until("the database is there", || ready(database.is_file())).await;
        assert_eq!(code_after(signal, seed).await, Some(code));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_ends_a_command_that_reads_its_input() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["admin", "create", "--username", "a", "--email", "a@example.com", "--password-stdin"];
    let mut admin = ignoring_signals(dir.path(), &arguments);
    let admin = Program { child: admin.stdin(Stdio::piped()).spawn().unwrap(), base: String::new() };
    until("signals are handled", || ready(handles_signals(&admin.child))).await;
    assert_eq!(code_after(Signal::INT, admin).await, Some(130));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_cannot_be_created_is_refused_with_the_cause() {
    let dir = tempfile::tempdir().unwrap();
    Place::folder(dir.path().to_owned()).command(&["migrate"]);
    let auth = format!("sqlite://{}", dir.path().join("auth.db").display());
    let auth = Db::connect(&auth, &config()).await.unwrap();
    let tx = auth.begin().await.unwrap();
    tx.execute_unprepared("DROP TABLE setup").await.unwrap();
    tx.commit().await.unwrap();
    auth.close().await;
    let mut admin = Ports::free().command(dir.path());
    admin.args(["admin", "create", "--username", "a", "--email", "a@example.com", "--password-stdin"]);
    let text = refused(admin);
    assert!(text.contains("no such table: setup"), "{text}");
}

#[test]
fn output_that_cannot_be_written_is_an_error_unless_the_reader_has_left() {
    let mut command = program(&["schema"]);
    command.stdout(File::options().write(true).open("/dev/full").unwrap());
    let text = refused(command);
    assert!(text.contains("cannot write to standard output"), "{text}");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert!(program(&["schema"]).stdout(writer).status().unwrap().success());
}

#[test]
fn an_error_that_nobody_reads_is_an_exit_code() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = program(&["config", "check"]).env("WAYBILL__DATA", "").stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(1));
}
