//! Mutual TLS between services, docs/adr/0090.
//!
//! A process has one certificate, for the calls that it accepts and for those that it makes. Both sides of a
//! connection must show one that the authority signed; the accepting side must also have the name that was
//! called. Which service calls is not decided here: calls carry tokens (`principal`).
//!
//! Files are read again when they change. New connections then use the new certificate, and existing ones,
//! which end after some minutes anyway, go on. Files that cannot be used are logged, and the certificate in use
//! stays.

mod client;
mod expiry;
mod files;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, SupportedProtocolVersion};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Grpc;
use crate::metrics::{self, Gauge};
use crate::{Error, Result};

pub(crate) use client::{open_encrypted, open_plain, public_channel};
use files::{Files, Identity, Unusable};

const VERSIONS: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];
/// The protocol that is agreed on within TLS.
const H2: &[u8] = b"h2";
/// The first byte of every TLS connection.
pub(crate) const HANDSHAKE: u8 = 0x16;
/// Pause between two looks at the files.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// Minimum time between two log lines about refused connections.
const LOG_EVERY: Duration = Duration::from_secs(10);

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// The certificate of this process. Cheap to clone.
#[derive(Clone)]
pub struct Tls(Arc<Inner>);

struct Inner {
    files: Files,
    clock: Clock,
    allows_plaintext: bool,
    current: RwLock<Current>,
    complained: Mutex<Option<Instant>>,
}

struct Current {
    identity: Arc<Identity>,
    digest: Vec<u8>,
}

/// Until when the certificate of this process and its authority are valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    pub certificate: DateTime<Utc>,
    pub authority: DateTime<Utc>,
}

impl Tls {
    /// Reads the files in the configuration; `None` if calls are not encrypted. Blocks for the time of reading.
    ///
    /// # Errors
    ///
    /// `CERTIFICATE_UNUSABLE`, with the file and what to do.
    pub fn open(config: &Grpc, clock: &Clock) -> Result<Option<Self>> {
        if !config.is_encrypted() {
            return Ok(None);
        }
        let files = Files::of(config);
        let (identity, digest) = read(&files, clock).map_err(|text| {
            Error::unavailable("CERTIFICATE_UNUSABLE", format!("calls cannot be encrypted: {text}"))
        })?;
        let this = Self(Arc::new(Inner {
            files,
            clock: clock.clone(),
            allows_plaintext: config.allow_plaintext,
            current: RwLock::new(Current { identity: Arc::new(identity), digest }),
            complained: Mutex::new(None),
        }));
        this.show();
        Ok(Some(this))
    }

    /// Shows how long the certificates are still valid, for as long as this is in use.
    fn show(&self) {
        self.show_as("own", |validity| validity.certificate);
        self.show_as("authority", |validity| validity.authority);
    }

    fn show_as(&self, name: &str, end: fn(Validity) -> DateTime<Utc>) {
        let weak = Arc::downgrade(&self.0);
        metrics::watch(Gauge::CertificateLeft, &[("certificate", name)], move || {
            let this = Self(weak.upgrade()?);
            Some(this.seconds_left(end(this.validity())))
        });
    }

    fn seconds_left(&self, end: DateTime<Utc>) -> f64 {
        (end - self.0.clock.now()).num_seconds() as f64
    }

    fn identity(&self) -> Arc<Identity> {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).identity.clone()
    }

    pub fn validity(&self) -> Validity {
        let identity = self.identity();
        Validity { certificate: identity.certificate_until, authority: identity.authority_until }
    }

    /// Returns whether connections without TLS are accepted as well.
    pub(crate) fn allows_plaintext(&self) -> bool {
        self.0.allows_plaintext
    }

    /// Returns the settings for a connection to another service.
    pub(crate) fn client(&self) -> Arc<ClientConfig> {
        self.identity().client.clone()
    }

    /// Completes the server's side of a handshake.
    ///
    /// # Errors
    ///
    /// Fails when the client shows no certificate, or one that is not accepted.
    pub(crate) async fn accept<S>(&self, socket: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        TlsAcceptor::from(self.identity().server.clone()).accept(socket).await
    }

    /// Logs that a connection was refused, not too often.
    pub(crate) fn log_refused(&self, peer: SocketAddr, error: &io::Error) {
        use io::ErrorKind::{ConnectionReset, UnexpectedEof};
        // Checks of load balancers open connections and close them.
        let is_left = matches!(error.kind(), ConnectionReset | UnexpectedEof);
        let mut complained = self.0.complained.lock().unwrap_or_else(PoisonError::into_inner);
        if is_left || complained.is_some_and(|at| at.elapsed() < LOG_EVERY) {
            tracing::debug!(%peer, "a connection was refused: {error}");
        } else {
            *complained = Some(Instant::now());
            tracing::warn!(%peer, "a connection was refused: {error}");
        }
    }

    /// Reads the files again whenever they change, until stopped.
    pub async fn follow(self, stop: CancellationToken) -> Result<()> {
        self.follow_every(LOOK_EVERY, stop).await;
        Ok(())
    }

    async fn follow_every(&self, pause: Duration, stop: CancellationToken) {
        let mut logged = None;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(pause) => {}
            }
            let this = self.clone();
            match tokio::task::spawn_blocking(move || this.refresh()).await {
                Ok(Ok(false)) => logged = None,
                Ok(Ok(true)) => {
                    logged = None;
                    let Validity { certificate, .. } = self.validity();
                    tracing::info!(until = %certificate.to_rfc3339(), "the certificate was renewed");
                }
                Ok(Err(text)) if logged.as_ref() == Some(&text) => {}
                Ok(Err(text)) => {
                    tracing::error!("a renewed certificate is not used, the one before it stays: {text}");
                    logged = Some(text);
                }
                Err(panic) => tracing::error!("reading certificates panicked: {panic}"),
            }
        }
    }

    /// Uses what the files contain from now on. Returns whether it differs from what was in use.
    fn refresh(&self) -> std::result::Result<bool, Unusable> {
        let pem = self.0.files.read()?;
        let digest = pem.digest();
        if self.0.current.read().unwrap_or_else(PoisonError::into_inner).digest == digest {
            return Ok(false);
        }
        let identity = Arc::new(self.0.files.identity(&pem, self.0.clock.now())?);
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = Current { identity, digest };
        Ok(true)
    }
}

fn read(files: &Files, clock: &Clock) -> std::result::Result<(Identity, Vec<u8>), Unusable> {
    let pem = files.read()?;
    Ok((files.identity(&pem, clock.now())?, pem.digest()))
}

#[cfg(test)]
mod tests;
