//! A broker for one test, which can kill it or delete its store.

use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kit::testing::free_port;

pub struct Broker {
    port: u16,
    dir: tempfile::TempDir,
    child: Child,
}

impl Broker {
    /// Starts a broker and waits until it accepts connections: a product that started before that would exit.
    pub fn start() -> Self {
        let (port, dir) = (free_port(), tempfile::tempdir().unwrap());
        let child = run(port, dir.path());
        let due = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(Instant::now() < due, "nats-server accepts no connection");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { port, dir, child }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills the broker, and restarts it with its store.
    pub fn restart(&mut self) {
        self.kill();
        self.child = run(self.port, self.dir.path());
    }

    /// Kills the broker, and restarts it with an empty store.
    pub fn wipe(&mut self) {
        self.kill();
        self.dir = tempfile::tempdir().unwrap();
        self.child = run(self.port, self.dir.path());
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

fn run(port: u16, store: &Path) -> Child {
    let program = std::env::var("WAYBILL_TEST_NATS_SERVER").unwrap_or_else(|_| "nats-server".to_owned());
    let mut command = Command::new(program);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(store);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("nats-server starts")
}
