//! Who gets in, whom a client believes, and what happens when files change. Calls go through the same client
//! and server as those between services.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tonic::service::Routes;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use super::*;
use crate::config::{Flags, Target, load};
use crate::rpc::{Transport, serve};
use crate::testing::{Authority, metric_value, pem};

const LIMIT: Duration = Duration::from_secs(10);
const LATER: (i32, u8, u8) = (2099, 1, 1);
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A service or a caller: its files, and what it read from them.
struct Party {
    config: Grpc,
    folder: TempDir,
    tls: Tls,
}

impl Party {
    fn of(authority: &Authority) -> Self {
        Self::named(authority, &["127.0.0.1"])
    }

    fn named(authority: &Authority, names: &[&str]) -> Self {
        Self::with(authority, names, |_| {})
    }

    fn with(authority: &Authority, names: &[&str], change: impl FnOnce(&mut Grpc)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = load(&Flags::default(), Target::All).unwrap().config.grpc;
        authority.equip_as(names, LATER, &mut config, folder.path());
        change(&mut config);
        let tls = Tls::open(&config, &Clock::system()).unwrap().unwrap();
        Self { config, folder, tls }
    }

    /// Returns why the files cannot be used.
    fn refusal(&self) -> String {
        Tls::open(&self.config, &Clock::system()).err().expect("they are used").to_string()
    }

    /// Serves the health service; returns its address.
    async fn serve(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let routes = Routes::from(axum::Router::new());
        tokio::spawn(serve(listener, routes, Some(self.tls.clone()), CancellationToken::new()));
        address
    }

    fn transport(&self, address: SocketAddr) -> Transport {
        Transport::connect("test", &format!("https://{address}"), LIMIT, Some(&self.tls)).unwrap()
    }
}

async fn call(transport: &Transport) -> std::result::Result<(), Status> {
    let mut client = HealthClient::new(transport.anonymous());
    client.check(HealthCheckRequest::default()).await.map(|_| ())
}

/// What a stranger connects with: the authorities that it accepts, and perhaps a certificate.
fn stranger(accepts: &Authority, certificate: Option<(Vec<u8>, Vec<u8>)>) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_slice_iter(accepts.pem().as_bytes()) {
        roots.add(root.unwrap()).unwrap();
    }
    let builder = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(VERSIONS)
        .unwrap()
        .with_root_certificates(roots);
    match certificate {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let key = PrivatePkcs8KeyDer::from(key).into();
            builder.with_client_auth_cert(vec![CertificateDer::from(certificate)], key).unwrap()
        }
    }
}

/// Connects and begins to speak; returns the server's certificate, or the reason for which it ends the
/// connection.
async fn connect(address: SocketAddr, config: ClientConfig) -> std::result::Result<Vec<u8>, String> {
    let connecting = async {
        let socket = TcpStream::connect(address).await?;
        let name = ServerName::IpAddress(address.ip().into());
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, socket).await?;
        let shown = stream.get_ref().1.peer_certificates().unwrap()[0].to_vec();
        stream.write_all(PREFACE).await?;
        stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await?;
        stream.flush().await?;
        // In TLS 1.3 a client learns only here that its certificate was refused.
        stream.read_exact(&mut [0]).await?;
        io::Result::Ok(shown)
    };
    tokio::time::timeout(LIMIT, connecting).await.unwrap().map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_call_between_services_of_one_authority_is_answered() {
    let authority = Authority::new();
    let address = Party::of(&authority).serve().await;
    call(&Party::of(&authority).transport(address)).await.unwrap();
}

#[tokio::test]
async fn a_client_needs_a_valid_certificate_of_the_authority() {
    let (authority, other) = (Authority::new(), Authority::new());
    let address = Party::of(&authority).serve().await;
    let connected = |certificate| connect(address, stranger(&authority, certificate));
    connected(Some(authority.sign(&["upload"]))).await.unwrap();
    for (certificate, reason) in [
        (None, "CertificateRequired"),
        (Some(other.sign(&["upload"])), "UnknownCA"),
        (Some(authority.sign_until(&["upload"], (2020, 1, 1))), "CertificateExpired"),
    ] {
        let refused = connected(certificate).await.unwrap_err();
        assert!(refused.contains(reason), "{reason}: {refused}");
    }
    // A client of another authority does not believe the server either.
    let refused = connect(address, stranger(&other, Some(other.sign(&["upload"])))).await.unwrap_err();
    assert!(refused.contains("UnknownIssuer"), "{refused}");
}

/// Returns whether a server speaks HTTP/2 on a connection without TLS.
async fn speaks_plainly(address: SocketAddr) -> bool {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let asking = async {
        socket.write_all(PREFACE).await?;
        socket.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await?;
        socket.read_exact(&mut [0; 9]).await
    };
    tokio::time::timeout(LIMIT, asking).await.unwrap().is_ok()
}

#[tokio::test]
async fn plaintext_is_refused_unless_both_are_accepted() {
    let authority = Authority::new();
    let strict = Party::of(&authority).serve().await;
    assert!(!speaks_plainly(strict).await);
    let plain = Transport::connect("test", &format!("http://{strict}"), LIMIT, None).unwrap();
    assert!(call(&plain).await.is_err());

    let both = Party::with(&authority, &["127.0.0.1"], |config| config.allow_plaintext = true);
    let address = both.serve().await;
    assert!(speaks_plainly(address).await);
    call(&Transport::connect("test", &format!("http://{address}"), LIMIT, None).unwrap()).await.unwrap();
    call(&both.transport(address)).await.unwrap();
    // Whoever encrypts still needs a certificate.
    assert!(connect(address, stranger(&authority, None)).await.is_err());
}

#[tokio::test]
async fn a_service_is_believed_only_if_its_certificate_has_its_name() {
    let authority = Authority::new();
    let address = Party::named(&authority, &["drivers"]).serve().await;
    let refused = call(&Party::of(&authority).transport(address)).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    assert!(format!("{refused:?}").contains("NotValidForName"), "{refused:?}");
}

#[test]
fn an_encrypted_address_takes_a_certificate() {
    assert!(Transport::connect("test", "https://127.0.0.1:1", LIMIT, None).is_err());
}

/// Renews the server's certificate while calls go on, and then breaks its files.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewed_certificate_is_used_without_a_restart_and_a_broken_one_is_not() {
    let authority = Authority::new();
    let mut service = Party::of(&authority);
    let address = service.serve().await;
    let shown =
        || async { connect(address, stranger(&authority, Some(authority.sign(&["x"])))).await.unwrap() };
    let first = shown().await;

    let (done, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let transport = Party::of(&authority).transport(address);
    let caller = tokio::spawn({
        let (done, calls) = (done.clone(), calls.clone());
        async move {
            while !done.load(Ordering::SeqCst) {
                call(&transport).await.unwrap();
                calls.fetch_add(1, Ordering::SeqCst);
                sleep(Duration::from_millis(1)).await;
            }
        }
    });
    let goes_on = || async {
        let before = calls.load(Ordering::SeqCst);
        while calls.load(Ordering::SeqCst) < before + 5 {
            assert!(!caller.is_finished(), "a call failed");
            sleep(Duration::from_millis(1)).await;
        }
    };
    let stop = CancellationToken::new();
    let follower = service.tls.clone();
    let following = tokio::spawn({
        let stop = stop.clone();
        async move { follower.follow_every(Duration::from_millis(5), stop).await }
    });

    goes_on().await;
    authority.equip_as(&["127.0.0.1"], (2098, 1, 1), &mut service.config, service.folder.path());
    let renewed = async {
        while shown().await == first {
            sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LIMIT, renewed).await.expect("the renewed certificate is not used");
    assert_eq!(service.tls.validity().certificate.to_rfc3339(), "2098-01-01T00:00:00+00:00");
    goes_on().await;
    stop.cancel();
    following.await.unwrap();

    let second = shown().await;
    std::fs::write(&service.config.certificate_file, "not a certificate").unwrap();
    let refused = service.tls.refresh().unwrap_err();
    assert!(refused.starts_with(&service.config.certificate_file), "{refused}");
    assert_eq!(shown().await, second);
    goes_on().await;
    done.store(true, Ordering::SeqCst);
    caller.await.unwrap();
}

/// An authority is replaced in two steps: first everybody accepts both, then certificates come from the new one.
#[tokio::test]
async fn services_accept_every_authority_of_their_file() {
    let (old, new) = (Authority::new(), Authority::new());
    let (before, mut after) = (Party::of(&old), Party::of(&new));
    for party in [&before, &after] {
        std::fs::write(&party.config.authority_file, old.pem() + &new.pem()).unwrap();
        assert!(party.tls.refresh().unwrap());
        assert!(!party.tls.refresh().unwrap(), "nothing has changed since");
    }
    call(&after.transport(before.serve().await)).await.unwrap();
    call(&before.transport(after.serve().await)).await.unwrap();
    // The certificate of the old authority is refused again once that authority is gone.
    new.equip(&mut after.config, after.folder.path());
    after.tls.refresh().unwrap();
    assert!(call(&before.transport(after.serve().await)).await.is_err());
}

#[test]
fn files_that_do_not_belong_together_are_refused_at_start() {
    let authority = Authority::new();
    let party = Party::of(&authority);
    let path = |name: &str| party.folder.path().join(name).display().to_string();
    let restore = || authority.equip_as(&["auth"], LATER, &mut party.config.clone(), party.folder.path());

    std::fs::remove_file(&party.config.key_file).unwrap();
    assert!(party.refusal().contains(&format!("cannot read {}", path("tls.key"))), "{}", party.refusal());

    restore();
    let (_, other) = authority.sign(&["auth"]);
    std::fs::write(&party.config.key_file, pem("PRIVATE KEY", &other)).unwrap();
    assert!(party.refusal().contains(&format!("{}: is not the key", path("tls.key"))), "{}", party.refusal());

    restore();
    std::fs::write(&party.config.authority_file, Authority::new().pem()).unwrap();
    assert!(party.refusal().contains("must be signed by that authority"), "{}", party.refusal());

    restore();
    std::fs::write(&party.config.authority_file, "").unwrap();
    assert!(
        party.refusal().contains(&format!("{}: has no certificate", path("ca.crt"))),
        "{}",
        party.refusal()
    );

    authority.equip_as(&["auth"], (2020, 1, 1), &mut party.config.clone(), party.folder.path());
    assert!(party.refusal().contains("expired on 2020-01-01"), "{}", party.refusal());

    restore();
    assert!(Tls::open(&party.config, &Clock::system()).unwrap().is_some());
}

#[test]
fn the_time_until_certificates_expire_is_a_metric() {
    let authority = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    let mut config = load(&Flags::default(), Target::All).unwrap().config.grpc;
    authority.equip_as(&["auth"], (2030, 1, 3), &mut config, folder.path());
    let clock = Clock::fixed("2030-01-01T00:00:00Z".parse().unwrap());
    let tls = Tls::open(&config, &clock).unwrap().unwrap();
    assert_eq!(tls.seconds_left(tls.validity().certificate), 172_800.0);
    clock.advance(chrono::Duration::days(3));
    assert_eq!(tls.seconds_left(tls.validity().certificate), -86_400.0);
    // Values are those of the last certificate that this process opened, perhaps in another test.
    for certificate in ["own", "authority"] {
        let left = metric_value("waybill_certificate_left_seconds", &[("certificate", certificate)]);
        assert!(left.is_some(), "{certificate}");
    }
}
