//! Password hashes: argon2id, 19 MiB, 2 passes, in a bounded pool.
//!
//! A hash costs tens of milliseconds and 19 MiB, which makes signing in a target for denial of service. So
//! only a few hashes are computed at a time, some wait, and all others fail with `SIGN_IN_BUSY`. The memory
//! is reused: if it were freed after each hash, the allocator could hold many times as much. Deliberately
//! absent: rules for passwords (`domain`), and counting failures (`throttle`).

use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc;
use argon2::{Algorithm, Argon2, Block, Params, Version, password_hash};
use kit::gate::{Gate, Queued};
use kit::{Error, Result};
use secrecy::{ExposeSecret, SecretString};
use unicode_normalization::UnicodeNormalization;

use crate::entity::secret::PasswordHash;
use crate::random;

const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;

/// The memory of one hash computation.
type Memory = Vec<Block>;

/// Computes hashes, a few at a time. Cheap to clone.
#[derive(Clone)]
pub struct Passwords {
    params: Params,
    gate: Gate,
    /// Memory that no hash uses at present; at most one per worker.
    idle: Arc<Mutex<Vec<Memory>>>,
    /// The hash that passwords for unknown users are compared with.
    dummy: PasswordHash,
}

/// The right to compute one hash. Take it before counting an attempt, because an attempt that is refused for
/// lack of capacity must not count as a wrong password.
pub struct Place(Queued);

impl Passwords {
    pub async fn new(workers: usize, queue: usize) -> Result<Self> {
        Self::with_cost(MEMORY_KIB, PASSES, workers, queue).await
    }

    /// Creates a pool whose hashes cost nearly nothing, for tests that are not about hashing.
    #[cfg(test)]
    pub async fn quick(workers: usize, queue: usize) -> Result<Self> {
        Self::with_cost(64, 1, workers, queue).await
    }

    async fn with_cost(memory: u32, passes: u32, workers: usize, queue: usize) -> Result<Self> {
        let params = Params::new(memory, passes, 1, None).map_err(Error::internal)?;
        let mut this = Self {
            params,
            gate: Gate::new("passwords", workers, queue),
            idle: Arc::default(),
            dummy: PasswordHash(String::new()),
        };
        // A real hash at the same cost. Nobody knows its password, and `verify` ignores a match.
        this.dummy = this.hash(random::secret()?).await?;
        Ok(this)
    }

    /// Returns the right to compute a hash, now or after waiting. Fails with `SIGN_IN_BUSY` if too many wait.
    pub fn place(&self) -> Result<Place> {
        self.gate.queue().map(Place).ok_or_else(busy)
    }

    /// Returns the hash of a password, for storage.
    pub async fn hash(&self, password: SecretString) -> Result<PasswordHash> {
        let password = SecretString::from(prepare(password.expose_secret()));
        let salt = random::bytes::<16>()?;
        let place = self.place()?;
        let params = self.params.clone();
        self.compute(place, move |memory| {
            let output = output(&params, Version::V0x13, &password, &salt, memory)?;
            let hash = phc::PasswordHash {
                algorithm: Algorithm::Argon2id.ident(),
                version: Some(Version::V0x13.into()),
                params: (&params).try_into()?,
                salt: Some(phc::Salt::new(&salt)?),
                hash: Some(output),
            };
            Ok(PasswordHash(hash.to_string()))
        })
        .await
    }

    /// Returns whether the password is the stored one. Without a stored one, returns false after the same
    /// work. Hashes from before [`prepare`] match the password exactly as typed.
    pub async fn verify(
        &self,
        place: Place,
        password: SecretString,
        stored: Option<&PasswordHash>,
    ) -> Result<bool> {
        let known = stored.is_some();
        let PasswordHash(stored) = stored.unwrap_or(&self.dummy).clone();
        let same = self
            .compute(place, move |memory| {
                let stored = phc::PasswordHash::new(&stored)?;
                let (Algorithm::Argon2id, Some(salt), Some(expected)) =
                    (Algorithm::try_from(stored.algorithm.as_str())?, &stored.salt, &stored.hash)
                else {
                    return Err(password_hash::Error::PasswordInvalid);
                };
                let version = stored.version.map(Version::try_from).transpose()?.unwrap_or_default();
                let params = Params::try_from(&stored)?;
                // Comparing outputs takes constant time.
                let mut is = |password: &SecretString| -> password_hash::Result<bool> {
                    Ok(*expected == output(&params, version, password, salt, memory)?)
                };
                let prepared = SecretString::from(prepare(password.expose_secret()));
                let unlike = prepared.expose_secret() != password.expose_secret();
                Ok(is(&prepared)? || unlike && is(&password)?)
            })
            .await?;
        Ok(same && known)
    }

    async fn compute<T: Send + 'static>(
        &self,
        Place(queued): Place,
        work: impl FnOnce(&mut Memory) -> password_hash::Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = queued.turn().await;
        let idle = self.idle.clone();
        let done = tokio::task::spawn_blocking(move || {
            // Hold the turn until the work is done, even if the caller has gone.
            let _turn = turn;
            let mut memory = idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
            let done = work(&mut memory);
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
            done
        });
        done.await.map_err(Error::internal)?.map_err(|error| Error::internal(error.to_string()))
    }

    /// Takes all places, so that a test can detect which code needs one.
    #[cfg(test)]
    pub fn fill(&self) -> Vec<Queued> {
        std::iter::from_fn(|| self.gate.queue()).collect()
    }
}

/// Prepares a password for hashing (OpaqueString of RFC 8265): turns all spaces into U+0020 and composes
/// letters, so that the result is the same from any keyboard. Keeps case, width and everything else.
pub fn prepare(password: &str) -> String {
    // By spaces, RFC 8265 means all of Unicode's separators: its white space without control characters.
    let space = |c: char| if c.is_whitespace() && !c.is_ascii() && !c.is_control() { ' ' } else { c };
    password.chars().map(space).nfc().collect()
}

/// Computes the hash.
fn output(
    params: &Params,
    version: Version,
    password: &SecretString,
    salt: &[u8],
    memory: &mut Memory,
) -> password_hash::Result<phc::Output> {
    let blocks = params.block_count();
    if memory.len() < blocks {
        memory.resize(blocks, Block::new());
    }
    let argon2 = Argon2::new(Algorithm::Argon2id, version, params.clone());
    let mut output = [0; phc::Output::MAX_LENGTH];
    let output = &mut output[..params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
    argon2.hash_password_into_with_memory(password.expose_secret().as_bytes(), salt, output, memory)?;
    Ok(phc::Output::new(output)?)
}

fn busy() -> Error {
    Error::unavailable("SIGN_IN_BUSY", "Too many people are signing in right now. Try again in a moment.")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn verify(
        passwords: &Passwords,
        password: SecretString,
        stored: Option<&PasswordHash>,
    ) -> Result<bool> {
        passwords.verify(passwords.place()?, password, stored).await
    }

    #[tokio::test]
    async fn stored_with_the_parameters_promised() {
        let passwords = Passwords::new(2, 2).await.unwrap();
        let hash = passwords.hash("a good long one".to_owned().into()).await.unwrap();
        assert!(hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.0);
        assert!(passwords.dummy.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(verify(&passwords, "a good long one".to_owned().into(), Some(&hash)).await.unwrap());
        assert!(!verify(&passwords, "a good long one ".to_owned().into(), Some(&hash)).await.unwrap());
    }

    /// Test vectors of the Argon2 reference implementation.
    #[tokio::test]
    async fn hashes_are_those_of_argon2() {
        let passwords = Passwords::quick(2, 2).await.unwrap();
        let stored = PasswordHash(
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4".into(),
        );
        assert!(verify(&passwords, "password".to_owned().into(), Some(&stored)).await.unwrap());
        assert!(!verify(&passwords, "passwore".to_owned().into(), Some(&stored)).await.unwrap());
    }

    #[tokio::test]
    async fn memory_is_used_again() {
        let passwords = Passwords::quick(2, 10).await.unwrap();
        let hash = passwords.hash("a good long one".to_owned().into()).await.unwrap();
        for _ in 0..10 {
            let right = verify(&passwords, "a good long one".to_owned().into(), Some(&hash));
            let wrong = verify(&passwords, "another".to_owned().into(), Some(&hash));
            let (right, wrong) = tokio::join!(right, wrong);
            assert!(right.unwrap() && !wrong.unwrap());
        }
        assert!(passwords.idle.lock().unwrap().len() <= 2);
    }

    #[tokio::test]
    async fn nothing_is_cut_off_and_no_salt_repeats() {
        let passwords = Passwords::quick(2, 2).await.unwrap();
        let long = "é".repeat(128);
        let (one, two) = (
            passwords.hash(long.clone().into()).await.unwrap(),
            passwords.hash(long.clone().into()).await.unwrap(),
        );
        assert_ne!(one, two);
        assert!(verify(&passwords, long.into(), Some(&one)).await.unwrap());
        assert!(!verify(&passwords, "é".repeat(127).into(), Some(&one)).await.unwrap());
    }

    #[tokio::test]
    async fn a_password_is_the_same_from_any_keyboard() {
        let passwords = Passwords::quick(2, 2).await.unwrap();
        let is = async |typed: &str, stored: &PasswordHash| {
            verify(&passwords, typed.to_owned().into(), Some(stored)).await.unwrap()
        };
        let composed = passwords.hash("sen\u{303}or José\u{a0}".to_owned().into()).await.unwrap();
        for typed in ["señor José ", "sen\u{303}or\u{3000}Jose\u{301} ", "señor Jose\u{301}\u{a0}"] {
            assert!(is(typed, &composed).await, "{typed:?}");
        }
        for typed in ["senor Jose ", "SEÑOR JOSÉ ", "ｓeñor José ", "señor José"] {
            assert!(!is(typed, &composed).await, "{typed:?}");
        }
        // A hash of the exact bytes, as earlier releases made it.
        let (params, password) = (passwords.params.clone(), SecretString::from("Jose\u{301}".to_owned()));
        let old = output(&params, Version::V0x13, &password, b"saltsaltsaltsalt", &mut Vec::new()).unwrap();
        let old = phc::PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: (&params).try_into().unwrap(),
            salt: Some(phc::Salt::new(b"saltsaltsaltsalt").unwrap()),
            hash: Some(old),
        };
        let old = PasswordHash(old.to_string());
        assert!(is("Jose\u{301}", &old).await);
        assert!(!is("Jose", &old).await);
    }

    #[tokio::test]
    async fn an_unknown_user_never_matches() {
        let passwords = Passwords::quick(1, 1).await.unwrap();
        assert!(!verify(&passwords, "whatever it is".to_owned().into(), None).await.unwrap());
    }

    #[tokio::test]
    async fn over_the_queue_is_told_to_come_back() {
        let passwords = Passwords::quick(1, 1).await.unwrap();
        let places = passwords.fill();
        let error = passwords.hash("whatever it is".to_owned().into()).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::Unavailable, "SIGN_IN_BUSY"));
        drop(places);
        assert!(passwords.hash("whatever it is".to_owned().into()).await.is_ok());
    }

    #[tokio::test]
    async fn a_caller_that_gave_up_gives_its_place_back() {
        let passwords = Passwords::quick(1, 1).await.unwrap();
        let _computing = passwords.gate.enter().await.unwrap();
        let mut waiting = Box::pin(passwords.hash("whatever it is".to_owned().into()));
        assert!(futures::poll!(&mut waiting).is_pending());
        assert!(passwords.gate.queue().is_none());
        drop(waiting);
        assert!(passwords.gate.queue().is_some());
    }

    #[tokio::test]
    async fn a_broken_hash_is_an_error_and_no_match() {
        let passwords = Passwords::quick(1, 1).await.unwrap();
        let broken = PasswordHash("scrypt|16384".into());
        let error = verify(&passwords, "x".to_owned().into(), Some(&broken)).await.unwrap_err();
        assert_eq!(error.kind, kit::Kind::Internal);
        assert!(!format!("{broken:?}").contains("16384"));
    }
}
