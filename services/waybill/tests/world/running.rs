//! The program as a process of its own, and waiting for a state: what all tests of the whole product share.

use std::process::{Command, Stdio};
use std::time::Duration;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_waybill");
/// A slow machine takes its time; what takes longer than this has stopped.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for a state; a test never sleeps for a time.
pub async fn until<F, Fut>(what: &str, mut condition: F)
where
    F: FnMut() -> Fut,
    Fut: Future<Output = bool>,
{
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("waited too long until {what}"));
}

/// The program with these arguments. It logs only what goes wrong.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).env("WAYBILL__TELEMETRY__LOG", "warn").stdout(Stdio::null());
    command
}

/// Whether the process with this port of operations is ready.
pub async fn is_ready(ops_port: u16) -> bool {
    let url = format!("http://127.0.0.1:{ops_port}/readyz");
    reqwest::get(url).await.is_ok_and(|answer| answer.status().is_success())
}
