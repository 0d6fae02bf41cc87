//! The certificate of this process: from three files to the two sides of a connection, with every check that
//! is possible before one is opened.

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ring::digest::{Context, SHA256};
use rustls::client::{Resumption, verify_server_cert_signed_by_trust_anchor};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, ParsedCertificate, WebPkiClientVerifier};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::expiry::not_after;
use super::{H2, VERSIONS, provider};
use crate::config::Grpc;

/// Maximum size of a file, in bytes. A bundle of all public authorities has about 250 KB.
const MAX_BYTES: u64 = 1 << 20;

/// Why certificates cannot be used: a sentence with the file and what to do.
pub(super) type Unusable = String;

/// The paths of the three files.
#[derive(Clone)]
pub(super) struct Files {
    certificate: PathBuf,
    key: PathBuf,
    authority: PathBuf,
}

/// The content of the three files.
pub(super) struct Pem {
    certificate: Vec<u8>,
    key: Vec<u8>,
    authority: Vec<u8>,
}

/// What connections are opened with.
pub(super) struct Identity {
    pub server: Arc<ServerConfig>,
    pub client: Arc<ClientConfig>,
    /// Until when this process' certificate and its authority are valid.
    pub certificate_until: DateTime<Utc>,
    pub authority_until: DateTime<Utc>,
}

impl Files {
    pub fn of(config: &Grpc) -> Self {
        Self {
            certificate: PathBuf::from(&config.certificate_file),
            key: PathBuf::from(&config.key_file),
            authority: PathBuf::from(&config.authority_file),
        }
    }

    pub fn read(&self) -> Result<Pem, Unusable> {
        let content = |path: &PathBuf| {
            let refused = |error: &dyn Display| format!("cannot read {}: {error}", path.display());
            let mut bytes = Vec::new();
            let file = File::open(path).map_err(|error| refused(&error))?;
            file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| refused(&error))?;
            if bytes.len() as u64 > MAX_BYTES {
                return Err(refused(&format!("it has more than {MAX_BYTES} bytes")));
            }
            Ok(bytes)
        };
        let Self { certificate, key, authority } = self;
        Ok(Pem { certificate: content(certificate)?, key: content(key)?, authority: content(authority)? })
    }

    /// Builds an identity, which must be valid now and signed by its own authority.
    pub fn identity(&self, pem: &Pem, now: DateTime<Utc>) -> Result<Identity, Unusable> {
        let in_file = |path: &PathBuf, text: &dyn Display| format!("{}: {text}", path.display());
        let chain = certificates(&pem.certificate).map_err(|text| in_file(&self.certificate, &text))?;
        let authorities = certificates(&pem.authority).map_err(|text| in_file(&self.authority, &text))?;
        let key = PrivateKeyDer::from_pem_slice(&pem.key)
            .map_err(|error| in_file(&self.key, &format!("has no private key in PEM ({error})")))?;
        let until = |certificate: &CertificateDer| not_after(certificate);
        let authority_until = authorities.iter().filter_map(until).max();
        let (Some(certificate_until), Some(authority_until)) =
            (chain.first().and_then(until), authority_until)
        else {
            return Err(in_file(&self.certificate, &"is not a certificate"));
        };
        if certificate_until <= now {
            let text = format!("expired on {certificate_until}. Renew the certificate.");
            return Err(in_file(&self.certificate, &text));
        }

        let mut roots = RootCertStore::empty();
        for authority in authorities {
            roots.add(authority).map_err(|error| in_file(&self.authority, &error))?;
        }
        let roots = Arc::new(roots);
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider())
            .build()
            .map_err(|error| in_file(&self.authority, &error))?;
        signed_for_both(&chain, &roots, verifier.as_ref(), now).map_err(|error| {
            let text = format!(
                "is not accepted by {}: {error}. It must be signed by that authority, for servers and for clients.",
                self.authority.display()
            );
            in_file(&self.certificate, &text)
        })?;
        let (server, client) = sides(chain, key, roots, verifier).map_err(|error| {
            let text = format!("is not the key of {}: {error}", self.certificate.display());
            in_file(&self.key, &text)
        })?;
        Ok(Identity {
            server: Arc::new(server),
            client: Arc::new(client),
            certificate_until,
            authority_until,
        })
    }
}

impl Pem {
    /// Returns a digest, which tells whether a file has changed without keeping the key in memory.
    pub fn digest(&self) -> Vec<u8> {
        let mut digest = Context::new(&SHA256);
        for content in [&self.certificate, &self.key, &self.authority] {
            digest.update(&(content.len() as u64).to_be_bytes());
            digest.update(content);
        }
        digest.finish().as_ref().to_vec()
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Unusable> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        Ok(_) => Err("has no certificate in PEM".to_owned()),
        Err(error) => Err(format!("is not a certificate in PEM ({error})")),
    }
}

/// Checks the certificate as both a server and a client would, except for names.
fn signed_for_both(
    chain: &[CertificateDer<'static>],
    roots: &RootCertStore,
    verifier: &dyn ClientCertVerifier,
    now: DateTime<Utc>,
) -> Result<(), rustls::Error> {
    let Some((own, intermediates)) = chain.split_first() else {
        return Err(rustls::Error::NoCertificatesPresented);
    };
    let now = UnixTime::since_unix_epoch(Duration::from_secs(now.timestamp().unsigned_abs()));
    let algorithms = provider().signature_verification_algorithms.all;
    let parsed = ParsedCertificate::try_from(own)?;
    verify_server_cert_signed_by_trust_anchor(&parsed, roots, intermediates, now, algorithms)?;
    verifier.verify_client_cert(own, intermediates, now).map(|_| ())
}

/// Returns the settings of the accepting and of the connecting side. Neither resumes sessions, because a
/// resumed session would not check the certificates again.
fn sides(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    roots: Arc<RootCertStore>,
    verifier: Arc<dyn ClientCertVerifier>,
) -> Result<(ServerConfig, ClientConfig), rustls::Error> {
    let provider: Arc<CryptoProvider> = provider();
    let mut server = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(VERSIONS)?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain.clone(), key.clone_key())?;
    server.alpn_protocols = vec![H2.to_vec()];
    server.session_storage = Arc::new(NoServerSessionStorage {});
    server.send_tls13_tickets = 0;
    let mut client = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(VERSIONS)?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)?;
    client.alpn_protocols = vec![H2.to_vec()];
    client.resumption = Resumption::disabled();
    Ok((server, client))
}
