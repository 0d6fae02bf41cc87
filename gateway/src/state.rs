//! State shared by all requests, derived once from the context.

use std::sync::Arc;
use std::time::Duration;

use ::http::{HeaderMap, HeaderValue, Uri};
use kit::blob::Blob;
use kit::cache::Cache;
use kit::clock::Clock;
use kit::config::{BlobKind, Config};
use kit::principal::{ServiceIdentity, Verifier};
use kit::rpc::{Client, Transport};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use tokio_util::sync::CancellationToken;

use crate::accesses::Accesses;
use crate::budgets::Budgets;
use crate::checked::Checked;
use crate::context::Context;
use crate::geocoder::Geocoder;
use crate::http::export::slots::Exports;
use crate::locations::Locations;
use crate::notices::Notices;
use crate::session::Cookies;
use crate::settings::OfficeSettings;

/// State shared by all requests.
pub(crate) struct App {
    pub auth: Transport,
    pub deliveries: Transport,
    pub drivers: Transport,
    pub settings: Transport,
    pub upload: Transport,
    pub analytics: Transport,
    pub identity: ServiceIdentity,
    pub verifier: Verifier,
    pub cache: Cache,
    /// Sessions that auth recently confirmed.
    pub checked: Checked,
    pub blob: Blob,
    pub config: Config,
    pub clock: Clock,
    pub notices: Notices,
    /// Drivers' locations, polled only while somebody watches.
    pub locations: Locations,
    /// Settings of the office.
    pub office: OfficeSettings,
    pub stop: CancellationToken,
    pub budgets: Budgets,
    pub exports: Exports,
    /// Accesses recently reported to the audit log.
    pub accesses: Accesses,
    /// The client of the geocoding provider; `None` if no provider is configured.
    pub geocoder: Option<Geocoder>,
    /// Sessions that recently ended through this process. A check that began before the session ended may
    /// still write the cache afterwards; this list overrides the cache.
    pub ended: moka::future::Cache<String, ()>,
    pub content_security: HeaderValue,
    pub origins: Vec<HeaderValue>,
    pub cookies: Cookies,
    /// Origin of `http.public_url`.
    pub public_origin: Option<String>,
}

/// How long ended sessions are remembered: longer than a cached check is valid, and longer than a check can
/// take.
const ENDED_TTL: Duration = Duration::from_secs(60);

impl App {
    pub fn new(context: Context) -> Arc<Self> {
        let office = OfficeSettings::new(&context);
        let Context { auth, deliveries, drivers, settings, upload, analytics, .. } = context;
        let Context { identity, verifier, cache, blob, config, clock, notices, stop, .. } = context;
        let origins = &config.http.allowed_origins;
        Arc::new(Self {
            accesses: Accesses::new(auth.clone()),
            auth,
            deliveries,
            locations: Locations::new(drivers.clone(), identity.clone(), stop.clone()),
            drivers,
            settings,
            upload,
            analytics,
            identity,
            verifier,
            checked: Checked::new(cache.clone(), config.auth.service_secret.first(), clock.clone()),
            cache,
            blob,
            clock,
            notices,
            office,
            stop,
            budgets: Budgets::new(&config.http),
            exports: Exports::default(),
            geocoder: geocoder(&config),
            ended: moka::future::Cache::builder().max_capacity(100_000).time_to_live(ENDED_TTL).build(),
            content_security: content_security(&config),
            origins: origins.iter().filter_map(|it| HeaderValue::try_from(it).ok()).collect(),
            cookies: Cookies::new(&config.http),
            public_origin: origin(&config.http.public_url),
            config,
        })
    }

    /// Returns auth's client for its public methods.
    pub fn auth_client(&self) -> AuthServiceClient<Client> {
        AuthServiceClient::new(self.auth.anonymous())
    }

    /// Returns whether the browser used https, as the configuration or a trusted proxy says.
    pub fn is_https(&self, headers: &HeaderMap) -> bool {
        let public = self.public_origin.as_deref().is_some_and(|it| it.starts_with("https://"));
        let hops = self.config.http.trusted_proxies;
        public
            || forwarded(headers, "x-forwarded-proto", hops)
                .is_some_and(|it| it.eq_ignore_ascii_case("https"))
    }
}

/// Creates the client of the geocoding provider. If that fails, logs the error and returns `None`; then only
/// known addresses are suggested.
fn geocoder(config: &Config) -> Option<Geocoder> {
    Geocoder::new(&config.geocoding, &config.http.public_url).unwrap_or_else(|error| {
        error.log();
        None
    })
}

/// Returns the entry that the outermost trusted proxy wrote. Each proxy appends one to `x-forwarded-for`. In
/// other headers, fewer entries than proxies mean that inner proxies passed the header on unchanged.
pub(crate) fn forwarded<'a>(headers: &'a HeaderMap, name: &str, hops: usize) -> Option<&'a str> {
    if hops == 0 {
        return None;
    }
    let entries: Vec<&str> = headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .collect();
    match name {
        // Fewer entries than proxies: a request bypassed one, so no entry is credible.
        "x-forwarded-for" => entries.len().checked_sub(hops).and_then(|at| entries.get(at)).copied(),
        _ => entries.get(entries.len().saturating_sub(hops)).copied(),
    }
}

/// Returns scheme and authority of an address.
pub(crate) fn origin(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}

fn content_security(config: &Config) -> HeaderValue {
    let objects = match config.blob.kind {
        BlobKind::S3 if config.blob.public_endpoint.is_empty() => origin(&config.blob.endpoint),
        BlobKind::S3 => origin(&config.blob.public_endpoint),
        BlobKind::Auto => None,
    };
    let objects = objects.map(|origin| format!(" {origin}")).unwrap_or_default();
    let map: String = config.map.origins().iter().map(|origin| format!(" {origin}")).collect();
    // The map's worker reads positions from blob URLs that the page creates.
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:{objects}{map}; \
         font-src 'self'; connect-src 'self' blob:{objects}{map}; worker-src 'self' blob:; \
         manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
         object-src 'none'"
    );
    // A checked configuration always gives a valid header. If not, forbid loading anything.
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_entry_of_a_trusted_proxy_counts() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", HeaderValue::from_static("6.6.6.6, 1.2.3.4"));
        headers.append("x-forwarded-for", HeaderValue::from_static("10.0.0.1"));
        let name = "x-forwarded-for";
        assert_eq!(forwarded(&headers, name, 0), None);
        assert_eq!(forwarded(&headers, name, 1), Some("10.0.0.1"));
        assert_eq!(forwarded(&headers, name, 2), Some("1.2.3.4"));
        assert_eq!(forwarded(&headers, name, 4), None);
    }
}
