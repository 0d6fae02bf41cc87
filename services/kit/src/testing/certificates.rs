//! A certificate authority for tests. Writes X.509 (RFC 5280) by hand, because a test needs certificates that
//! expired years ago, and the usual libraries for making them bring a dozen crates.

use std::fs;
use std::net::IpAddr;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};

use crate::config::Grpc;

/// The names of services on the loopback address.
const LOOPBACK: [&str; 2] = ["localhost", "127.0.0.1"];
/// When certificates expire whose test does not care.
const LATER: (i32, u8, u8) = (2099, 1, 1);

const BOOLEAN: u8 = 0x01;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT: u8 = 0x06;
const TEXT: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
const SERVERS: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
const CLIENTS: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02];
const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const ECDSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

/// Signs certificates for tests; no other authority accepts them.
///
/// # Panics
///
/// All methods panic when a certificate or a file cannot be made.
pub struct Authority {
    name: String,
    key: EcdsaKeyPair,
    certificate: Vec<u8>,
}

#[allow(clippy::unwrap_used, clippy::new_without_default)] // a test fails by panicking
impl Authority {
    pub fn new() -> Self {
        let name = format!("Authority {}", crate::clock::new_id());
        let (key, _) = new_key();
        let is_authority = sequence(&[der(BOOLEAN, &[0xff])]);
        let extensions = [extension(BASIC_CONSTRAINTS, &is_authority)];
        let certificate = certificate(&name, &key, &name, &key, LATER, &extensions);
        Self { name, key, certificate }
    }

    pub fn pem(&self) -> String {
        pem("CERTIFICATE", &self.certificate)
    }

    /// Returns a certificate (DER) for servers and clients of these names, and its key (PKCS #8).
    pub fn sign(&self, names: &[&str]) -> (Vec<u8>, Vec<u8>) {
        self.sign_until(names, LATER)
    }

    /// Returns a certificate that expires at the beginning of this day: year, month and day.
    pub fn sign_until(&self, names: &[&str], until: (i32, u8, u8)) -> (Vec<u8>, Vec<u8>) {
        let (key, document) = new_key();
        let names: Vec<_> = names
            .iter()
            .map(|name| match name.parse() {
                Ok(IpAddr::V4(address)) => der(IP_ADDRESS, &address.octets()),
                Ok(IpAddr::V6(address)) => der(IP_ADDRESS, &address.octets()),
                Err(_) => der(DNS_NAME, name.as_bytes()),
            })
            .collect();
        let usages = [der(OBJECT, SERVERS), der(OBJECT, CLIENTS)];
        let extensions = [
            extension(ALTERNATIVE_NAMES, &sequence(&names)),
            extension(EXTENDED_KEY_USAGE, &sequence(&usages)),
        ];
        let signed = certificate(&self.name, &self.key, "test", &key, until, &extensions);
        (signed, document)
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
fn new_key() -> (EcdsaKeyPair, Vec<u8>) {
    let (algorithm, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
    (key, document.as_ref().to_vec())
}

#[allow(clippy::unwrap_used)] // a test fails by panicking
fn certificate(
    issuer: &str,
    issuer_key: &EcdsaKeyPair,
    subject: &str,
    key: &EcdsaKeyPair,
    until: (i32, u8, u8),
    extensions: &[Vec<u8>],
) -> Vec<u8> {
    let algorithm = sequence(&[der(OBJECT, ECDSA_WITH_SHA256)]);
    // A serial number is positive.
    let serial = [&[1], crate::clock::new_id().as_bytes().as_slice()].concat();
    let public_key =
        [sequence(&[der(OBJECT, EC_PUBLIC_KEY), der(OBJECT, P256)]), bits(key.public_key().as_ref())];
    let content = sequence(&[
        der(VERSION, &der(INTEGER, &[2])),
        der(INTEGER, &serial),
        algorithm.clone(),
        name(issuer),
        sequence(&[time((2019, 1, 1)), time(until)]),
        name(subject),
        sequence(&public_key),
        der(EXTENSIONS, &sequence(extensions)),
    ]);
    let signature = issuer_key.sign(&SystemRandom::new(), &content).unwrap();
    sequence(&[content, algorithm, bits(signature.as_ref())])
}

fn name(text: &str) -> Vec<u8> {
    let common_name = sequence(&[der(OBJECT, COMMON_NAME), der(TEXT, text.as_bytes())]);
    sequence(&[der(SET, &common_name)])
}

fn time((year, month, day): (i32, u8, u8)) -> Vec<u8> {
    match year {
        1950..2050 => der(UTC_TIME, format!("{:02}{month:02}{day:02}000000Z", year % 100).as_bytes()),
        _ => der(GENERALIZED_TIME, format!("{year}{month:02}{day:02}000000Z").as_bytes()),
    }
}

fn extension(kind: &[u8], content: &[u8]) -> Vec<u8> {
    let is_critical = der(BOOLEAN, &[0xff]);
    let content = der(OCTET_STRING, content);
    match kind {
        BASIC_CONSTRAINTS => sequence(&[der(OBJECT, kind), is_critical, content]),
        _ => sequence(&[der(OBJECT, kind), content]),
    }
}

fn bits(content: &[u8]) -> Vec<u8> {
    der(BIT_STRING, &[&[0], content].concat())
}

fn sequence(fields: &[Vec<u8>]) -> Vec<u8> {
    der(SEQUENCE, &fields.concat())
}

/// Returns a field in DER: tag, length, content.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let bytes = content.len().to_be_bytes();
    let length = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
    let head = match length {
        [] => vec![tag, 0],
        [short] if *short < 0x80 => vec![tag, *short],
        long => [&[tag, 0x80 | u8::try_from(long.len()).unwrap_or_default()], long].concat(),
    };
    [head, content.to_vec()].concat()
}
