use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::sync::Mutex;

/// Below the system's ephemeral ports (32768 and up on Linux), so that no outgoing connection takes a port
/// between the moment it is found and the moment a program listens on it.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// A locked file for each port given to this process, held as long as the process lives.
static GIVEN: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// Returns a loopback port for a program that a test starts. Nobody listens on it, and no other test on
/// this machine gets it while this process lives.
///
/// # Panics
///
/// Panics when every port of the range is taken, or no temporary file can be created.
pub fn free_port() -> u16 {
    let folder = std::env::temp_dir().join("waybill-test-ports");
    std::fs::create_dir_all(&folder).ok();
    let (count, first) = (PORTS.len(), std::process::id() as usize * 97);
    for at in 0..count {
        let port = PORTS.start + u16::try_from((first + at) % count).unwrap_or_default();
        // Never remove the file: another process could create a second file of the same name and lock that
        // one.
        let options = OpenOptions::new().create(true).append(true).open(folder.join(port.to_string()));
        let Ok(file) = options else { continue };
        if file.try_lock().is_ok() && TcpListener::bind(("127.0.0.1", port)).is_ok() {
            GIVEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(file);
            return port;
        }
    }
    panic!("all {count} ports of tests are taken, or {} cannot be written", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice() {
        let mut ports: Vec<u16> = (0..50).map(|_| free_port()).collect();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 50);
    }

    #[test]
    fn a_port_in_use_is_not_given() {
        let next = free_port() + 1;
        let in_use = TcpListener::bind(("127.0.0.1", next));
        let given: Vec<u16> = (0..3).map(|_| free_port()).collect();
        assert!(in_use.is_err() || !given.contains(&next));
    }
}
