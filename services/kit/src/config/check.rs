//! What may be wrong with a configuration, told all at once.

use secrecy::ExposeSecret;

use super::{AUTO, BlobKind, Config, Target};

impl Config {
    /// What is wrong with the values, for a process that runs `target`.
    pub(super) fn check(&self, target: Target) -> Vec<String> {
        let mut problems = Vec::new();
        let mut want = |good: bool, text: &str| {
            if !good {
                problems.push(text.to_owned());
            }
        };
        want(self.http.port > 0, "http.port: a port is 1 to 65535");
        want(self.grpc.port > 0, "grpc.port: a port is 1 to 65535");
        want(self.ops.port > 0, "ops.port: a port is 1 to 65535");
        want(
            self.organization.timezone.parse::<chrono_tz::Tz>().is_ok(),
            "organization.timezone: not a zone of the tz database, e.g. Asia/Manila",
        );
        want(!self.organization.name.trim().is_empty(), "organization.name: must not be empty");
        want((1..=300).contains(&self.auth.token_seconds), "auth.token_seconds: 1 to 300");
        want(self.auth.session_idle_seconds > 0, "auth.session_idle_seconds: must be positive");
        want(
            self.auth.session_absolute_seconds >= self.auth.session_idle_seconds,
            "auth.session_absolute_seconds: must not be less than session_idle_seconds",
        );
        want((1..=64).contains(&self.auth.hash_workers), "auth.hash_workers: 1 to 64");
        want((60..=600).contains(&self.auth.reset_token_seconds), "auth.reset_token_seconds: 60 to 600");
        want(
            (600..=259_200).contains(&self.auth.reset_link_seconds),
            "auth.reset_link_seconds: 600 to 259200",
        );
        want((1..=20).contains(&self.auth.free_attempts), "auth.free_attempts: 1 to 20");
        want((1..=86_400).contains(&self.auth.max_wait_seconds), "auth.max_wait_seconds: 1 to 86400");
        want(self.auth.address_attempts > 0, "auth.address_attempts: must be positive");
        want(
            self.mail.smtp().is_none_or(|url| url.starts_with("smtp://") || url.starts_with("smtps://")),
            "mail.smtp_url: smtp://… or smtps://…",
        );
        want(
            self.mail.smtp().is_none() || !self.http.public_url.is_empty(),
            "http.public_url: must be given when mail.smtp_url is, as mails link to it",
        );
        want((1..=100).contains(&self.deliveries.max_attempts), "deliveries.max_attempts: 1 to 100");
        want((1..=100).contains(&self.deliveries.max_attachments), "deliveries.max_attachments: 1 to 100");
        want(
            (1..=104_857_600).contains(&self.deliveries.max_attachment_bytes),
            "deliveries.max_attachment_bytes: 1 to 104857600",
        );
        want((1..=64).contains(&self.imports.workers), "imports.workers: 1 to 64");
        want(
            self.imports.max_file_bytes > 0 && self.imports.max_rows > 0 && self.imports.max_columns > 0,
            "imports: limits must be positive",
        );
        want(
            self.http.timeout_seconds > 0 && self.grpc.timeout_seconds > 0,
            "timeout_seconds: must be positive",
        );
        want(self.http.max_in_flight > 0, "http.max_in_flight: must be positive");
        want(self.database.max_connections > 0, "database.max_connections: must be positive");
        want(
            self.graphql.max_depth > 0 && self.graphql.max_complexity > 0 && self.graphql.max_body_bytes > 0,
            "graphql: limits must be positive",
        );
        let namespace = &self.bus.namespace;
        want(
            !namespace.is_empty()
                && namespace.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
            "bus.namespace: lower-case letters, digits and _ only",
        );
        for (key, url) in [
            ("http.public_url", &self.http.public_url),
            ("blob.endpoint", &self.blob.endpoint),
            ("blob.public_endpoint", &self.blob.public_endpoint),
            ("telemetry.otlp_endpoint", &self.telemetry.otlp_endpoint),
        ] {
            want(url.is_empty() || is_http(url), &format!("{key}: must begin with http:// or https://"));
        }
        for origin in &self.http.allowed_origins {
            want(
                is_http(origin) && !origin.ends_with('/') && origin != "*",
                "http.allowed_origins: exact origins such as https://app.example.com",
            );
        }
        let database = self.database.url.expose_secret();
        want(
            [AUTO, ""].contains(&database)
                || database.starts_with("postgres://")
                || database.starts_with("postgresql://")
                || database.starts_with("sqlite://"),
            "database.url: auto, postgres://… or sqlite://…",
        );
        want(
            self.bus.nats().is_none_or(|url| url.starts_with("nats://") || url.starts_with("tls://")),
            "bus.url: auto or nats://…",
        );
        want(
            self.cache.redis().is_none_or(|url| url.starts_with("redis://") || url.starts_with("rediss://")),
            "cache.url: auto or redis://…",
        );
        let sections = [self.geocoding.check(), self.drivers.check(), self.ingest.check(), self.map.check()];
        for problem in sections.concat() {
            want(false, &problem);
        }
        if self.blob.kind == BlobKind::S3 {
            want(
                !self.blob.endpoint.is_empty() && !self.blob.bucket.is_empty(),
                "blob: s3 needs endpoint and bucket",
            );
            want(
                !self.blob.access_key.expose_secret().is_empty()
                    && !self.blob.secret_key.expose_secret().is_empty(),
                "blob: s3 needs access_key and secret_key",
            );
        }
        if target != Target::All {
            let alone = format!("for target {}", target.as_str());
            want(
                self.auth.service_secret.expose_secret() != AUTO,
                &format!("auth.service_secret: must be given {alone}, the same for every service"),
            );
            if target == Target::Gateway {
                want(
                    self.blob.kind == BlobKind::S3 || self.blob.link_key.expose_secret() != AUTO,
                    &format!("blob.kind: must be s3 {alone}"),
                );
                want(self.cache.redis().is_some(), &format!("cache.url: must be a redis:// address {alone}"));
            } else {
                want(database != AUTO, &format!("database.url: must be given {alone}"));
                want(self.bus.nats().is_some(), &format!("bus.url: must be a nats:// address {alone}"));
            }
            if matches!(target, Target::Upload | Target::Deliveries | Target::Settings) {
                want(
                    self.blob.kind == BlobKind::S3 || self.blob.link_key.expose_secret() != AUTO,
                    &format!("blob.kind: must be s3 {alone}"),
                );
            }
        }
        let secret = self.auth.service_secret.expose_secret();
        want(secret == AUTO || secret.len() >= 32, "auth.service_secret: at least 32 characters");
        problems
    }
}

fn is_http(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}
