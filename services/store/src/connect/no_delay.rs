//! `TCP_NODELAY` on the connections to Postgres, which sqlx 0.9.0 leaves off: a statement of more than one
//! piece then waits 40 ms for an acknowledgement that the server holds back
//! (<https://github.com/transact-rs/sqlx/issues/4335>). To be deleted with the first release that sets it.
//!
//! sqlx hands out neither its socket nor a way to make one, so the process looks through its own open files.
//! What else is found is set too: nothing here wants to wait before it sends.

use std::ffi::c_int;
use std::fs;
use std::os::fd::RawFd;
use std::time::Duration;

/// Of this process, as every Unix shows it.
const OPEN_FILES: &str = "/dev/fd";
/// Where the server has a name, its socket comes a little later.
const AGAIN: Duration = Duration::from_millis(2);
const SIZE: libc::socklen_t = size_of::<c_int>() as libc::socklen_t;

/// Connects to a database, with the option set as soon as there is a socket: signing in takes several
/// pieces too.
pub async fn connecting<T>(connect: impl Future<Output = T>) -> T {
    let until_it_is = async {
        loop {
            set();
            tokio::time::sleep(AGAIN).await;
        }
    };
    // The first look comes right after the socket was made.
    tokio::select! {
        biased;
        connected = connect => connected,
        never = until_it_is => never,
    }
}

/// Sets the option on every TCP connection that is open now.
pub fn set() {
    match fs::read_dir(OPEN_FILES) {
        Ok(files) => {
            let numbers = files.filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok());
            numbers.for_each(no_delay);
        }
        Err(error) => tracing::debug!("{OPEN_FILES}: {error}; large statements wait longer"),
    }
}

/// Not by a copy of the descriptor, which looks safer: a process that closes any descriptor of a file of
/// SQLite loses all its locks on it.
fn no_delay(number: RawFd) {
    let yes: c_int = 1;
    // SAFETY: four bytes are read from a live integer. A number that is no TCP socket, or not open any
    // more, is refused; one that was given to another socket meanwhile is as welcome to the option.
    #[expect(unsafe_code, reason = "the standard library sets options only on what it owns")]
    unsafe {
        libc::setsockopt(number, libc::IPPROTO_TCP, libc::TCP_NODELAY, (&raw const yes).cast(), SIZE);
    }
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
        // What has been closed meanwhile, or is no socket, is passed over.
        no_delay(1_000_000);
        no_delay(0);
    }
}
