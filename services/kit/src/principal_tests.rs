use super::*;
use crate::Kind;
use ring::signature::KeyPair;

struct Keys(HashMap<String, Vec<u8>>);

#[async_trait]
impl KeySource for Keys {
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>> {
        Ok(self.0.clone())
    }
}

struct Fixture {
    verifier: Verifier,
    pkcs8: Vec<u8>,
    public: Vec<u8>,
    clock: Clock,
}

fn fixture() -> Fixture {
    let clock = Clock::fixed(chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap());
    let rng = ring::rand::SystemRandom::new();
    let pkcs8 = ring::signature::Ed25519KeyPair::generate_pkcs8(&rng).unwrap().as_ref().to_vec();
    let public = ring::signature::Ed25519KeyPair::from_pkcs8(&pkcs8).unwrap().public_key().as_ref().to_vec();
    let source = Arc::new(Keys(HashMap::from([("k1".to_owned(), public.clone())])));
    let verifier = Verifier::new(source, "service-secret".to_owned().into(), clock.clone());
    Fixture { verifier, pkcs8, public, clock }
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
async fn a_public_key_is_no_service_secret() {
    let f = fixture();
    // The classic swap: sign with HMAC under the public key and hope for the wrong branch.
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
