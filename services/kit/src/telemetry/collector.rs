//! Exporters to an OpenTelemetry collector, over TLS if its address begins with `https://`.

use std::time::Duration;

use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig, WithTonicConfig};
use tonic::transport::{Channel, Endpoint};

use crate::{Error, Result, tls};

/// Time limit of one export, the default of the library.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn spans(address: &str) -> Result<SpanExporter> {
    let builder = SpanExporter::builder().with_tonic().with_endpoint(address).with_timeout(TIMEOUT);
    let builder = match encrypted(address)? {
        Some(channel) => builder.with_channel(channel),
        None => builder,
    };
    builder.build().map_err(Error::internal)
}

pub(super) fn metrics(address: &str) -> Result<MetricExporter> {
    let builder = MetricExporter::builder().with_tonic().with_endpoint(address).with_timeout(TIMEOUT);
    let builder = match encrypted(address)? {
        Some(channel) => builder.with_channel(channel),
        None => builder,
    };
    builder.build().map_err(Error::internal)
}

/// Returns a channel for an address with TLS; for others the library makes its own.
fn encrypted(address: &str) -> Result<Option<Channel>> {
    if !address.starts_with("https://") {
        return Ok(None);
    }
    let endpoint = Endpoint::from_shared(address.to_owned()).map_err(Error::internal)?.timeout(TIMEOUT);
    tls::public_channel(&endpoint).map(Some)
}
