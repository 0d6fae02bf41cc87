//! Calls over links that break and to services that restart.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use axum::Router;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::breaker::{CONNECT, OPEN};
use super::*;
use crate::clock::Clock;
use crate::config::{Flags, Target, load};
use crate::connections;
use crate::testing::{Authority, Fault, Proxy, Towards, long, metric_value};

const LIMIT: Duration = Duration::from_secs(15);

/// A service with one method that reads and one that changes something.
struct Service {
    address: String,
    stop: CancellationToken,
    task: JoinHandle<Result<()>>,
    calls: Arc<AtomicUsize>,
}

impl Service {
    async fn start() -> Self {
        Self::at("127.0.0.1:0", false).await
    }

    /// Starts the service. With `fails`, the first call breaks off without a response.
    async fn at(address: &str, fails: bool) -> Self {
        Self::with(address, fails, None).await
    }

    async fn with(address: &str, fails: bool, tls: Option<Tls>) -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        let seen = calls.clone();
        let method = post(move |body: bytes::Bytes| async move {
            let first = seen.fetch_add(1, Ordering::SeqCst) == 0;
            assert!(!(first && fails), "the connection breaks off, on purpose");
            body
        });
        let router = Router::new().route("/t/GetThing", method.clone()).route("/t/UpdateThing", method);
        Self::serve(address, router, calls, tls).await
    }

    async fn serve(address: &str, router: Router, calls: Arc<AtomicUsize>, tls: Option<Tls>) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let stop = CancellationToken::new();
        let limits = super::super::limits();
        let task = tokio::spawn(connections::serve_with(listener, router, limits, tls, stop.clone()));
        Self { address, stop, task, calls }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(LIMIT, self.task).await.expect("it does not stop").unwrap().unwrap();
    }
}

/// Calls a method; returns the error that callers would see.
async fn call(peer: &Peer, method: &str) -> Result<()> {
    let request = http::Request::post(format!("/t/{method}")).body(Body::new(Full::from("x"))).unwrap();
    let answer = peer.call(request).await.map_err(Status::from_error)?;
    if let Some(status) = Status::from_header_map(answer.headers()) {
        return Err(status.into());
    }
    let body = answer.into_body().collect().await?.to_bytes();
    assert_eq!(body, "x");
    Ok(())
}

/// A half-open link looks alive, but its far end has lost the connection. A call over it may take about ten
/// seconds, including its repetition over another connection.
#[tokio::test]
async fn a_half_open_link_is_found_out_and_left() {
    let ping = if long() { PING } else { Duration::from_millis(300) };
    let service = Service::start().await;
    let proxy = Proxy::start(&service.address).await.unwrap();
    let peer = Peer::with_ping("test", &proxy.url("http"), LIMIT, ping, None).unwrap();
    for _ in 0..CONNECTIONS {
        call(&peer, "GetThing").await.unwrap();
    }
    assert_eq!(proxy.accepted(), CONNECTIONS as u64);
    proxy.strand();
    let stranded = Instant::now();
    let calls = (0..6).map(|_| call(&peer, "GetThing"));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    let took = stranded.elapsed();
    assert!(took < 2 * ping + Duration::from_secs(1), "{took:?}");
    // Every connection has been replaced by a new one.
    for _ in 0..CONNECTIONS {
        call(&peer, "UpdateThing").await.unwrap();
    }
    assert_eq!(proxy.accepted(), 2 * CONNECTIONS as u64);
}

/// Whatever the network does, a call must end in time, and calls must succeed again soon after it recovers.
#[tokio::test]
async fn a_call_ends_in_time_and_works_again_after_the_network_does() {
    let service = Service::start().await;
    let proxy = Proxy::start(&service.address).await.unwrap();
    let limit = Duration::from_secs(1);
    let peer = Peer::with_ping("test", &proxy.url("http"), limit, Duration::from_millis(200), None).unwrap();
    for fault in [Fault::Cut, Fault::Reset, Fault::Stall, Fault::Rate(1), Fault::CutAfter(5)] {
        proxy.set(fault);
        let begun = Instant::now();
        assert!(call(&peer, "GetThing").await.is_err(), "{fault:?}");
        assert!(begun.elapsed() < 2 * limit, "{fault:?}: {:?}", begun.elapsed());
        proxy.heal();
        let healed = Instant::now();
        while call(&peer, "GetThing").await.is_err() {
            assert!(healed.elapsed() < Duration::from_secs(5), "{fault:?}");
        }
    }
}

/// A call may have been carried out although its response is lost; only reads are repeated.
#[tokio::test]
async fn a_read_is_repeated_and_a_change_is_not() {
    let service = Service::at("127.0.0.1:0", true).await;
    let peer = Peer::new("test", &service.url(), LIMIT, None).unwrap();
    call(&peer, "GetThing").await.unwrap();
    assert_eq!(service.calls.load(Ordering::SeqCst), 2);

    let service = Service::at("127.0.0.1:0", true).await;
    let peer = Peer::new("test", &service.url(), LIMIT, None).unwrap();
    let error = call(&peer, "UpdateThing").await.unwrap_err();
    assert_eq!(error.reason, "ANSWER_LOST", "nobody may be told that nothing was changed");
    assert_eq!(service.calls.load(Ordering::SeqCst), 1);
}

/// A change that was sent over a silent link may have arrived, so it is not repeated.
#[tokio::test]
async fn a_change_behind_a_silent_link_is_said_to_be_unknown() {
    let service = Service::start().await;
    let proxy = Proxy::start(&service.address).await.unwrap();
    let limits = [(LIMIT, Duration::from_millis(200)), (Duration::from_millis(400), LIMIT)];
    for (limit, ping) in limits {
        let peer = Peer::with_ping("test", &proxy.url("http"), limit, ping, None).unwrap();
        for _ in 0..CONNECTIONS {
            call(&peer, "UpdateThing").await.unwrap();
        }
        let before = service.calls.load(Ordering::SeqCst);
        proxy.set_towards(Towards::Client, Fault::Stall);
        assert_eq!(call(&peer, "UpdateThing").await.unwrap_err().reason, "ANSWER_LOST");
        assert_eq!(service.calls.load(Ordering::SeqCst), before + 1, "it was made");
        proxy.heal();
    }
}

/// A rise is seen only from a value that was shown before.
#[tokio::test]
async fn calls_without_an_answer_are_counted_from_zero() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let peer = Peer::new("missing", &format!("http://{nobody}"), LIMIT, None).unwrap();
    let unreachable = || metric_value("waybill_unreachable_total", &[("service", "missing")]);
    assert_eq!(unreachable(), Some(0.0));
    assert!(call(&peer, "GetThing").await.is_err());
    assert_eq!(unreachable(), Some(1.0));
}

/// A restarting service is down for a moment; calls that it did not begin wait for it.
#[tokio::test]
async fn a_call_that_never_left_is_repeated_whatever_it_is() {
    let service = Service::start().await;
    let address = service.address.clone();
    let peer = Peer::new("test", &service.url(), LIMIT, None).unwrap();
    call(&peer, "UpdateThing").await.unwrap();
    service.stop().await;
    let before = peer.0.next.load(Ordering::SeqCst);
    let starting = async {
        // The second attempt begins once the first has been refused.
        while peer.0.next.load(Ordering::SeqCst) < before + 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Service::at(&address, false).await
    };
    let (answer, service) = tokio::join!(call(&peer, "UpdateThing"), starting);
    answer.unwrap();
    assert_eq!(service.calls.load(Ordering::SeqCst), 1);
}

/// Encryption makes an attempt to connect wait for the service, as dropped packets do.
#[tokio::test]
async fn many_callers_of_a_silent_service_wait_for_one_attempt() {
    let tls = certificate();
    let service = Service::with("127.0.0.1:0", false, tls.clone()).await;
    let proxy = Proxy::start(&service.address).await.unwrap();
    proxy.set(Fault::Stall);
    let peer = Peer::new("test", &proxy.url("https"), LIMIT, tls.as_ref()).unwrap();
    let begun = Instant::now();
    for answer in futures::future::join_all((0..20).map(|_| call(&peer, "GetThing"))).await {
        assert_eq!(answer.unwrap_err().reason, "SERVICE_UNAVAILABLE");
    }
    assert!(begun.elapsed() < 2 * CONNECT, "{:?}", begun.elapsed());
    // From then on, nobody waits, although an attempt finds out whether the service answers again.
    tokio::time::sleep(OPEN).await;
    let begun = Instant::now();
    let (one, two) = tokio::join!(call(&peer, "GetThing"), call(&peer, "GetThing"));
    assert!(one.is_err() && two.is_err());
    assert!(begun.elapsed() < CONNECT, "{:?}", begun.elapsed());
    proxy.heal();
    let healed = Instant::now();
    while call(&peer, "UpdateThing").await.is_err() {
        assert!(healed.elapsed() < 4 * CONNECT, "the service is back");
    }
}

/// During a roll-out, replicas of the earlier release do not know a new method.
#[tokio::test]
async fn a_method_that_one_replica_does_not_know_is_tried_at_the_next() {
    let unknown =
        Router::new().fallback(|| async { Status::unimplemented("").into_http::<axum::body::Body>() });
    let old = Service::serve("127.0.0.1:0", unknown, Arc::default(), None).await;
    let new = Service::start().await;
    let proxy = Proxy::start(&old.address).await.unwrap();
    let peer = Peer::new("test", &proxy.url("http"), LIMIT, None).unwrap();
    let upgrading = async {
        // The second attempt begins once the first has been answered.
        while peer.0.next.load(Ordering::SeqCst) < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        proxy.point_to(&new.address);
    };
    let (answer, ()) = tokio::join!(call(&peer, "UpdateThing"), upgrading);
    answer.unwrap();
    assert_eq!(new.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_loses_no_call() {
    rolling_restart(None).await;
}

/// A client's side of a handshake ends first, so a change may be under way on a connection that the service
/// has not accepted yet when it stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_loses_no_encrypted_call() {
    rolling_restart(certificate()).await;
}

/// Returns the certificate of a service that calls itself.
fn certificate() -> Option<Tls> {
    let folder = tempfile::tempdir().unwrap();
    let mut config = load(&Flags::default(), Target::All).unwrap().config.grpc;
    Authority::new().equip(&mut config, folder.path());
    Tls::open(&config, &Clock::system()).unwrap()
}

/// Replaces replicas one after the other: each first refuses new connections, then ends the existing ones.
/// Neither readers nor writers notice.
async fn rolling_restart(tls: Option<Tls>) {
    let start = || Service::with("127.0.0.1:0", false, tls.clone());
    let mut service = start().await;
    let proxy = Proxy::start(&service.address).await.unwrap();
    let scheme = if tls.is_some() { "https" } else { "http" };
    let peer = Peer::new("test", &proxy.url(scheme), LIMIT, tls.as_ref()).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let callers = ["GetThing", "UpdateThing", "GetThing", "UpdateThing"].map(|method| {
        let (peer, done) = (peer.clone(), done.clone());
        tokio::spawn(async move {
            let mut calls = 0;
            while !done.load(Ordering::SeqCst) {
                call(&peer, method).await.unwrap();
                calls += 1;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            calls
        })
    });
    let mut answered = 0;
    for _ in 0..if long() { 100 } else { 10 } {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let next = start().await;
        proxy.point_to(&next.address);
        answered += service.calls.load(Ordering::SeqCst);
        std::mem::replace(&mut service, next).stop().await;
    }
    done.store(true, Ordering::SeqCst);
    let mut calls = 0;
    for caller in callers {
        calls += caller.await.unwrap();
    }
    answered += service.calls.load(Ordering::SeqCst);
    assert!(calls >= answered.min(100) && calls > 100, "{calls} calls, {answered} answered");
}

#[test]
fn what_only_reads_is_known_by_its_name() {
    for path in ["/waybill.auth.v1.AuthService/CheckSession", "/a.B/ListThings", "/a.B/BatchGetItems"] {
        assert!(reads(path), "{path}");
    }
    for path in [
        "/a.B/Login",
        "/a.B/CreateUser",
        "/a.B/RecordOutcome",
        "/a.List/Mark",
        "",
        "/Get/x",
        "/waybill.upload.v1.UploadService/CheckAgain",
    ] {
        assert!(!reads(path), "{path}");
    }
}
