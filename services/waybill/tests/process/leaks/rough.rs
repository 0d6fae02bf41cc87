//! Clients that don't behave: they break off a request or an answer, reset their connection, or vanish without
//! closing it. Also a receiver of webhooks that hangs up.

use std::net::SocketAddr;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use kit::testing::Proxy;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

/// The result of an operation; the error says what went wrong.
pub type Done<T = ()> = Result<T, String>;
pub type Socket = WebSocketStream<TcpStream>;

/// Time limit for an answer.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// What an open screen listens to.
const SUBSCRIPTIONS: [&str; 3] = [
    "subscription { deliveryChanged { id } }",
    "subscription { deliveriesChanged }",
    "subscription { currentUserChanged }",
];

/// Returns the bytes of a request. Each of `headers` ends with a line break.
pub fn request(line: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("{line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
}

async fn within<T, E: std::fmt::Display>(what: &str, work: impl Future<Output = Result<T, E>>) -> Done<T> {
    match timeout(PATIENCE, work).await {
        Ok(done) => done.map_err(|error| format!("{what}: {error}")),
        Err(_) => Err(format!("{what}: not within {PATIENCE:?}")),
    }
}

async fn connect(address: SocketAddr) -> Done<TcpStream> {
    within("connecting", TcpStream::connect(address)).await
}

async fn open(address: SocketAddr, begin: &str) -> Done<TcpStream> {
    let mut socket = connect(address).await?;
    within("sending", socket.write_all(begin.as_bytes())).await?;
    Ok(socket)
}

/// Sends a request, or the beginning of one, and closes the connection without waiting for an answer.
pub async fn abandon(address: SocketAddr, request: &str) -> Done {
    open(address, request).await.map(drop)
}

/// Sends a request, reads about so many bytes of the answer, and resets the connection. Returns the status.
pub async fn read_some(address: SocketAddr, request: &str, bytes: usize) -> Done<u16> {
    let mut socket = open(address, request).await?;
    let mut piece = vec![0; 16 << 10];
    let mut read = within("reading", socket.read(&mut piece)).await?;
    let head = String::from_utf8_lossy(&piece[..read]);
    let status: Option<u16> = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| format!("this is no answer: {head}"))?;
    while status == 200 && read < bytes {
        match within("reading on", socket.read(&mut piece)).await? {
            0 => return Err(format!("the answer ended after {read} bytes")),
            more => read += more,
        }
    }
    socket.set_zero_linger().map_err(|error| error.to_string())?;
    Ok(status)
}

/// Opens a WebSocket, and waits until all subscriptions are active.
pub async fn listen(address: SocketAddr, token: &str) -> Done<Socket> {
    let stream = connect(address).await?;
    let mut request = "ws://localhost/graphql".into_client_request().map_err(|error| error.to_string())?;
    request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().unwrap());
    let (mut socket, _) = within("opening a WebSocket", client_async(request, stream)).await?;
    let payload = json!({ "authorization": format!("Bearer {token}") });
    say(&mut socket, json!({ "type": "connection_init", "payload": payload })).await?;
    hear(&mut socket, "connection_ack").await?;
    for (id, query) in SUBSCRIPTIONS.iter().enumerate() {
        let message = json!({ "type": "subscribe", "id": id.to_string(), "payload": { "query": query } });
        say(&mut socket, message).await?;
    }
    // Messages are processed in order, so after this response the subscriptions are active.
    say(&mut socket, json!({ "type": "ping" })).await?;
    hear(&mut socket, "pong").await?;
    Ok(socket)
}

async fn say(socket: &mut Socket, message: Value) -> Done {
    within("sending to the WebSocket", socket.send(Message::text(message.to_string()))).await
}

/// Waits for a message of this type, and ignores others.
async fn hear(socket: &mut Socket, kind: &str) -> Done {
    within(&format!("waiting for {kind}"), heard(socket, kind)).await
}

async fn heard(socket: &mut Socket, kind: &str) -> Done {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                let message: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
                if message["type"] == kind {
                    return Ok(());
                }
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            other => return Err(format!("{other:?}")),
        }
    }
}

/// Opens connections in each state that one can be in, and cuts off their network: nothing of them reaches the
/// program any more, not even their end. Keep the proxy until the program has given them up.
pub async fn vanish(program: SocketAddr, token: &str) -> Done<Proxy> {
    let proxy = Proxy::start(program.to_string()).await.map_err(|error| error.to_string())?;
    let address = proxy.address();
    let sign_in = request("POST /auth", "", &" ".repeat(100));
    let silent = open(address, "").await?;
    let half_head = open(address, "GET / HTTP/1.1\r\nx: ").await?;
    let half_body = open(address, &sign_in[..sign_in.len() - 50]).await?;
    let mut idle = open(address, &request("GET /health", "", "")).await?;
    if within("reading", idle.read(&mut [0; 1024])).await? == 0 {
        return Err("a connection was closed without an answer".to_owned());
    }
    let live = listen(address, token).await?;
    proxy.strand();
    drop((silent, half_head, half_body, idle, live));
    Ok(proxy)
}

/// Starts a receiver of webhooks. It hangs up at once, hangs up in the middle of its answer, and accepts, in turn.
/// Returns its address.
pub async fn receiver() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let answers = ["", "HTTP/1.1 204 No Co", "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"];
        for answer in answers.iter().cycle() {
            let Ok((mut socket, _)) = listener.accept().await else { return };
            let mut message = vec![0; 64 << 10];
            // The sender may hang up first.
            if socket.read(&mut message).await.is_ok_and(|read| read > 0) {
                let _ = socket.write_all(answer.as_bytes()).await;
            }
        }
    });
    url
}
