//! The setup token, which is required to create the first account where strangers could reach the server
//! first.
//!
//! The token is not stored but derived from the deployment's service secret and a salt in the database. So
//! every replica and every restart prints the same token, and neither the database nor the configuration
//! alone suffices to compute it. The token is worthless once the first account exists.

use kit::service_secret::ServiceSecret;
use ring::hmac;
use secrecy::SecretString;

use crate::entity::setup;
use crate::random;

const PURPOSE: &[u8] = b"waybill set-up token\0";

fn key_and_message(secret: &ServiceSecret, row: &setup::Model) -> (hmac::Key, Vec<u8>) {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.first().as_bytes());
    (key, [PURPOSE, &row.salt.0].concat())
}

/// Returns the token, to be printed at start.
pub fn make(secret: &ServiceSecret, row: &setup::Model) -> SecretString {
    let (key, message) = key_and_message(secret, row);
    random::text(hmac::sign(&key, &message).as_ref()).into()
}

/// Returns whether this is the token, in constant time.
pub fn is_right(secret: &ServiceSecret, row: &setup::Model, given: &str) -> bool {
    let (key, message) = key_and_message(secret, row);
    let given = random::from_text(given.trim()).unwrap_or_default();
    hmac::verify(&key, &message, &given).is_ok()
}
