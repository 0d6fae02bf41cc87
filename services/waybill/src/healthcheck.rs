//! Asks the process on this machine whether it is ready, or for its metrics, for `waybill healthcheck`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use kit::config::Ops;

/// The state of each dependency; the answer is good if the process is ready.
pub const READINESS: &str = "/readyz";
pub const METRICS: &str = "/metrics";

/// What a process answers on its operations port.
pub struct Answer {
    pub is_good: bool,
    /// The answer, or why there is none.
    pub text: String,
}

/// Asks the process for one of the paths above. Fails only if nothing can be asked at all.
pub async fn ask(ops: &Ops, path: &str) -> Result<Answer, reqwest::Error> {
    kit::install_crypto();
    // A proxy in the environment doesn't reach this machine.
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(3)).build()?;
    let address = address(ops, path);
    let asked = async {
        let answer = client.get(&address).send().await?;
        let is_good = answer.status().is_success();
        Ok(Answer { is_good, text: answer.text().await? })
    };
    let asked: Result<Answer, reqwest::Error> = asked.await;
    Ok(asked.unwrap_or_else(|_| Answer { is_good: false, text: format!("{address} does not answer") }))
}

/// Returns the address of a path on the operations port. A port that listens on every address is called on loopback.
fn address(ops: &Ops, path: &str) -> String {
    let host = match ops.host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => ops.host.clone(),
    };
    format!("http://{host}:{}{path}", ops.port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_asked_at_an_address_that_can_be_called() {
        for (host, expected) in [
            ("127.0.0.1", "127.0.0.1"),
            ("0.0.0.0", "127.0.0.1"),
            ("::", "[::1]"),
            ("::1", "[::1]"),
            ("fd00::7", "[fd00::7]"),
            ("localhost", "localhost"),
        ] {
            let ops = Ops { host: host.to_owned(), port: 8082, stop_delay_seconds: 0 };
            assert_eq!(address(&ops, READINESS), format!("http://{expected}:8082/readyz"), "{host}");
        }
    }
}
