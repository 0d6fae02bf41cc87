//! Opens connections for gRPC clients.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::transport::{Channel, Endpoint};
use tower::{BoxError, ServiceExt, service_fn};

use super::{H2, VERSIONS, provider};
use crate::{Error, Result};

/// Shared by the addresses of a name; the caller limits the connection as a whole.
const CONNECT: Duration = Duration::from_secs(2);

/// Opens a connection to the host of this address.
pub(crate) async fn open_plain(uri: Uri) -> std::result::Result<TokioIo<TcpStream>, BoxError> {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT));
    Ok(connector.oneshot(uri).await?)
}

/// Opens an encrypted connection. The host must show a certificate for its name.
pub(crate) async fn open_encrypted(
    uri: Uri,
    config: Arc<ClientConfig>,
) -> std::result::Result<TokioIo<TlsStream<TcpStream>>, BoxError> {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let name = ServerName::try_from(host)?;
    let socket = open_plain(uri).await?.into_inner();
    Ok(TokioIo::new(TlsConnector::from(config).connect(name, socket).await?))
}

/// Returns a channel to a server outside of Waybill, whose certificate is checked against the authorities of
/// the system, or those in the variables `SSL_CERT_FILE` and `SSL_CERT_DIR`.
pub(crate) fn public_channel(endpoint: &Endpoint) -> Result<Channel> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        let why = found.errors.first().map_or_else(|| "there are none".to_owned(), ToString::to_string);
        return Err(Error::internal(format!("no certificate authorities: {why}")));
    }
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(VERSIONS)
        .map_err(Error::internal)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![H2.to_vec()];
    let config = Arc::new(config);
    let open = service_fn(move |uri: Uri| open_encrypted(uri, config.clone()));
    Ok(endpoint.connect_with_connector_lazy(open))
}
