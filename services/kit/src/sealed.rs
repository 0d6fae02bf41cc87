//! Secrets that the product keeps for itself and needs again, such as keys that sign webhooks.
//!
//! They are encrypted before they reach a database (AES-256-GCM, with a key derived from the deployment's service
//! secret), so that a copy of the database alone is no use. Deliberately absent: passwords and tokens of people,
//! which are hashed and never needed again. Who changes the service secret loses what was sealed with the old one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};

use crate::{Error, Result, random};

const SALT: &[u8] = b"waybill sealed secrets v1";

/// Seals and opens secrets of one purpose.
#[derive(Clone)]
pub struct Sealer(std::sync::Arc<LessSafeKey>);

impl Sealer {
    /// Derives the key for a purpose, such as `"outbound"`, from the deployment's secret.
    pub fn new(secret: &str, purpose: &str) -> Result<Self> {
        let none = |_| Error::internal("a key could not be derived");
        let derived = Salt::new(HKDF_SHA256, SALT).extract(secret.as_bytes());
        let info = [purpose.as_bytes()];
        let key = UnboundKey::from(derived.expand(&info, &AES_256_GCM).map_err(none)?);
        Ok(Self(std::sync::Arc::new(LessSafeKey::new(key))))
    }

    /// Encrypts a secret for one row, which `about` names; returns text.
    pub fn seal(&self, about: &str, secret: &str) -> Result<String> {
        let nonce: [u8; NONCE_LEN] = random::bytes()?;
        let mut bytes = secret.as_bytes().to_vec();
        let (to, aad) = (Nonce::assume_unique_for_key(nonce), Aad::from(about.as_bytes()));
        self.0
            .seal_in_place_append_tag(to, aad, &mut bytes)
            .map_err(|_| Error::internal("a secret could not be sealed"))?;
        Ok(STANDARD.encode([&nonce[..], &bytes[..]].concat()))
    }

    /// Decrypts what was sealed for the same row. Fails as an internal error under another service secret.
    pub fn open(&self, about: &str, sealed: &str) -> Result<String> {
        let unreadable =
            || Error::internal("a sealed secret cannot be opened: was auth.service_secret changed?");
        let bytes = STANDARD.decode(sealed).map_err(|_| unreadable())?;
        let (nonce, rest) = bytes.split_at_checked(NONCE_LEN).ok_or_else(unreadable)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| unreadable())?;
        let mut rest = rest.to_vec();
        let opened = self.0.open_in_place(nonce, Aad::from(about.as_bytes()), &mut rest);
        let opened = opened.map_err(|_| unreadable())?;
        String::from_utf8(opened.to_vec()).map_err(|_| unreadable())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_deployment_purpose_and_row_open_a_secret() {
        let sealer = Sealer::new("deployment", "outbound").unwrap();
        let sealed = sealer.seal("row-1", "whsec_abc").unwrap();
        assert!(!sealed.contains("whsec"), "{sealed}");
        assert_ne!(sealed, sealer.seal("row-1", "whsec_abc").unwrap());
        assert_eq!(sealer.open("row-1", &sealed).unwrap(), "whsec_abc");
        assert!(sealer.open("row-2", &sealed).is_err());
        assert!(Sealer::new("deployment", "other").unwrap().open("row-1", &sealed).is_err());
        assert!(Sealer::new("another", "outbound").unwrap().open("row-1", &sealed).is_err());
        for broken in ["", "AAAA", "not base64", &STANDARD.encode([0; 40])] {
            assert!(sealer.open("row-1", broken).is_err(), "{broken}");
        }
    }
}
