//! Opens the sockets that a process listens on.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket, lookup_host};

use crate::{Error, Result};

/// Maximum number of connections that wait to be accepted; Linux also limits it to `net.core.somaxconn`. When
/// more arrive in one burst, the system drops those that follow, and their clients try again only after a
/// second.
const BACKLOG: u32 = 4096;

/// Binds the address from a section of the configuration; the error names the address and the keys to
/// change.
pub async fn bind(section: &str, host: &str, port: u16) -> Result<TcpListener> {
    let refused = |error: io::Error| {
        let flag = if section == "http" { "--listen, or " } else { "" };
        let variable = section.to_uppercase();
        Error::unavailable(
            "ADDRESS_IN_USE",
            format!(
                "cannot listen on {host}:{port}: {error}. Another program may be using this address, or another \
                 Waybill. To change it, set {flag}{section}.host and {section}.port (WAYBILL__{variable}__HOST, \
                 WAYBILL__{variable}__PORT)."
            ),
        )
    };
    listen(host, port).await.map_err(refused)
}

/// Listens on the first address of the host that can be bound.
async fn listen(host: &str, port: u16) -> io::Result<TcpListener> {
    let mut failure = io::Error::other("the host has no address");
    for address in lookup_host((host, port)).await? {
        match listen_on(address) {
            Ok(listener) => return Ok(listener),
            // For example an IPv6 address of localhost on a machine without IPv6.
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Without this, a restarted program could not bind while the system remembers its old connections.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    /// The server accepts none of the connections, as if it were busy.
    #[tokio::test]
    async fn a_burst_of_connections_waits_to_be_accepted() {
        crate::connections::raise_descriptors();
        let listener = bind("http", "127.0.0.1", 0).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut waiting = Vec::new();
        let somaxconn = std::fs::read_to_string("/proc/sys/net/core/somaxconn").ok();
        let allowed = somaxconn.and_then(|text| text.trim().parse().ok()).unwrap_or(usize::MAX);
        for number in 0..allowed.min(2_000) {
            let connect = TcpSocket::new_v4().unwrap().connect(address);
            let connected = timeout(Duration::from_millis(900), connect).await;
            waiting.push(connected.unwrap_or_else(|_| panic!("connection {number} was dropped")).unwrap());
        }
    }

    #[tokio::test]
    async fn an_address_in_use_is_named_with_the_keys_to_change() {
        let listener = bind("grpc", "127.0.0.1", 0).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let error = bind("grpc", "127.0.0.1", port).await.unwrap_err().to_string();
        for part in [&format!("127.0.0.1:{port}"), "WAYBILL__GRPC__PORT"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
