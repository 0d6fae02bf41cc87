//! Runs the program as a separate process, and waits for states. All tests of the whole product share this.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_waybill");
/// Time limit for reaching a state.
const PATIENCE: Duration = Duration::from_secs(120);
/// Made once, because a client reads the certificates of the system, which takes 30 ms of a processor without
/// optimisation. Connections are not kept, because each test has a runtime of its own.
static HTTP: LazyLock<reqwest::Client> =
    LazyLock::new(|| reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap());

/// Waits until a condition is true, so that tests need no fixed waits.
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

/// Returns the path of the program, or of another build named by `WAYBILL_BIN`.
pub fn binary() -> OsString {
    std::env::var_os("WAYBILL_BIN").unwrap_or_else(|| PROGRAM.into())
}

/// Returns the command that runs the program with these arguments. The program logs only problems.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).env("WAYBILL__TELEMETRY__LOG", "warn").stdout(Stdio::null());
    command
}

/// Returns whether the process with this operations port is ready.
pub async fn is_ready(ops_port: u16) -> bool {
    let url = format!("http://127.0.0.1:{ops_port}/readyz");
    HTTP.get(url).send().await.is_ok_and(|answer| answer.status().is_success())
}
