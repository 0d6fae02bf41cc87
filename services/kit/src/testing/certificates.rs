//! A certificate authority for tests.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    date_time_ymd,
};

use crate::config::Grpc;

/// The names of services on the loopback address.
const LOOPBACK: [&str; 2] = ["localhost", "127.0.0.1"];
/// When certificates expire whose test does not care.
const LATER: (i32, u8, u8) = (2099, 1, 1);

/// Signs certificates for tests; no other authority accepts them.
///
/// # Panics
///
/// All methods panic when a certificate or a file cannot be made.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

#[allow(clippy::unwrap_used, clippy::new_without_default)] // a test fails by panicking
impl Authority {
    pub fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut authority = valid_until(&[], LATER);
        authority
            .distinguished_name
            .push(DnType::CommonName, format!("Authority {}", crate::clock::new_id()));
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = authority.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(authority, key), pem }
    }

    pub fn pem(&self) -> String {
        self.pem.clone()
    }

    /// Returns a certificate (DER) for servers and clients of these names, and its key (PKCS #8).
    pub fn sign(&self, names: &[&str]) -> (Vec<u8>, Vec<u8>) {
        self.sign_until(names, LATER)
    }

    /// Returns a certificate that expires at the beginning of this day: year, month and day.
    pub fn sign_until(&self, names: &[&str], until: (i32, u8, u8)) -> (Vec<u8>, Vec<u8>) {
        let key = KeyPair::generate().unwrap();
        let mut certificate = valid_until(names, until);
        certificate.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let signed = certificate.signed_by(&key, &self.issuer).unwrap();
        (signed.der().to_vec(), key.serialize_der())
    }

    /// Writes a new certificate for services on the loopback address, and sets its files in the configuration.
    pub fn equip(&self, config: &mut Grpc, folder: &Path) {
        self.equip_as(&LOOPBACK, LATER, config, folder);
    }

    /// Writes a new certificate for these names that expires at the beginning of a day.
    pub fn equip_as(&self, names: &[&str], until: (i32, u8, u8), config: &mut Grpc, folder: &Path) {
        let (certificate, key) = self.sign_until(names, until);
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        config.certificate_file = write("tls.crt", pem("CERTIFICATE", &certificate));
        config.key_file = write("tls.key", pem("PRIVATE KEY", &key));
        config.authority_file = write("ca.crt", self.pem());
    }
}

/// Returns a document in PEM.
pub fn pem(label: &str, document: &[u8]) -> String {
    let text = STANDARD.encode(document);
    let lines: Vec<_> = text.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

#[allow(clippy::unwrap_used)] // a test fails by panicking
fn valid_until(names: &[&str], (year, month, day): (i32, u8, u8)) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut certificate = CertificateParams::new(names).unwrap();
    certificate.not_before = date_time_ymd(2019, 1, 1);
    certificate.not_after = date_time_ymd(year, month, day);
    certificate
}
