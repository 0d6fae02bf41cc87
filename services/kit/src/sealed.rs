//! Secrets that the product stores and needs to read again, such as keys that sign webhooks.
//!
//! They are encrypted before they reach a database (AES-256-GCM, with a key derived from the deployment's
//! service secret), so that a copy of the database alone is of no use. Deliberately absent: people's
//! passwords and tokens, which are hashed and never read again.
//!
//! While the service secret is being replaced there are two: both decrypt, the first encrypts. Values sealed
//! with the old secret have to be resealed ([`Sealer::anew`]) before the old secret is removed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};

use crate::service_secret::ServiceSecret;
use crate::{Error, Result, random};

const SALT: &[u8] = b"waybill sealed secrets v1";

/// Encrypts and decrypts secrets of one purpose.
#[derive(Clone)]
pub struct Sealer(std::sync::Arc<Keys>);

struct Keys {
    first: LessSafeKey,
    second: Option<LessSafeKey>,
}

impl Sealer {
    /// Derives the key for a purpose, such as `"outbound"`, from the deployment's secret.
    pub fn new(secret: &ServiceSecret, purpose: &str) -> Result<Self> {
        let derive = |secret: &str| -> Result<LessSafeKey> {
            let derived = Salt::new(HKDF_SHA256, SALT).extract(secret.as_bytes());
            let info = [purpose.as_bytes()];
            let key = derived.expand(&info, &AES_256_GCM);
            let key = key.map_err(|_| Error::internal("a key could not be derived"))?;
            Ok(LessSafeKey::new(UnboundKey::from(key)))
        };
        let first = derive(secret.first())?;
        let second = secret.all().nth(1).map(derive).transpose()?;
        Ok(Self(std::sync::Arc::new(Keys { first, second })))
    }

    /// Returns whether the service secret is being replaced, so some values may still be sealed with the old
    /// one.
    pub fn is_changing(&self) -> bool {
        self.0.second.is_some()
    }

    /// Encrypts a secret for one row, which `about` identifies; returns base64.
    pub fn seal(&self, about: &str, secret: &str) -> Result<String> {
        let nonce: [u8; NONCE_LEN] = random::bytes()?;
        let mut bytes = secret.as_bytes().to_vec();
        let (to, aad) = (Nonce::assume_unique_for_key(nonce), Aad::from(about.as_bytes()));
        self.0
            .first
            .seal_in_place_append_tag(to, aad, &mut bytes)
            .map_err(|_| Error::internal("a secret could not be sealed"))?;
        Ok(STANDARD.encode([&nonce[..], &bytes[..]].concat()))
    }

    /// Decrypts what was sealed for the same row. Fails as an internal error if it was sealed with another
    /// service secret.
    pub fn open(&self, about: &str, sealed: &str) -> Result<String> {
        let mut keys = std::iter::once(&self.0.first).chain(&self.0.second);
        keys.find_map(|key| open(key, about, sealed)).ok_or_else(|| {
            Error::internal("a sealed secret cannot be opened: was auth.service_secret changed?")
        })
    }

    /// Reseals a value with the first secret. Returns `None` if the first secret sealed it already.
    pub fn anew(&self, about: &str, sealed: &str) -> Result<Option<String>> {
        if open(&self.0.first, about, sealed).is_some() {
            return Ok(None);
        }
        self.seal(about, &self.open(about, sealed)?).map(Some)
    }
}

fn open(key: &LessSafeKey, about: &str, sealed: &str) -> Option<String> {
    let bytes = STANDARD.decode(sealed).ok()?;
    let (nonce, rest) = bytes.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut rest = rest.to_vec();
    let opened = key.open_in_place(nonce, Aad::from(about.as_bytes()), &mut rest).ok()?;
    String::from_utf8(opened.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_secrets_open_and_the_first_one_seals() {
        let sealer = |secret: &str| Sealer::new(&secret.into(), "outbound").unwrap();
        let (old, both, new) = (sealer("old"), sealer("new\nold"), sealer("new"));
        let sealed = old.seal("row-1", "whsec_abc").unwrap();
        assert_eq!(both.open("row-1", &sealed).unwrap(), "whsec_abc");
        assert!(new.open("row-1", &sealed).is_err());
        let anew = both.anew("row-1", &sealed).unwrap().unwrap();
        assert_eq!(new.open("row-1", &anew).unwrap(), "whsec_abc");
        assert_eq!(both.anew("row-1", &anew).unwrap(), None);
        assert!(new.anew("row-1", &sealed).is_err());
        assert_eq!([old, both, new].map(|it| it.is_changing()), [false, true, false]);
    }

    #[test]
    fn only_the_same_deployment_purpose_and_row_open_a_secret() {
        let sealer = Sealer::new(&"deployment".into(), "outbound").unwrap();
        let sealed = sealer.seal("row-1", "whsec_abc").unwrap();
        assert!(!sealed.contains("whsec"), "{sealed}");
        assert_ne!(sealed, sealer.seal("row-1", "whsec_abc").unwrap());
        assert_eq!(sealer.open("row-1", &sealed).unwrap(), "whsec_abc");
        assert!(sealer.open("row-2", &sealed).is_err());
        assert!(Sealer::new(&"deployment".into(), "other").unwrap().open("row-1", &sealed).is_err());
        assert!(Sealer::new(&"another".into(), "outbound").unwrap().open("row-1", &sealed).is_err());
        for broken in ["", "AAAA", "not base64", &STANDARD.encode([0; 40])] {
            assert!(sealer.open("row-1", broken).is_err(), "{broken}");
        }
    }
}
