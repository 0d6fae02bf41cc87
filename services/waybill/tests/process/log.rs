//! A log that nobody reads, because a collector is stuck or a terminal is paused.

use std::io::Read;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::browser::Browser;
use crate::program::{Ports, Program};
use crate::running::until;

const REQUESTS: usize = 1_000;
/// Capacity of a pipe in bytes.
const PIPE: usize = 1 << 16;

/// Starts a program whose output nobody reads, and sends it requests. Without the bounded queue of log lines,
/// a full pipe would stop all requests.
async fn answers_with_a_log_that_nobody_reads(format: &str) -> (Program, Browser) {
    let dir = tempfile::tempdir().unwrap();
    let ports = Ports::free();
    let mut command = ports.command(&dir.path().join("data"));
    command
        .env("WAYBILL__TELEMETRY__LOG", "trace")
        .env("WAYBILL__TELEMETRY__LOG_FORMAT", format)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let program = Program::spawn(&ports, command).await;
    let browser = Browser::new(&program.base);
    for number in 0..REQUESTS {
        let answer = browser.http.get(format!("{}/health", program.base)).timeout(Duration::from_secs(20));
        let status = answer.send().await.unwrap_or_else(|error| panic!("request {number}: {error}")).status();
        assert!(status.is_success());
    }
    (program, browser)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_requests_are_answered_though_nobody_reads_the_log() {
    let (mut program, browser) = answers_with_a_log_that_nobody_reads("text").await;
    // The log was more than a pipe holds. A reader who comes back receives it.
    let mut log = program.child.stderr.take().unwrap();
    let read = Arc::new(AtomicUsize::new(0));
    let count = read.clone();
    std::thread::spawn(move || {
        let mut some = [0; 1 << 16];
        while let Ok(bytes) = log.read(&mut some)
            && bytes > 0
        {
            count.fetch_add(bytes, Ordering::Relaxed);
        }
    });
    until("the log arrives", || std::future::ready(read.load(Ordering::Relaxed) > 2 * PIPE)).await;
    let health = browser.http.get(format!("{}/health", program.base)).send().await.unwrap();
    assert!(health.status().is_success());
    program.kill();
}

/// The program also prints its address to standard output. A blocked output must not prevent it from
/// stopping.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_whose_standard_output_nobody_reads_answers_and_stops_when_told() {
    let (mut program, _) = answers_with_a_log_that_nobody_reads("json").await;
    let pid = rustix::process::Pid::from_child(&program.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let mut ended = None;
    let child = std::sync::Mutex::new(&mut program.child);
    until("the program ends", || {
        ended = child.lock().unwrap().try_wait().unwrap();
        std::future::ready(ended.is_some())
    })
    .await;
    assert!(ended.unwrap().success(), "{ended:?}");
}
