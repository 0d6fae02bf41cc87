//! Opens more connections to the program than its limit of open files allows.

use std::net::IpAddr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tokio::net::TcpStream;

use crate::browser::{Browser, PASSWORD};
use crate::program::{Ports, Program, through};

/// If connections took all descriptors, nobody could connect anymore and databases could not open their
/// files.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_say_nothing_leave_descriptors_for_others() {
    let dir = tempfile::tempdir().unwrap();
    let ports = Ports::free();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 256; exec \"$0\" \"$@\""]);
    let mut command = through(shell, &ports.command(&dir.path().join("data")));
    command.env("WAYBILL__TELEMETRY__LOG", "warn").stdout(Stdio::null());
    let program = Program::spawn(&ports, command).await;
    Browser::new(&program.base).create_admin("admin", PASSWORD).await;

    let mut crowd = Vec::new();
    for port in [ports.http, ports.ingest, ports.ops] {
        for _ in 0..280 {
            // Connections over the limit are refused.
            crowd.extend(TcpStream::connect(("127.0.0.1", port)).await.ok());
        }
    }
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        let http = reqwest::Client::builder()
            .local_address(IpAddr::from([127, 0, 0, 2]))
            .timeout(Duration::from_secs(5))
            .build()
            .unwrap();
        let health = http.get(format!("{}/health", program.base)).send().await.unwrap();
        assert!(health.status().is_success());
        let mut browser = Browser { http, ..Browser::new(&program.base) };
        browser.sign_in("admin", PASSWORD).await;
    }
}
