//! A `waybill` of its own, in one process, on free ports.

use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::Plan;

const USERNAME: &str = "bench";
const PASSWORD: &str = "correct horse battery staple";
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Server {
    pub address: String,
    /// From the start of the process until it was ready.
    pub started: Duration,
    child: Child,
}

/// In megabytes.
pub struct Resident {
    pub now: f64,
    pub peak: f64,
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The program with the settings of a run.
pub fn command(plan: &Plan, folder: &Path, database: Option<&str>) -> Command {
    let mut command = Command::new(&plan.waybill);
    command.arg("--data").arg(folder).stdin(Stdio::null()).kill_on_drop(true);
    if let Some(url) = database {
        command.env("WAYBILL__DATABASE__URL", url);
    }
    command
}

impl Server {
    pub async fn start(plan: &Plan, folder: &Path, database: Option<&str>) -> Result<Self> {
        let (port, ops) = (free_port()?, free_port()?);
        let address = format!("127.0.0.1:{port}");
        let log = std::fs::File::create(folder.join("log"))?;
        let mut command = command(plan, folder, database);
        command.args(["--listen", &address]).env("WAYBILL__OPS__PORT", ops.to_string());
        command.stdout(log.try_clone()?).stderr(log);
        let client = reqwest::Client::new();
        let begun = Instant::now();
        let mut child = command.spawn().context("waybill starts")?;
        loop {
            let answer = client.get(format!("http://127.0.0.1:{ops}/readyz")).send().await;
            if answer.is_ok_and(|it| it.status().is_success()) {
                break;
            }
            if child.try_wait()?.is_some() || begun.elapsed() > PATIENCE {
                let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
                bail!("waybill did not become ready:\n{log}");
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(Self { address, started: begun.elapsed(), child })
    }

    /// What the process holds, where the system says so.
    pub fn resident(&self) -> Option<Resident> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()?)).ok()?;
        let of = |key: &str| -> Option<f64> {
            let line = status.lines().find(|line| line.starts_with(key))?;
            Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1_024.0)
        };
        Some(Resident { now: of("VmRSS:")?, peak: of("VmHWM:")? })
    }

    /// Processor time so far, where the system says so.
    pub fn busy(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()?)).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 10))
    }

    pub async fn stop(mut self) -> Result<()> {
        if let Some(id) = self.child.id() {
            Command::new("kill").args(["-TERM", &id.to_string()]).status().await?;
        }
        self.child.wait().await?;
        Ok(())
    }

    /// Makes the first account.
    pub async fn create_admin(&self) -> Result<()> {
        let query = "mutation ($input: CreateAdminInput!) { createAdmin(input: $input) { username } }";
        let input = json!({ "username": USERNAME, "email": "bench@example.com", "password": PASSWORD });
        self.graphql("", query, json!({ "input": input })).await?;
        Ok(())
    }

    /// Signs in; the token lives a few minutes.
    pub async fn token(&self) -> Result<String> {
        let client = reqwest::Client::new();
        let ask = json!({ "method": "login", "username": USERNAME, "password": PASSWORD });
        let address = format!("http://{}/auth", self.address);
        let answer = client.post(&address).body(ask.to_string()).send().await?.error_for_status()?;
        let cookies = answer.headers().get_all("set-cookie").iter().filter_map(|it| it.to_str().ok());
        let cookie = cookies.filter_map(|it| it.split(';').next()).find(|it| it.starts_with("session="));
        let cookie = cookie.context("signing in gives a cookie")?.to_owned();
        let ask = client.get(format!("{address}?method=getToken")).header("cookie", cookie);
        Ok(ask.send().await?.error_for_status()?.text().await?)
    }

    pub async fn graphql(&self, token: &str, query: &str, variables: Value) -> Result<Value> {
        let body = json!({ "query": query, "variables": variables }).to_string();
        let mut ask = reqwest::Client::new()
            .post(format!("http://{}/graphql", self.address))
            .header("content-type", "application/json")
            .body(body);
        if !token.is_empty() {
            ask = ask.bearer_auth(token);
        }
        let mut answer: Value = serde_json::from_slice(&ask.send().await?.bytes().await?)?;
        if answer.get("errors").is_some() {
            bail!("{answer}");
        }
        Ok(answer["data"].take())
    }
}
