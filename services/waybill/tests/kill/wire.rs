//! A proxy between a program and Postgres. It holds back each statement until the test releases it.

use std::sync::Arc;

use store::testing::postgres_url;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// A statement that is held back. Dropping it blocks its connection.
pub struct Step {
    pub what: What,
    go: oneshot::Sender<()>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The program has sent the statement, and the server has not received it yet.
    Sent { statement: String },
    /// The server has completed the statement, and the program has not received the response yet.
    Answered { command: String, in_transaction: bool },
}

impl Step {
    pub fn go_on(self) {
        // The program may have ended in the meantime.
        let _ = self.go.send(());
    }
}

/// The proxy. Dropping it closes its connections.
pub struct Wire {
    /// The database URL for the program.
    pub url: String,
    steps: mpsc::UnboundedReceiver<Step>,
    _connections: JoinSet<()>,
}

impl Wire {
    /// Opens a proxy to a database of the test server.
    pub async fn to(database: &str) -> Self {
        let mut url = reqwest::Url::parse(&postgres_url()).unwrap();
        let target = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(5432));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        url.set_path(database);
        // Encrypted messages could not be read here, so encryption is off.
        url.set_query(Some("sslmode=disable"));
        let (report, steps) = mpsc::unbounded_channel();
        let mut connections = JoinSet::new();
        connections.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((program, _)) = listener.accept().await {
                let server = TcpStream::connect(&target).await.unwrap();
                open.spawn(connect(program, server, report.clone()));
            }
        });
        Self { url: url.into(), steps, _connections: connections }
    }

    pub async fn next(&mut self) -> Step {
        self.steps.recv().await.expect("the wire is open")
    }
}

async fn connect(program: TcpStream, server: TcpStream, report: mpsc::UnboundedSender<Step>) {
    for stream in [&program, &server] {
        stream.set_nodelay(true).unwrap();
    }
    let (from_program, to_program) = program.into_split();
    let (from_server, to_server) = server.into_split();
    let report = Arc::new(report);
    // When one side closes the connection, close the other side, too.
    tokio::select! {
        _ = statements(from_program, to_server, report.clone()) => {}
        _ = answers(from_server, to_program, report) => {}
    }
}

type Report = Arc<mpsc::UnboundedSender<Step>>;

/// Waits until the statement may go on.
async fn allowed(report: &Report, what: What) -> std::io::Result<()> {
    let (go, gone) = oneshot::channel();
    let ended = || std::io::Error::from(std::io::ErrorKind::ConnectionAborted);
    report.send(Step { what, go }).map_err(|_| ended())?;
    match gone.await {
        Ok(()) => Ok(()),
        // Behave like a hanging process, and leave the connection open.
        Err(_) => std::future::pending().await,
    }
}

async fn statements(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, report: Report) -> std::io::Result<()> {
    // The first message of a connection has no type.
    let mut length = [0; 4];
    from.read_exact(&mut length).await?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
    from.read_exact(&mut body).await?;
    to.write_all(&[&length[..], &body].concat()).await?;
    loop {
        let (kind, message) = message(&mut from).await?;
        // A Parse message has a name before its text, and a Query message has none.
        let statement = match kind {
            b'Q' => Some(text(&message[5..])),
            b'P' => Some(text(message[5..].splitn(2, |byte| *byte == 0).nth(1).unwrap())),
            _ => None,
        };
        if let Some(statement) = statement {
            allowed(&report, What::Sent { statement }).await?;
        }
        to.write_all(&message).await?;
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, report: Report) -> std::io::Result<()> {
    let (mut held, mut command) = (Vec::new(), None);
    loop {
        let (kind, message) = message(&mut from).await?;
        // Outside a transaction, a statement is committed only when the server is ready again.
        match kind {
            b'C' => command = Some(text(&message[5..])),
            b'Z' => {
                if let Some(command) = command.take() {
                    let in_transaction = message[5] != b'I';
                    allowed(&report, What::Answered { command, in_transaction }).await?;
                }
            }
            _ => {}
        }
        held.extend(message);
        if command.is_none() {
            to.write_all(&held).await?;
            held.clear();
        }
    }
}

/// Reads one message. Returns its type and the whole message.
async fn message(from: &mut (impl AsyncRead + Unpin)) -> std::io::Result<(u8, Vec<u8>)> {
    let mut message = vec![0; 5];
    from.read_exact(&mut message).await?;
    let length = u32::from_be_bytes([message[1], message[2], message[3], message[4]]) as usize;
    message.resize(length + 1, 0);
    from.read_exact(&mut message[5..]).await?;
    Ok((message[0], message))
}

/// Returns the text up to the terminating zero byte.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
