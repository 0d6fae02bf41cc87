//! A scripted receiver of webhooks that records what it gets.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug)]
pub struct Received {
    head: Vec<(String, String)>,
    pub body: String,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.head.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub struct Answer {
    status: u16,
    headers: String,
    body: String,
    after: Duration,
    once: Option<CancellationToken>,
}

impl Answer {
    pub fn status(status: u16) -> Self {
        Self { status, headers: String::new(), body: String::new(), after: Duration::ZERO, once: None }
    }

    pub fn saying(self, body: &str) -> Self {
        Self { body: body.to_owned(), ..self }
    }

    pub fn redirecting(to: &str) -> Self {
        Self { headers: format!("location: {to}\r\n"), ..Self::status(302) }
    }

    pub fn after(self, after: Duration) -> Self {
        Self { after, ..self }
    }

    /// Waits until the token is cancelled.
    pub fn once(self, cancelled: CancellationToken) -> Self {
        Self { once: Some(cancelled), ..self }
    }
}

type Answering = dyn Fn(&Received) -> Answer + Send + Sync;

pub struct Receiver {
    port: u16,
    got: Arc<Mutex<Vec<Received>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Receiver {
    pub async fn start(answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let got = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer): (_, Arc<Answering>) = (got.clone(), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, kept.clone(), answer.clone()));
            }
        });
        Self { port, got, task }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    pub fn requests(&self) -> Vec<Received> {
        self.got.lock().unwrap().clone()
    }
}

async fn serve(stream: TcpStream, got: Arc<Mutex<Vec<Received>>>, answer: Arc<Answering>) {
    let mut stream = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        match line.trim_end().split_once(": ") {
            Some((key, value)) => head.push((key.to_lowercase(), value.to_owned())),
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let length =
        head.iter().find(|(key, _)| key == "content-length").map_or(0, |(_, it)| it.parse().unwrap());
    let mut body = vec![0; length];
    if stream.read_exact(&mut body).await.is_err() {
        return;
    }
    let request = Received { head, body: String::from_utf8(body).unwrap() };
    let Answer { status, headers, body, after, once } = answer(&request);
    got.lock().unwrap().push(request);
    tokio::time::sleep(after).await;
    if let Some(once) = once {
        once.cancelled().await;
    }
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes()).await;
}
