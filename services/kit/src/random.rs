//! Randomness of the system, for secrets and unguessable names.

use ring::rand::{SecureRandom, SystemRandom};
use uuid::Uuid;

use crate::{Error, Result};

/// Returns random bytes. Fails as an internal error when the system has none.
pub fn bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Error::internal("the system gives no randomness"))?;
    Ok(bytes)
}

/// Returns 128 random bits in hexadecimal, for unguessable names.
pub fn suffix() -> Result<String> {
    Ok(hex::encode(bytes::<16>()?))
}

/// Returns an id of 122 random bits. Unlike [`crate::clock::new_id`] it does not reveal when it was made.
pub fn id() -> Result<Uuid> {
    Ok(uuid::Builder::from_random_bytes(bytes()?).into_uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_the_same() {
        assert_ne!(bytes::<32>().unwrap(), bytes::<32>().unwrap());
        assert_ne!(suffix().unwrap(), suffix().unwrap());
        assert_eq!(suffix().unwrap().len(), 32);
        assert_eq!(id().unwrap().get_version_num(), 4);
        assert_ne!(id().unwrap(), id().unwrap());
    }
}
