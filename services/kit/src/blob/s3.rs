//! Objects in an S3 bucket, behind links that S3 itself checks.
//!
//! Links contain the system's time, not that of our `Clock`, because the S3 server compares it with its own
//! time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::signer::{SignedUrlOptions, Signer, Url};
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use secrecy::{ExposeSecret, SecretString};

use super::{Key, failed, path};
use crate::download::saved_as;
use crate::{Error, Result};

/// How long a connection may be silent during a read. Such a request is repeated once; both have to end within the 15
/// seconds of a call between services.
const ANSWER: Duration = Duration::from_secs(7);
/// The same for requests that change something. They aren't repeated after a timeout.
const SEND: Duration = Duration::from_secs(15);

#[derive(Debug, Clone)]
pub struct S3Config {
    /// The address at which this process reaches S3; `None` means AWS in `region`.
    pub endpoint: Option<String>,
    /// The address at which browsers reach S3, if it differs from `endpoint`. Links are signed for the host
    /// of this address.
    pub public_endpoint: Option<String>,
    pub region: String,
    pub bucket: String,
    pub access_key: String,
    pub secret_key: SecretString,
}

#[derive(Clone)]
pub struct S3Blob(Arc<Shared>);

struct Shared {
    store: AmazonS3,
    /// For requests that change something.
    writer: AmazonS3,
    signer: AmazonS3,
    /// Prefix of all links: `https://s3.example/bucket/`.
    base: String,
}

impl fmt::Debug for S3Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Blob").field("base", &self.0.base).finish_non_exhaustive()
    }
}

impl S3Blob {
    /// Creates the client; sends nothing yet.
    pub fn new(config: &S3Config) -> Result<Self> {
        crate::install_crypto();
        let amazon = format!("https://s3.{}.amazonaws.com", config.region);
        let endpoint = config.endpoint.as_deref().unwrap_or(&amazon);
        let public = config.public_endpoint.as_deref().unwrap_or(endpoint);
        // Normalize like the signer does: lower-case host, no default port.
        let mut base = Url::parse(public).map_err(Error::internal)?.to_string();
        base.truncate(base.trim_end_matches('/').len());
        Ok(Self(Arc::new(Shared {
            store: client(config, endpoint, ANSWER)?,
            writer: client(config, endpoint, SEND)?,
            signer: client(config, public, ANSWER)?,
            base: format!("{base}/{}/", config.bucket),
        })))
    }

    pub(super) fn store(&self) -> &dyn ObjectStore {
        &self.0.store
    }

    pub(super) fn writer(&self) -> &dyn ObjectStore {
        &self.0.writer
    }

    pub(super) async fn presign_put(&self, key: &Key, ttl: Duration) -> Result<String> {
        self.presign(Method::PUT, key, ttl, SignedUrlOptions::new()).await
    }

    /// Overrides the content type: the type that the uploader chose could turn the file into a page of the
    /// bucket's origin. Signatures and photos must not stay on the disk of a computer that others use.
    pub(super) async fn presign_get(&self, key: &Key, name: &str, ttl: Duration) -> Result<String> {
        let disposition = saved_as(name);
        let shown = SignedUrlOptions::new().with_query([
            ("response-content-type", "application/octet-stream"),
            ("response-content-disposition", disposition.to_str().unwrap_or("attachment")),
            ("response-cache-control", "private, no-store"),
        ]);
        self.presign(Method::GET, key, ttl, shown).await
    }

    async fn presign(
        &self,
        method: Method,
        key: &Key,
        ttl: Duration,
        options: SignedUrlOptions,
    ) -> Result<String> {
        let url = self.0.signer.signed_url_opts(method, &path(key), ttl, &options).await.map_err(failed)?;
        Ok(url.into())
    }

    pub(super) fn base(&self) -> &str {
        &self.0.base
    }

    pub(super) fn strip<'a>(&self, url: &'a str) -> Option<&'a str> {
        url.strip_prefix(&self.0.base)
    }
}

/// Creates a client that waits this long for each part of a response.
fn client(config: &S3Config, endpoint: &str, patience: Duration) -> Result<AmazonS3> {
    AmazonS3Builder::new()
        .with_endpoint(endpoint)
        .with_region(&config.region)
        .with_bucket_name(&config.bucket)
        .with_access_key_id(&config.access_key)
        .with_secret_access_key(config.secret_key.expose_secret())
        .with_virtual_hosted_style_request(false)
        // Some servers, SeaweedFS among them, allow deleting many objects in one request only with rights to
        // the whole bucket; a service has rights to its own objects only.
        .with_disable_bulk_delete(true)
        .with_client_options(
            ClientOptions::new()
                .with_allow_http(endpoint.starts_with("http://"))
                .with_connect_timeout(Duration::from_secs(3))
                .with_read_timeout(patience)
                .with_timeout(Duration::from_secs(120))
                // Rather open a connection than use one that a firewall may have forgotten.
                .with_pool_idle_timeout(Duration::from_secs(20)),
        )
        .with_retry(RetryConfig {
            max_retries: 2,
            retry_timeout: Duration::from_secs(10),
            ..RetryConfig::default()
        })
        .build()
        .map_err(failed)
}
