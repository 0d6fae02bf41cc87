use jsonwebtoken::{EncodingKey, Header};
use ring::signature::KeyPair;

use super::*;
use crate::Kind;
use crate::principal::{Role, ServiceIdentity, sign_access};

/// A key source whose keys can be withdrawn and that can be down.
#[derive(Default)]
struct Keys {
    published: std::sync::Mutex<HashMap<String, Vec<u8>>>,
    away: std::sync::atomic::AtomicBool,
    /// How often the keys were asked for.
    asked: std::sync::atomic::AtomicUsize,
}

#[async_trait]
impl KeySource for Keys {
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>> {
        self.asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        tokio::task::yield_now().await;
        match self.away.load(std::sync::atomic::Ordering::SeqCst) {
            true => Err(Error::unavailable("AWAY", "auth is away")),
            false => Ok(self.published.lock().unwrap().clone()),
        }
    }
}

struct Fixture {
    verifier: Verifier,
    source: Arc<Keys>,
    pkcs8: Vec<u8>,
    public: Vec<u8>,
    clock: Clock,
}

fn fixture() -> Fixture {
    let clock = Clock::fixed(chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap());
    let rng = ring::rand::SystemRandom::new();
    let pkcs8 = ring::signature::Ed25519KeyPair::generate_pkcs8(&rng).unwrap().as_ref().to_vec();
    let public = ring::signature::Ed25519KeyPair::from_pkcs8(&pkcs8).unwrap().public_key().as_ref().to_vec();
    let source = Arc::new(Keys::default());
    source.published.lock().unwrap().insert("k1".to_owned(), public.clone());
    let verifier = Verifier::new(source.clone(), "service-secret".to_owned().into(), clock.clone());
    Fixture { verifier, source, pkcs8, public, clock }
}

fn access(f: &Fixture, kid: &str) -> String {
    let now = f.clock.now().timestamp();
    sign_access(kid, &f.pkcs8, "u1", "maria", vec![Role::Admin], None, "s1", now, now + 300).unwrap()
}

async fn refused_reason(f: &Fixture, token: &str) -> String {
    let error = f.verifier.verify(token).await.unwrap_err();
    assert_eq!(error.kind, Kind::Unauthenticated);
    error.reason
}

#[tokio::test]
async fn an_access_token_tells_who_it_is() {
    let f = fixture();
    let who = f.verifier.verify(&access(&f, "k1")).await.unwrap();
    assert_eq!(who.actor(), "maria");
    assert!(who.require(&[Role::Admin]).is_ok());
    assert!(who.require(&[Role::Viewer]).is_err());
    assert!(who.require_service("upload").is_err());
}

#[tokio::test]
async fn only_the_token_of_a_driver_tells_a_driver() {
    let f = fixture();
    let now = f.clock.now().timestamp();
    let sign = |roles: Vec<Role>, driver| {
        sign_access("k1", &f.pkcs8, "u1", "nestor", roles, driver, "s1", now, now + 300).unwrap()
    };
    let driver = f.verifier.verify(&sign(vec![Role::Driver], Some("DRV-1"))).await.unwrap();
    assert_eq!(driver.driver().unwrap(), "DRV-1");
    for (roles, driver) in
        [(vec![Role::Admin], None), (vec![Role::Admin], Some("DRV-1")), (vec![Role::Driver], None)]
    {
        let who = f.verifier.verify(&sign(roles, driver)).await.unwrap();
        let error = who.driver().unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "DRIVERS_ONLY"));
    }
}

#[tokio::test]
async fn a_token_ends_to_the_second() {
    let f = fixture();
    let token = access(&f, "k1");
    f.clock.advance(chrono::Duration::seconds(299));
    assert!(f.verifier.verify(&token).await.is_ok());
    f.clock.advance(chrono::Duration::seconds(1));
    assert_eq!(refused_reason(&f, &token).await, "TOKEN_EXPIRED");
}

#[tokio::test]
async fn wrong_keys_and_tampering_are_refused() {
    let f = fixture();
    assert_eq!(refused_reason(&f, &access(&f, "k2")).await, "TOKEN_INVALID");
    let token = access(&f, "k1");
    for at in [5, token.len() / 2, token.len() - 2] {
        let mut bytes = token.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let tampered = String::from_utf8(bytes).unwrap();
        assert!(f.verifier.verify(&tampered).await.is_err(), "byte {at}");
    }
    for nonsense in ["", "a.b.c", "null", "undefined"] {
        assert_eq!(refused_reason(&f, nonsense).await, "TOKEN_INVALID");
    }
}

#[tokio::test]
async fn a_token_that_was_verified_before_is_held_against_the_key_of_today() {
    let mut f = fixture();
    f.verifier.keys_age = Duration::ZERO;
    let token = access(&f, "k1");
    assert!(f.verifier.verify(&token).await.is_ok());
    assert!(f.verifier.verify(&token).await.is_ok());
    assert!(f.verifier.recognize(&token).is_some());
    // The same id now names another key: signatures by the old key are no longer valid.
    f.source.published.lock().unwrap().insert("k1".to_owned(), vec![7; 32]);
    assert_eq!(refused_reason(&f, &token).await, "TOKEN_INVALID");
    assert!(f.verifier.recognize(&token).is_none());
    f.source.published.lock().unwrap().clear();
    assert_eq!(refused_reason(&f, &token).await, "TOKEN_INVALID");
}

#[tokio::test]
async fn a_public_key_is_no_service_secret() {
    let f = fixture();
    // The classic attack: sign with HMAC, using the public key as secret.
    let now = f.clock.now().timestamp();
    let claims = AccessClaims {
        sub: "u1".into(),
        name: "eve".into(),
        roles: vec![Role::Admin],
        sid: "s".into(),
        driver: None,
        aud: AUDIENCE.into(),
        iat: now,
        exp: now + 60,
    };
    for typ in [ACCESS, SERVICE] {
        for kid in [None, Some("k1".to_owned())] {
            let header = Header { typ: Some(typ.into()), kid, ..Header::new(Algorithm::HS256) };
            let key = EncodingKey::from_secret(&f.public);
            let token = jsonwebtoken::encode(&header, &claims, &key).unwrap();
            assert_eq!(refused_reason(&f, &token).await, "TOKEN_INVALID");
        }
    }
}

/// Another product may be given the same keys. Its tokens must not work here.
#[tokio::test]
async fn a_token_for_another_audience_is_refused() {
    let f = fixture();
    let iat = f.clock.now().timestamp();
    let exp = iat + 60;
    let tokens = |aud: &str| {
        let (sub, name, sid, aud) = ("u1".into(), "maria".into(), "s1".into(), aud.to_owned());
        let roles = vec![Role::Admin];
        let claims = AccessClaims { sub, name, roles, sid, driver: None, aud: aud.clone(), iat, exp };
        let kid = Some("k1".to_owned());
        let header = Header { typ: Some(ACCESS.into()), kid, ..Header::new(Algorithm::EdDSA) };
        let access = jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(&f.pkcs8)).unwrap();
        let claims = ServiceClaims { sub: "system:upload".into(), aud, iat, exp };
        let header = Header { typ: Some(SERVICE.into()), ..Header::new(Algorithm::HS256) };
        let key = EncodingKey::from_secret(b"service-secret");
        [access, jsonwebtoken::encode(&header, &claims, &key).unwrap()]
    };
    for token in tokens(AUDIENCE) {
        assert!(f.verifier.verify(&token).await.is_ok());
    }
    for token in tokens("other") {
        assert_eq!(refused_reason(&f, &token).await, "TOKEN_INVALID");
    }
}

#[tokio::test]
async fn a_service_token_speaks_for_one_service_and_no_role() {
    let f = fixture();
    let identity = ServiceIdentity::new("upload", "service-secret".to_owned().into(), f.clock.clone());
    let who = f.verifier.verify(&identity.token().unwrap()).await.unwrap();
    assert!(who.require_service("upload").is_ok());
    assert!(who.require_service("auth").is_err());
    assert!(who.require(&Role::ALL).is_err());
    let forged = ServiceIdentity::new("upload", "guess".to_owned().into(), f.clock.clone());
    assert_eq!(refused_reason(&f, &forged.token().unwrap()).await, "TOKEN_INVALID");
}

/// The steps of docs/secrets.md: neighboring steps accept each other's tokens.
#[tokio::test]
async fn a_service_secret_is_replaced_while_everybody_understands_everybody() {
    const STEPS: [&str; 4] = ["old", "old\nnew", "new\nold\n", "new"];
    let f = fixture();
    let verifier = |secret: &str| Verifier::new(f.source.clone(), secret.into(), f.clock.clone());
    let token =
        |secret: &str| ServiceIdentity::new("upload", secret.into(), f.clock.clone()).token().unwrap();
    for (at, signing) in STEPS.iter().enumerate() {
        for (other, accepting) in STEPS.iter().enumerate() {
            let accepted = verifier(accepting).verify(&token(signing)).await.is_ok();
            // The steps in between accept both secrets; the first and the last step know only their own.
            assert!(accepted || at.abs_diff(other) > 1, "{signing:?} is refused by {accepting:?}");
            assert!(
                !accepted || (signing.lines().next() == accepting.lines().next()) || accepting.contains('\n')
            );
        }
    }
    assert!(verifier("new").verify(&token("old")).await.is_err());
    assert!(verifier("new\nold").verify(&token("older")).await.is_err());
}

/// Imports use service tokens, which must not fail because two clocks differ by a few seconds.
#[tokio::test]
async fn clocks_that_differ_by_a_minute_or_two_refuse_no_service() {
    let f = fixture();
    for (ahead, good) in
        [(0, true), (6, true), (-61, true), (119, true), (-179, true), (121, false), (-180, false)]
    {
        let clock = Clock::fixed(f.clock.now() + chrono::Duration::seconds(ahead));
        let identity = ServiceIdentity::new("upload", "service-secret".to_owned().into(), clock);
        let verified = f.verifier.verify(&identity.token().unwrap()).await;
        assert_eq!(verified.is_ok(), good, "{ahead} s");
        if let Err(error) = verified {
            assert_eq!((error.kind, error.reason.as_str()), (Kind::Unauthenticated, "TOKEN_EXPIRED"));
        }
    }
    // A person's token from a clock that is ahead is accepted, and expires at the time it says.
    let now = f.clock.now().timestamp();
    let sign = |issued, expires| {
        sign_access("k1", &f.pkcs8, "u1", "maria", vec![Role::Admin], None, "s1", issued, expires).unwrap()
    };
    assert!(f.verifier.verify(&sign(now + 61, now + 361)).await.is_ok());
    assert_eq!(refused_reason(&f, &sign(now - 300, now)).await, "TOKEN_EXPIRED");
}

/// Withdrawing a stolen key must not require a restart of every service.
#[tokio::test]
async fn a_key_that_is_withdrawn_is_forgotten_without_an_unknown_one() {
    let mut f = fixture();
    let token = access(&f, "k1");
    assert!(f.verifier.verify(&token).await.is_ok());
    f.source.published.lock().unwrap().clear();
    assert!(f.verifier.verify(&token).await.is_ok(), "not asked for at every call");
    f.verifier.keys_age = Duration::ZERO;
    f.source.away.store(true, std::sync::atomic::Ordering::SeqCst);
    assert!(f.verifier.verify(&token).await.is_ok(), "auth that is away signs nobody out");
    f.source.away.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(refused_reason(&f, &token).await, "TOKEN_INVALID");
}

/// A refresh that failed says nothing about keys that have been published since.
#[tokio::test]
async fn a_new_key_while_auth_is_away_signs_nobody_out() {
    use std::sync::atomic::Ordering;
    let mut f = fixture();
    assert!(f.verifier.verify(&access(&f, "k1")).await.is_ok());
    f.clock.advance(chrono::Duration::seconds(6));
    f.verifier.keys_age = Duration::ZERO;
    f.source.published.lock().unwrap().insert("k2".to_owned(), f.public.clone());
    f.source.away.store(true, Ordering::SeqCst);
    assert!(f.verifier.verify(&access(&f, "k1")).await.is_ok());
    assert_eq!(f.verifier.verify(&access(&f, "k2")).await.unwrap_err().kind, Kind::Unavailable);
    f.source.away.store(false, Ordering::SeqCst);
    assert!(f.verifier.verify(&access(&f, "k2")).await.is_ok());
}

#[tokio::test]
async fn callers_who_wait_for_keys_fail_together() {
    use std::sync::atomic::Ordering;
    let f = fixture();
    f.source.away.store(true, Ordering::SeqCst);
    let token = access(&f, "k1");
    for answer in futures::future::join_all((0..3).map(|_| f.verifier.verify(&token))).await {
        assert_eq!(answer.unwrap_err().kind, Kind::Unavailable);
    }
    assert_eq!(f.source.asked.load(Ordering::SeqCst), 1);
    f.source.away.store(false, Ordering::SeqCst);
    assert!(f.verifier.verify(&token).await.is_ok());
}

#[tokio::test]
async fn a_clock_that_is_set_back_does_not_put_off_the_next_look_at_the_keys() {
    let f = fixture();
    assert_eq!(refused_reason(&f, &access(&f, "k2")).await, "TOKEN_INVALID");
    f.source.published.lock().unwrap().insert("k2".to_owned(), f.public.clone());
    f.clock.advance(chrono::Duration::days(-1));
    assert!(f.verifier.verify(&access(&f, "k2")).await.is_ok());
}

/// A gateway treats a request as anonymous if it cannot recognize the person.
#[tokio::test]
async fn prepared_keys_recognize_the_first_request() {
    let f = fixture();
    let token = access(&f, "k1");
    assert_eq!(f.verifier.recognize(&token), None);
    assert!(f.verifier.prepare(Duration::from_secs(5)).await);
    assert_eq!(f.verifier.recognize(&token).unwrap().actor(), "maria");
}

#[tokio::test(start_paused = true)]
async fn keys_are_asked_for_until_auth_is_there() {
    use std::sync::atomic::Ordering;
    let f = fixture();
    f.source.away.store(true, Ordering::SeqCst);
    let back = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        f.source.away.store(false, Ordering::SeqCst);
    };
    let (prepared, ()) = tokio::join!(f.verifier.prepare(Duration::from_secs(5)), back);
    assert!(prepared && f.verifier.recognize(&access(&f, "k1")).is_some());
}

#[tokio::test(start_paused = true)]
async fn an_auth_that_stays_away_holds_nobody_up_for_long() {
    use std::sync::atomic::Ordering;
    let f = fixture();
    f.source.away.store(true, Ordering::SeqCst);
    let begun = tokio::time::Instant::now();
    assert!(!f.verifier.prepare(Duration::from_secs(5)).await);
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    f.source.away.store(false, Ordering::SeqCst);
    assert!(f.verifier.verify(&access(&f, "k1")).await.is_ok(), "the first token asks for them");
}
