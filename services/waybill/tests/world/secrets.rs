//! No secret of a scenario is ever logged. Browsers note the passwords, sessions and tokens that they send and get; when
//! a world stops, none of them may be in a line of its log or in a field of a span.

use std::collections::BTreeSet;
use std::io::{Result, Write};
use std::sync::{LazyLock, Mutex};

use kit::telemetry::Guard;
use serde_json::Value;

/// The log of the process, and the secrets that its scenario uses.
static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static SECRETS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
static LOG: LazyLock<Guard> = LazyLock::new(|| kit::telemetry::init_for_test(|| Lines));

/// Shorter texts, such as a PIN, may be in a line by chance.
const SHORTEST: usize = 10;
/// Parts of the names of fields that contain secrets.
const NAMES: [&str; 5] = ["password", "secret", "token", "apikey", "devicekey"];

struct Lines;

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        LINES.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Keeps the log of this process from now on.
pub fn listen() {
    LazyLock::force(&LOG);
}

pub fn note(secret: &str) {
    if secret.len() >= SHORTEST {
        SECRETS.lock().unwrap().insert(secret.to_owned());
    }
}

/// Notes the texts of a request or a response whose names say that they are secret.
pub fn note_in(message: &Value) {
    match message {
        Value::Array(all) => all.iter().for_each(note_in),
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.to_lowercase();
                match value {
                    Value::String(text) if NAMES.iter().any(|part| name.contains(part)) => note(text),
                    other => note_in(other),
                }
            }
        }
        _ => {}
    }
}

/// Returns the first line of this process's log that contains a secret.
fn leak() -> Option<String> {
    leak_in(&own_log())
}

fn own_log() -> String {
    String::from_utf8_lossy(&LINES.lock().unwrap()).into_owned()
}

fn leak_in(log: &str) -> Option<String> {
    let secrets = SECRETS.lock().unwrap();
    secrets
        .iter()
        .find_map(|secret| log.lines().find(|line| line.contains(secret.as_str())).map(str::to_owned))
}

/// # Panics
///
/// Panics when this process logged a secret.
pub fn none_was_logged() {
    none_in(&own_log());
}

/// # Panics
///
/// Panics when a log contains a secret.
pub fn none_in(log: &str) {
    if let Some(line) = leak_in(log) {
        panic!("a secret is in the log: {line}");
    }
}

#[test]
fn a_secret_in_a_line_or_a_span_is_found() {
    listen();
    note_in(&serde_json::json!({ "input": { "newPassword": "canary-over-the-bridge" } }));
    note("canary-under-the-bridge");
    tracing::info!(name = "admin", "signed in");
    assert_eq!(leak(), None);
    tracing::info_span!("request", cookie = "canary-under-the-bridge").in_scope(|| {});
    assert!(leak().unwrap().contains("under"));
    LINES.lock().unwrap().clear();
    tracing::warn!(input = "canary-over-the-bridge", "refused");
    assert!(leak().unwrap().contains("over"));
}
