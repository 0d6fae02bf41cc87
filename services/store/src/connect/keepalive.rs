//! Makes the kernel end connections to Postgres whose other end has vanished without closing them. sqlx 0.9
//! sets none of these options; without them, a statement waits about 15 minutes for a machine that is gone,
//! and for good if that machine had already acknowledged the statement.
//!
//! The options would harm other connections, such as those of drivers on slow mobile networks, so only
//! connections to the port of the database get them.
//!
//! The server gets the same options for its end. Otherwise it keeps the session of a machine that vanished for about
//! two hours, with the locks of its transaction and its place among the connections.

use std::os::fd::RawFd;

use nix::sys::socket::sockopt::KeepAlive;
use nix::sys::socket::{SockaddrStorage, getpeername, setsockopt};
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{self, Executor, PgConnection};

use super::no_delay;

/// The options of [`keep_alive`] for the server's end, which Postgres ignores on a Unix socket. Statements, because a
/// pooler may refuse startup parameters that it does not know.
const ON_SERVER: &str = "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; \
    SET tcp_user_timeout = 10000";

/// Returns the port of a server. An invalid address fails when connecting; no connection has port 0.
pub fn port_of(url: &str) -> u16 {
    url.parse::<PgConnectOptions>().map_or(0, |it| it.get_port())
}

/// Sets the options at both ends of a new connection to this port.
pub async fn set_at_both_ends(port: u16, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    set(port);
    connection.execute(ON_SERVER).await.map(|_| ())
}

/// Sets the options on every open TCP connection to this port.
fn set(port: u16) {
    no_delay::each_open_file(|number| {
        if peer_port(number) == Some(port) {
            keep_alive(number);
        }
    });
}

pub(super) fn peer_port(number: RawFd) -> Option<u16> {
    let peer: SockaddrStorage = getpeername(number).ok()?;
    match (peer.as_sockaddr_in(), peer.as_sockaddr_in6()) {
        (Some(v4), _) => Some(v4.port()),
        (_, Some(v6)) => Some(v6.port()),
        (None, None) => None,
    }
}

/// On Linux, a connection ends about 10 s after its other end stopped acknowledging; elsewhere after the
/// system's own times.
fn keep_alive(number: RawFd) {
    let _ = setsockopt(number, KeepAlive, &true);
    #[cfg(target_os = "linux")]
    {
        use nix::sys::socket::sockopt::{TcpKeepCount, TcpKeepIdle, TcpKeepInterval, TcpUserTimeout};

        // Seconds without traffic before the first probe, seconds between probes, number of probes.
        let _ = setsockopt(number, TcpKeepIdle, &5);
        let _ = setsockopt(number, TcpKeepInterval, &2);
        let _ = setsockopt(number, TcpKeepCount, &3);
        // Keepalive does not probe while sent data waits for its acknowledgement. This limits that wait, in
        // milliseconds.
        let _ = setsockopt(number, TcpUserTimeout, &10_000);
    }
}

#[cfg(all(test, target_os = "linux"))]
pub(super) mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    use nix::sys::socket::getsockopt;
    use nix::sys::socket::sockopt::{TcpKeepCount, TcpKeepIdle, TcpKeepInterval, TcpUserTimeout};

    use super::*;

    /// Returns idle time, interval, number of probes and user timeout of a connection with keepalive.
    pub fn options(number: RawFd) -> nix::Result<Option<[u32; 4]>> {
        if !getsockopt(number, KeepAlive)? {
            return Ok(None);
        }
        Ok(Some([
            getsockopt(number, TcpKeepIdle)?,
            getsockopt(number, TcpKeepInterval)?,
            getsockopt(number, TcpKeepCount)?,
            getsockopt(number, TcpUserTimeout)?,
        ]))
    }

    #[test]
    fn only_connections_to_the_port_get_the_options() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            // Not every machine has IPv6.
            let (Ok(database), Ok(other)) = (TcpListener::bind(host), TcpListener::bind(host)) else {
                continue;
            };
            let link = TcpStream::connect(database.local_addr().unwrap()).unwrap();
            let elsewhere = TcpStream::connect(other.local_addr().unwrap()).unwrap();
            set(database.local_addr().unwrap().port());
            assert_eq!(options(link.as_raw_fd()), Ok(Some([5, 2, 3, 10_000])), "{host}");
            assert_eq!(options(elsewhere.as_raw_fd()), Ok(None), "{host}");
            assert_eq!(options(database.as_raw_fd()), Ok(None), "{host}");
        }
    }
}
