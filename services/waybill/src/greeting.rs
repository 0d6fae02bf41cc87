//! What a process says once it runs.

use kit::config::{Config, Target};
use kit::telemetry;
use secrecy::ExposeSecret;

use crate::compose::Node;
use crate::output::say;

/// Logs that the process is ready, and prints its address and the first steps.
pub fn greet(config: &Config, target: Target, node: &Node) {
    let (instance, address) = (telemetry::instance(), node.http.or(node.grpc));
    tracing::info!(target = target.as_str(), %instance, ?address, "ready");
    let lines = greeting(config, target, node);
    // Print from a separate thread, which may block forever if nobody reads the output.
    let warn = |error: std::io::Error| tracing::warn!("the address could not be printed: {error:#}");
    let said = move || lines.iter().try_for_each(|line| say(line)).unwrap_or_else(warn);
    if let Err(error) = std::thread::Builder::new().spawn(said) {
        warn(error);
    }
}

fn greeting(config: &Config, target: Target, node: &Node) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(address) = node.http else {
        if let Some(token) = &node.setup_token {
            let token = token.expose_secret();
            lines.push(format!("No account exists yet. The setup token for /auth/create-admin is {token}"));
        }
        return lines;
    };
    let base = if config.http.public_url.is_empty() {
        format!("http://{address}")
    } else {
        config.http.public_url.trim_end_matches('/').to_owned()
    };
    if !node.admin_needed {
        lines.push(format!("Waybill is ready: {base}"));
    } else {
        let link = match &node.setup_token {
            Some(token) => format!("{base}/auth/create-admin?setupToken={}", token.expose_secret()),
            None => format!("{base}/auth/create-admin"),
        };
        lines.push(format!("Waybill is ready. Create the first account here:\n  {link}"));
        if target == Target::All {
            let text = "Afterwards, `waybill seed` fills it with demo data, or import a file of your own.";
            lines.push(text.to_owned());
        }
    }
    if let Some(address) = node.ingest {
        lines.push(format!("Phones send their positions to http://{address}{}", config.ingest.path));
    }
    if cfg!(debug_assertions) {
        let text = "This is a build for development and slower in all it does; `run --release` makes the one to install.";
        lines.push(text.to_owned());
    }
    lines
}
