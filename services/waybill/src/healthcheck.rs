//! Asks the process on this machine whether it is ready, for `waybill healthcheck`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use kit::config::Ops;

/// What a process says about its readiness.
pub struct Answer {
    pub is_ready: bool,
    /// The state of each dependency, or why there is no answer.
    pub text: String,
}

/// Asks the process. Fails only if nothing can be asked at all.
pub async fn ask(ops: &Ops) -> Result<Answer, reqwest::Error> {
    kit::install_crypto();
    // A proxy in the environment doesn't reach this machine.
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(3)).build()?;
    let address = readiness(ops);
    let asked = async {
        let answer = client.get(&address).send().await?;
        let is_ready = answer.status().is_success();
        Ok(Answer { is_ready, text: answer.text().await? })
    };
    let asked: Result<Answer, reqwest::Error> = asked.await;
    Ok(asked.unwrap_or_else(|_| Answer { is_ready: false, text: format!("{address} does not answer") }))
}

/// Returns the address of the readiness check. A port that listens on every address is called on loopback.
fn readiness(ops: &Ops) -> String {
    let host = match ops.host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => ops.host.clone(),
    };
    format!("http://{host}:{}/readyz", ops.port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_is_asked_for_at_an_address_that_can_be_called() {
        for (host, address) in [
            ("127.0.0.1", "127.0.0.1"),
            ("0.0.0.0", "127.0.0.1"),
            ("::", "[::1]"),
            ("::1", "[::1]"),
            ("fd00::7", "[fd00::7]"),
            ("localhost", "localhost"),
        ] {
            let ops = Ops { host: host.to_owned(), port: 8082, stop_delay_seconds: 0 };
            assert_eq!(readiness(&ops), format!("http://{address}:8082/readyz"), "{host}");
        }
    }
}
