//! The program as a separate process.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use kit::testing::free_port;

use crate::browser::{Browser, PASSWORD};
use crate::running::{binary, is_ready, until};

/// A running program, which is killed when dropped.
pub struct Program {
    pub child: Child,
    pub base: String,
}

/// The ports of one program.
pub struct Ports {
    pub http: u16,
    pub ops: u16,
    pub ingest: u16,
}

impl Ports {
    pub fn free() -> Self {
        Self { http: free_port(), ops: free_port(), ingest: free_port() }
    }

    /// Returns the command that runs the program at these ports. The program handles a file size limit as a
    /// full disk, because the signal that would kill it is ignored.
    pub fn command(&self, data: &Path) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
            .arg(binary())
            .args(["--data", data.to_str().unwrap(), "--listen", &format!("127.0.0.1:{}", self.http)])
            .env("WAYBILL__OPS__PORT", self.ops.to_string())
            .env("WAYBILL__INGEST__PORT", self.ingest.to_string());
        command
    }
}

impl Program {
    /// Starts the program quietly, and waits until it is ready.
    pub async fn start(data: &Path) -> Self {
        let ports = Ports::free();
        Self::start_quietly(&ports, ports.command(data)).await
    }

    pub async fn start_quietly(ports: &Ports, mut command: Command) -> Self {
        command.env("WAYBILL__TELEMETRY__LOG", "warn").stdout(Stdio::null());
        Self::spawn(ports, command).await
    }

    pub async fn spawn(ports: &Ports, mut command: Command) -> Self {
        let child = command.spawn().unwrap();
        kit::install_crypto();
        let this = Self { child, base: format!("http://127.0.0.1:{}", ports.http) };
        until("the program is ready", || is_ready(ports.ops)).await;
        this
    }

    /// Creates the first account. Returns a browser in which it is signed in.
    pub async fn admin(&self) -> Browser {
        let mut browser = Browser::new(&self.base);
        browser.create_admin("admin", PASSWORD).await;
        browser.sign_in("admin", PASSWORD).await;
        browser
    }

    /// Kills the program without a graceful stop.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command that must exit by itself with an error. Returns its standard error output.
pub fn refused(mut command: Command) -> String {
    let Output { status, stderr, .. } = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(stderr).unwrap();
    assert!(!status.success(), "{text}");
    text
}

/// Returns a command with a limit on the size of each file that it writes, in blocks of 512 bytes. For the program that
/// is a full disk. The limit is a soft one, so that a test can lift it.
pub fn limited(command: &Command, blocks: u32) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -S -f {blocks}; exec \"$0\" \"$@\"")]);
    through(shell, command)
}

/// Returns a command by which another one runs, with its environment: the other one becomes the last arguments.
pub fn through(mut outer: Command, inner: &Command) -> Command {
    outer.arg(inner.get_program()).args(inner.get_args());
    outer.envs(inner.get_envs().filter_map(|(key, value)| Some((key, value?))));
    outer
}

/// Returns a command of strace that writes to this file, to which the caller adds what to trace and the program. `None` if
/// strace is missing or may not trace; fails instead if scripts/test-rust.sh found that it works. The child is the program
/// itself, so killing the child kills the program.
pub fn strace(output: &Path) -> Option<Command> {
    let writing_to = |output: &Path| {
        let mut strace = Command::new("strace");
        // Traces beside the program (-D), all its threads (-f), and stops it at traced calls alone.
        strace.args(["-D", "-f", "-q", "--seccomp-bpf", "-o"]).arg(output);
        strace
    };
    let traced = writing_to(Path::new("/dev/null")).arg("true").stderr(Stdio::null()).status();
    if traced.is_ok_and(|status| status.success()) {
        return Some(writing_to(output));
    }
    assert!(std::env::var_os("WAYBILL_STRACE").is_none(), "strace does not trace");
    eprintln!("strace is missing or may not trace: nothing was tested");
    None
}
