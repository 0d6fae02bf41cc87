//! Tests clients that are silent, slow, too many, or do not read, over real sockets.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::routing::{get, post};
use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::task::JoinHandle;

use super::*;

const MOMENT: Duration = Duration::from_millis(400);
/// Generous time limit, because the tests must pass on a busy machine, too.
const SOON: Duration = Duration::from_secs(10);
const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<Result<()>>,
}

fn limits() -> Limits {
    Limits {
        connections: 1000,
        per_address: 1000,
        header: SOON,
        idle: SOON,
        write: SOON,
        streams: 8,
        ping: SOON,
        age: None,
    }
}

async fn start(limits: Limits, router: Router) -> Server {
    crate::install_crypto();
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], listener.local_addr().unwrap().port()));
    let stop = CancellationToken::new();
    let task = tokio::spawn(serve(listener, router, limits, stop.clone()));
    Server { address, stop, task }
}

fn hello() -> Router {
    Router::new().route("/", get(|| async { "hello" }))
}

async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address).await.unwrap()
}

/// Connects from the given loopback address.
async fn connect_from(server: &Server, from: [u8; 4]) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from, 0).into()).unwrap();
    socket.connect(server.address).await.unwrap()
}

/// Sends a request and returns the response so far, if one came.
async fn ask(client: &mut TcpStream, request: &[u8]) -> Option<String> {
    client.write_all(request).await.ok()?;
    let mut text = vec![0; 4096];
    let read = tokio::time::timeout(SOON, client.read(&mut text)).await.expect("no answer").ok()?;
    (read > 0).then(|| String::from_utf8_lossy(&text[..read]).into_owned())
}

/// Returns how long a connection stays open while its client sends only `byte`, or nothing, once per `every`.
async fn stays(mut client: TcpStream, every: Duration, byte: Option<u8>) -> Duration {
    let begun = Instant::now();
    let mut buffer = [0; 1024];
    while begun.elapsed() < SOON {
        if let Some(byte) = byte {
            let _ = client.write_all(&[byte]).await;
        }
        if let Ok(Ok(0) | Err(_)) = tokio::time::timeout(every, client.read(&mut buffer)).await {
            return begun.elapsed();
        }
    }
    panic!("the connection stays open");
}

/// Clients that send nothing, or a byte now and then, must not keep connections: each takes a descriptor of
/// the process.
#[tokio::test]
async fn silent_and_trickling_connections_end() {
    let server = start(Limits { header: MOMENT, ..limits() }, hello()).await;
    let step = Duration::from_millis(50);
    let mut clients = Vec::new();
    for n in 0..30 {
        let mut client = connect(&server).await;
        match n % 3 {
            0 => clients.push(stays(client, step, None)),
            1 => {
                client.write_all(b"GET / HTTP/1.1\r\nx: ").await.unwrap();
                clients.push(stays(client, step, Some(b'a')));
            }
            // A second request that trickles must end the connection, too, even after a good first one.
            _ => {
                ask(&mut client, GET).await.unwrap();
                client.write_all(b"GET / HTTP/1.1\r\nx: ").await.unwrap();
                clients.push(stays(client, step, Some(b'a')));
            }
        }
    }
    for took in futures::future::join_all(clients).await {
        assert!(took >= MOMENT / 2 && took < SOON / 2, "{took:?}");
    }
}

/// A browser keeps its connection between clicks; a connection in use is never idle.
#[tokio::test]
async fn a_connection_that_is_used_stays_and_an_idle_one_ends() {
    let slow = hello().route("/slow", get(|| async { sleep(3 * MOMENT).await }));
    let server = start(Limits { header: MOMENT, idle: 2 * MOMENT, ..limits() }, slow).await;
    let mut client = connect(&server).await;
    for _ in 0..3 {
        assert!(ask(&mut client, GET).await.unwrap().contains("hello"));
        // Wait longer than a head may take. The connection stays open, because no head has begun.
        sleep(MOMENT + MOMENT / 4).await;
    }
    let slow = ask(&mut client, b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert!(slow.unwrap().starts_with("HTTP/1.1 200"));
    let took = stays(client, MOMENT, None).await;
    assert!(took >= MOMENT, "{took:?}");
}

#[tokio::test]
async fn one_address_does_not_get_all_connections() {
    let server = start(Limits { connections: 3, per_address: 2, ..limits() }, hello()).await;
    let mut mine = [connect(&server).await, connect(&server).await];
    for client in &mut mine {
        assert!(ask(client, GET).await.is_some());
    }
    assert_eq!(ask(&mut connect(&server).await, GET).await, None, "its share is taken");
    let mut other = connect_from(&server, [127, 0, 0, 2]).await;
    assert!(ask(&mut other, GET).await.is_some());
    assert_eq!(ask(&mut connect_from(&server, [127, 0, 0, 3]).await, GET).await, None, "all are taken");
    drop(mine);
    let begun = Instant::now();
    while ask(&mut connect(&server).await, GET).await.is_none() {
        assert!(begun.elapsed() < SOON, "a closed connection keeps its place");
    }
}

/// Decrements the count when dropped.
struct Token(Arc<AtomicUsize>);

impl Drop for Token {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Serves a response larger than the system's buffers, with a permit that lives as long as the response.
fn large(held: Arc<AtomicUsize>) -> Router {
    Router::new().route(
        "/",
        get(move || async move {
            held.fetch_add(1, Ordering::SeqCst);
            hold(Response::new(Body::from(Bytes::from(vec![b'x'; 64 << 20]))), Token(held.clone()))
        }),
    )
}

/// A response that its client does not read must not stay in memory.
#[tokio::test]
async fn an_answer_that_nobody_reads_is_given_up() {
    let held = Arc::new(AtomicUsize::new(0));
    let settings = Limits { header: MOMENT, write: MOMENT, ..limits() };
    let server = start(settings, large(held.clone())).await;
    let mut http1 = connect(&server).await;
    http1.write_all(GET).await.unwrap();
    let http2 = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let mut http2 = http2.get(format!("http://{}", server.address)).send().await.unwrap();
    http2.chunk().await.unwrap();
    let begun = Instant::now();
    while held.load(Ordering::SeqCst) < 2 && begun.elapsed() < MOMENT {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(held.load(Ordering::SeqCst), 2, "the permits are kept while the answers leave");
    while held.load(Ordering::SeqCst) > 0 {
        assert!(begun.elapsed() < SOON, "an answer waits for ever");
        sleep(Duration::from_millis(20)).await;
    }
    drop((http1, http2));
}

/// A client that reads slowly but steadily gets everything.
#[tokio::test]
async fn a_slow_reader_that_goes_on_gets_the_whole_answer() {
    let held = Arc::new(AtomicUsize::new(0));
    let settings = Limits { header: MOMENT, write: 2 * MOMENT, ..limits() };
    let server = start(settings, large(held.clone())).await;
    let http = reqwest::Client::new();
    let mut answer = http.get(format!("http://{}", server.address)).send().await.unwrap();
    assert_eq!(answer.content_length(), Some(64 << 20));
    let (mut read, mut waits) = (0, 0);
    while let Some(chunk) = answer.chunk().await.unwrap() {
        read += chunk.len();
        if read > waits * (8 << 20) {
            waits += 1;
            sleep(MOMENT / 2).await;
        }
    }
    assert_eq!((read, held.load(Ordering::SeqCst)), (64 << 20, 0));
}

/// A refused upload: the client must not reuse the connection, or its next request would be read as the
/// rest of the file.
#[tokio::test]
async fn an_answer_before_the_end_of_its_request_closes_the_connection() {
    let router = hello()
        .route("/refuse", post(|| async { http::StatusCode::PAYLOAD_TOO_LARGE }))
        .route("/read", post(|body: Bytes| async move { body.len().to_string() }));
    let server = start(limits(), router).await;
    let mut client = connect(&server).await;
    let read = b"POST /read HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc";
    for _ in 0..2 {
        let answer = ask(&mut client, read).await.unwrap();
        assert!(answer.ends_with("\r\n\r\n3") && !answer.contains("connection: close"), "{answer}");
    }
    let refused = b"POST /refuse HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\nabc";
    let answer = ask(&mut client, refused).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("connection: close"), "{answer}");
}

#[tokio::test]
async fn a_stop_ends_what_is_idle_and_waits_for_what_is_under_way() {
    let begun = Arc::new(AtomicBool::new(false));
    let seen = begun.clone();
    let router = hello().route(
        "/slow",
        get(move || async move {
            seen.store(true, Ordering::SeqCst);
            sleep(MOMENT).await;
            "done"
        }),
    );
    let server = start(limits(), router).await;
    let (mut idle, mut busy) = (connect(&server).await, connect(&server).await);
    let silent = connect(&server).await;
    ask(&mut idle, GET).await.unwrap();
    let asked = tokio::spawn(async move { ask(&mut busy, b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await });
    while !begun.load(Ordering::SeqCst) {
        sleep(Duration::from_millis(5)).await;
    }
    server.stop.cancel();
    assert!(asked.await.unwrap().unwrap().ends_with("done"));
    tokio::time::timeout(SOON / 2, server.task).await.expect("still serving").unwrap().unwrap();
    assert!(TcpStream::connect(server.address).await.is_err());
    for client in [idle, silent] {
        stays(client, MOMENT, None).await;
    }
}

/// New servers get their share of requests only when old connections end. That must not lose a request.
#[tokio::test]
async fn an_old_connection_is_replaced_without_losing_a_request() {
    let settings = Limits { header: MOMENT / 4, age: Some(MOMENT / 2), ..limits() };
    let ports = Arc::new(std::sync::Mutex::new(std::collections::HashSet::new()));
    let seen = ports.clone();
    let router = Router::new().route(
        "/",
        get(move |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move {
            seen.lock().unwrap().insert(peer.port());
        }),
    );
    let server = start(settings, router).await;
    let http = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let begun = Instant::now();
    while begun.elapsed() < 4 * MOMENT {
        let answer = http.get(format!("http://{}", server.address)).send().await.unwrap();
        assert!(answer.status().is_success());
    }
    assert!(ports.lock().unwrap().len() > 1, "one connection for ever");
}
