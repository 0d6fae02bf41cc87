//! A mail server that stores what it receives, for scenarios with mail.

use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::running::until;

/// A mail: its recipient and its decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub to: String,
    pub text: String,
    /// The mail as it arrived, for its attachments.
    raw: String,
}

impl Letter {
    /// Returns the name of the attached file as in the mail, and its content.
    pub fn attachment(&self) -> (String, Vec<u8>) {
        let (_, part) = self.raw.split_once("\nContent-Disposition: attachment;").expect("an attachment");
        let (headers, body) = part.split_once("\n\n").unwrap();
        let name = headers.split("\nContent-").next().unwrap().replace('\n', "").trim().to_owned();
        let body = body.split("\n--").next().unwrap().replace('\n', "");
        (name, STANDARD.decode(body).unwrap())
    }
}

#[derive(Clone, Default)]
pub struct Mailbox(Arc<Mutex<Vec<Letter>>>);

impl Mailbox {
    /// Opens a mailbox and returns its SMTP address.
    pub fn open() -> (Self, String) {
        let mailbox = Self::default();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (listener, kept) = (TcpListener::from_std(listener).unwrap(), mailbox.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let kept = kept.clone();
                tokio::spawn(async move { kept.talk(stream).await });
            }
        });
        (mailbox, format!("smtp://{address}"))
    }

    pub fn letters(&self) -> Vec<Letter> {
        self.0.lock().unwrap().clone()
    }

    /// Waits until there are `count` mails, and returns them.
    pub async fn wait_for(&self, count: usize) -> Vec<Letter> {
        until("mails arrive", || async { self.letters().len() >= count }).await;
        self.letters()
    }

    /// Speaks the server side of RFC 5321, as far as these tests need it.
    async fn talk(&self, stream: TcpStream) {
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        write.write_all(b"220 here\r\n").await.unwrap();
        let mut to = String::new();
        while let Ok(Some(line)) = lines.next_line().await {
            let answer: &[u8] = match line.get(..4).unwrap_or_default().to_ascii_uppercase().as_str() {
                "RCPT" => {
                    to = line.split(['<', '>']).nth(1).unwrap().to_owned();
                    b"250 yes\r\n"
                }
                "DATA" => {
                    write.write_all(b"354 go on\r\n").await.unwrap();
                    let mut text = String::new();
                    while let Some(line) = lines.next_line().await.unwrap().filter(|line| line != ".") {
                        text += line.strip_prefix('.').unwrap_or(&line);
                        text += "\n";
                    }
                    // Quoted-printable breaks long lines with a trailing "=".
                    let raw = text;
                    let text = raw.replace("=\n", "").replace("=3D", "=");
                    self.0.lock().unwrap().push(Letter { to: to.clone(), text, raw });
                    b"250 kept\r\n"
                }
                "QUIT" => return write.write_all(b"221 bye\r\n").await.unwrap_or_default(),
                _ => b"250 yes\r\n",
            };
            write.write_all(answer).await.unwrap();
        }
    }
}
