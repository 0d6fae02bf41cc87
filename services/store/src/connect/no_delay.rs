//! Sets `TCP_NODELAY` on connections to Postgres, which sqlx 0.9.0 does not set: without the option, a
//! statement sent in several packets waits 40 ms for the server's delayed acknowledgement
//! (<https://github.com/transact-rs/sqlx/issues/4335>). Delete this file with the first sqlx that sets the
//! option.
//!
//! sqlx gives no access to its sockets, so this goes through the process's open files. Other sockets get the
//! option too, which suits all of them.

use std::fs;
use std::os::fd::RawFd;
use std::time::Duration;

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpNoDelay;

/// The process's open files, as every Unix lists them.
const OPEN_FILES: &str = "/dev/fd";
/// Pause before the second look: a connection to a host name opens its socket only after the name is
/// resolved.
const AGAIN: Duration = Duration::from_millis(2);

/// Connects to a database and sets the option as soon as the socket exists, because the login takes several
/// packets, too.
pub async fn connecting<T>(connect: impl Future<Output = T>) -> T {
    let until_it_is = async {
        loop {
            set();
            tokio::time::sleep(AGAIN).await;
        }
    };
    // Look once right away: the socket usually exists already.
    tokio::select! {
        biased;
        connected = connect => connected,
        never = until_it_is => never,
    }
}

/// Sets the option on every TCP connection that is open now.
pub fn set() {
    each_open_file(no_delay);
}

/// Calls `visit` with the descriptor of each file and socket that the process has open.
pub(super) fn each_open_file(visit: impl FnMut(RawFd)) {
    match fs::read_dir(OPEN_FILES) {
        Ok(files) => {
            let numbers = files.filter_map(|file| file.ok()?.file_name().to_str()?.parse::<RawFd>().ok());
            numbers.for_each(visit);
        }
        Err(error) => tracing::debug!("{OPEN_FILES}: {error}; sockets keep their default options"),
    }
}

/// Sets the option on a file descriptor. The call fails on a number that is not an open TCP socket; if the
/// number now belongs to another socket, that socket may have the option, too.
///
/// Works on the descriptor itself, not on a duplicate: when a process closes any descriptor of a SQLite file,
/// it loses all its locks on that file.
fn no_delay(number: RawFd) {
    let _ = setsockopt(number, TcpNoDelay, &true);
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[tokio::test]
    async fn it_is_set_before_the_first_word() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let is_set = connecting(async {
            let stream = tokio::net::TcpStream::connect(address).await.unwrap();
            tokio::time::sleep(10 * AGAIN).await;
            stream.nodelay().unwrap()
        });
        assert!(is_set.await);
    }

    #[test]
    fn what_is_open_does_not_wait() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(!stream.nodelay().unwrap());
        set();
        assert!(stream.nodelay().unwrap());
        // Closed descriptors and files that are no sockets are skipped.
        no_delay(1_000_000);
        no_delay(0);
    }
}
