//! A `waybill` process on free ports.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::http::{Connection, once};
use crate::{Plan, Result};

const USERNAME: &str = "bench";
const PASSWORD: &str = "correct horse battery staple";
const PATIENCE: Duration = Duration::from_secs(60);
/// Time limit for the work that a first start begins, such as the figures of ten million deliveries.
const SETTLED: Duration = Duration::from_secs(3_600);

pub struct Server {
    pub address: String,
    /// The address for devices' positions.
    pub ingest: String,
    /// From the start of the process until it was ready.
    pub started: Duration,
    child: Child,
}

/// The memory of a process, in megabytes.
pub struct Resident {
    pub now: f64,
    pub peak: f64,
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Builds the command with the settings of a run.
pub fn command(plan: &Plan, folder: &Path, database: Option<&str>) -> Command {
    let mut command = Command::new(&plan.waybill);
    command.arg("--data").arg(folder).stdin(Stdio::null());
    if let Some(url) = database {
        command.env("WAYBILL__DATABASE__URL", url);
    }
    command
}

/// Returns the string or number of the first member with this name.
pub fn member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    members(json, name).next()
}

/// Returns the strings or numbers of all members with this name. `json` must be compact, and its strings
/// without escapes.
pub fn members<'a>(json: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!("\"{name}\":");
    let starts: Vec<usize> = json.match_indices(&start).map(|(at, found)| at + found.len()).collect();
    starts.into_iter().filter_map(|at| match json[at..].strip_prefix('"') {
        Some(text) => text.split('"').next(),
        None => json[at..].split([',', '}', ']']).next(),
    })
}

impl Server {
    pub fn start(plan: &Plan, folder: &Path, database: Option<&str>) -> Result<Self> {
        let (port, ops, ingest) = (free_port()?, free_port()?, free_port()?);
        let address = format!("127.0.0.1:{port}");
        let log = std::fs::File::create(folder.join("log"))?;
        let mut command = command(plan, folder, database);
        command.args(["--listen", &address]).env("WAYBILL__OPS__PORT", ops.to_string());
        command.env("WAYBILL__INGEST__PORT", ingest.to_string());
        command.stdout(log.try_clone()?).stderr(log);
        let begun = Instant::now();
        let ingest = format!("127.0.0.1:{ingest}");
        let mut this = Self { child: command.spawn()?, started: Duration::ZERO, address, ingest };
        let ops = format!("127.0.0.1:{ops}");
        while !once(&ops, "GET", "/readyz", "", "").is_ok_and(|it| it.status == 200) {
            if this.child.try_wait()?.is_some() || begun.elapsed() > PATIENCE {
                let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
                return Err(format!("waybill did not become ready:\n{log}").into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        this.started = begun.elapsed();
        Ok(this)
    }

    /// Returns the process's memory, where the system reports it.
    pub fn resident(&self) -> Option<Resident> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let of = |key: &str| -> Option<f64> {
            let line = status.lines().find(|line| line.starts_with(key))?;
            Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1_024.0)
        };
        Some(Resident { now: of("VmRSS:")?, peak: of("VmHWM:")? })
    }

    /// Returns the processor time so far in seconds, where the system reports it.
    pub fn busy(&self) -> f64 {
        let of = || -> Option<f64> {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
            let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
            let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
            Some(ticks / 100.0)
        };
        of().unwrap_or(f64::NAN)
    }

    /// Waits until the process has nothing to do: it used less than a twentieth of a processor for five seconds.
    pub fn settle(&self) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < SETTLED {
            let before = self.busy();
            std::thread::sleep(Duration::from_secs(5));
            if self.busy() - before < 0.25 {
                return Ok(());
            }
        }
        Err("the process never had nothing to do".into())
    }

    pub fn stop(mut self) -> Result<()> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        self.child.wait()?;
        Ok(())
    }

    /// Creates the first account.
    pub fn create_admin(&self) -> Result<()> {
        let query = format!(
            "mutation {{ createAdmin(input: {{ username: \\\"{USERNAME}\\\", email: \\\"bench@example.com\\\", \
             password: \\\"{PASSWORD}\\\" }}) {{ username }} }}"
        );
        self.graphql("", &query)?;
        Ok(())
    }

    /// Signs in; the token expires after a few minutes.
    pub fn token(&self) -> Result<String> {
        let mut connection = Connection::open(&self.address)?;
        let ask = format!("{{\"method\":\"login\",\"username\":\"{USERNAME}\",\"password\":\"{PASSWORD}\"}}");
        let request = connection.request("POST", "/auth", "", &ask);
        let answer = connection.send(&request)?;
        let cookies =
            answer.headers.iter().filter(|line| line.to_ascii_lowercase().starts_with("set-cookie:"));
        let mut values = cookies.filter_map(|line| line.split_once(':')?.1.trim().split(';').next());
        let cookie = values.rfind(|it| it.starts_with("session")).unwrap_or_default().to_owned();
        answer.good()?;
        let headers = format!("cookie: {cookie}\r\n");
        let request = connection.request("GET", "/auth?method=getToken", &headers, "");
        connection.send(&request)?.good()
    }

    /// Sends a GraphQL query, already escaped for JSON.
    pub fn graphql(&self, token: &str, query: &str) -> Result<String> {
        self.post_graphql(token, &format!("{{\"query\":\"{query}\"}}"))
    }

    pub fn post_graphql(&self, token: &str, body: &str) -> Result<String> {
        self.post("/graphql", token, body)
    }

    pub fn post(&self, path: &str, token: &str, body: &str) -> Result<String> {
        let bearer =
            if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
        let headers = format!("content-type: application/json\r\n{bearer}");
        once(&self.address, "POST", path, &headers, body)?.good()
    }
}

/// Ends the process, so that a failed run leaves none behind.
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
