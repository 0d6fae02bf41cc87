//! Validates a configuration and reports all problems at once.

use std::ops::RangeInclusive;

use secrecy::ExposeSecret;
use tracing_subscriber::EnvFilter;

use super::{AUTO, Config, Target};

/// Collects problems, one per line.
#[derive(Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    pub(super) fn want(&mut self, good: bool, text: impl Into<String>) {
        if !good {
            self.0.push(text.into());
        }
    }

    pub(super) fn range(&mut self, key: &str, value: impl TryInto<u64>, range: RangeInclusive<u64>) {
        let good = value.try_into().is_ok_and(|value| range.contains(&value));
        self.want(good, format!("{key}: {} to {}", range.start(), range.end()));
    }
}

impl Config {
    /// Returns the problems for a process that runs `target`.
    pub(super) fn check(&self, target: Target) -> Vec<String> {
        let mut problems = Problems::default();
        problems.want(!self.data.as_os_str().is_empty(), "data: must not be empty");
        self.check_sockets(&mut problems);
        self.grpc.check(&mut problems);
        self.check_organization(&mut problems);
        self.auth.check(&mut problems);
        self.mail.check(&self.http.public_url, &mut problems);
        self.deliveries.check(&mut problems);
        self.imports.check(&mut problems);
        self.drivers.check(&mut problems);
        self.database.check(&mut problems);
        self.bus.check(&mut problems);
        self.cache.check(&mut problems);
        self.blob.check(&mut problems);
        let limits =
            self.graphql.max_depth > 0 && self.graphql.max_complexity > 0 && self.graphql.max_body_bytes > 0;
        problems.want(limits, "graphql: limits must be positive");
        let log = EnvFilter::try_new(&self.telemetry.log);
        problems.want(log.is_ok(), "telemetry.log: must be a filter such as info or info,sqlx=warn");
        if target != Target::All {
            self.check_alone(target, &mut problems);
        }
        let sections = [self.http.check(), self.geocoding.check(), self.ingest.check(), self.map.check()];
        problems.0.extend(sections.concat());
        problems.0
    }

    fn check_sockets(&self, problems: &mut Problems) {
        for (section, host, port) in [
            ("http", &self.http.host, self.http.port),
            ("grpc", &self.grpc.host, self.grpc.port),
            ("ops", &self.ops.host, self.ops.port),
        ] {
            problems.want(!host.is_empty(), format!("{section}.host: must not be empty"));
            problems.want(port > 0, format!("{section}.port: a port is 1 to 65535"));
        }
        problems.range("ops.stop_delay_seconds", self.ops.stop_delay_seconds, 0..=60);
        for (key, url) in [
            ("http.public_url", &self.http.public_url),
            ("blob.endpoint", &self.blob.endpoint),
            ("blob.public_endpoint", &self.blob.public_endpoint),
            ("telemetry.otlp_endpoint", &self.telemetry.otlp_endpoint),
        ] {
            let good = url.is_empty() || is_http(url);
            problems.want(good, format!("{key}: must begin with http:// or https://"));
        }
        for origin in &self.http.allowed_origins {
            problems.want(
                is_http(origin) && !origin.ends_with('/') && origin != "*",
                "http.allowed_origins: exact origins such as https://app.example.com",
            );
        }
    }

    fn check_organization(&self, problems: &mut Problems) {
        problems.want(
            self.organization.timezone.parse::<chrono_tz::Tz>().is_ok(),
            "organization.timezone: not a zone of the tz database, e.g. Asia/Manila",
        );
        let named = !self.organization.name.trim().is_empty();
        problems.want(named, "organization.name: must not be empty");
    }

    /// Checks the settings that a target needs when no other service runs in its process.
    fn check_alone(&self, target: Target, problems: &mut Problems) {
        let alone = format!("for target {}", target.as_str());
        self.grpc.check_peers(&self.peers, problems);
        problems.want(
            self.auth.service_secret.first() != AUTO,
            format!("auth.service_secret: must be given {alone}, the same for every service"),
        );
        if target == Target::Gateway {
            problems
                .want(self.cache.redis().is_some(), format!("cache.url: must be a redis:// address {alone}"));
        } else {
            let database = self.database.url.expose_secret();
            problems.want(database != AUTO, format!("database.url: must be given {alone}"));
            problems.want(self.bus.nats().is_some(), format!("bus.url: must be a nats:// address {alone}"));
        }
        if target == Target::Gateway || target.keeps_objects() {
            problems.want(self.blob.is_shared(), format!("blob.kind: must be s3 {alone}"));
        }
    }
}

fn is_http(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}
