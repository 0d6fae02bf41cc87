//! Tests mail with a minimal SMTP server in this process.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use chrono::DateTime;
use kit::config::{Flags, Part, load};
use kit::testing::{Log, metric_value};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// The target that runs auth in a process of its own.
const AUTH: Target = Target::Service(Part { name: crate::NAME, keeps_objects: false });

/// An SMTP server that supports just what sending one mail takes. Stops when dropped.
pub struct Server {
    pub url: String,
    state: Arc<State>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct State {
    /// Error responses to the next recipients. Later recipients are accepted.
    refusals: Mutex<VecDeque<&'static str>>,
    mails: Mutex<Vec<String>>,
    attempts: Mutex<usize>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub async fn start(refusals: &[&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::on(listener, refusals)
    }

    fn on(listener: TcpListener, refusals: &[&'static str]) -> Self {
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let state =
            Arc::new(State { refusals: Mutex::new(refusals.iter().copied().collect()), ..State::default() });
        let shared = state.clone();
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                connections.spawn(talk(socket, shared.clone()));
            }
        });
        Self { url, state, task }
    }

    pub fn mails(&self) -> Vec<String> {
        self.state.mails.lock().unwrap().clone()
    }

    pub fn attempts(&self) -> usize {
        *self.state.attempts.lock().unwrap()
    }
}

async fn talk(mut socket: TcpStream, state: Arc<State>) -> std::io::Result<()> {
    let (reader, mut writer) = socket.split();
    let mut lines = BufReader::new(reader).lines();
    writer.write_all(b"220 here\r\n").await?;
    let mut mail: Option<String> = None;
    while let Some(line) = lines.next_line().await? {
        if let Some(text) = &mut mail {
            if line == "." {
                state.mails.lock().unwrap().push(mail.take().unwrap_or_default());
                writer.write_all(b"250 taken\r\n").await?;
            } else {
                text.push_str(&line);
                text.push('\n');
            }
            continue;
        }
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
        let reply = match verb.as_str() {
            "EHLO" => "250 here",
            "RCPT" => {
                *state.attempts.lock().unwrap() += 1;
                let refusal = state.refusals.lock().unwrap().pop_front();
                refusal.unwrap_or("250 yes")
            }
            "DATA" => {
                mail = Some(String::new());
                "354 go on"
            }
            "QUIT" => {
                writer.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => "250 yes",
        };
        writer.write_all(format!("{reply}\r\n").as_bytes()).await?;
    }
    Ok(())
}

fn clock() -> Clock {
    Clock::fixed(DateTime::from_timestamp(1_800_000_000, 0).unwrap())
}

fn letter(to: &str) -> Letter {
    let link = "https://waybill.example/reset-password?resetToken=abc_-123";
    let text = letters::forgot("Isla Trading", "María", link, chrono::Duration::minutes(10));
    Letter { to: to.into(), text }
}

/// Sends mails until `done`, then stops.
async fn carry(mailing: Mailing, letters: Vec<Letter>, done: impl Fn() -> bool) {
    let (post, postman) = Post::new(mailing, clock());
    let stop = CancellationToken::new();
    let running = tokio::spawn(postman.run(stop.clone()));
    for letter in letters {
        post.send(letter);
    }
    crate::tests::until(done).await;
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn a_mail_reaches_the_server_as_it_was_written() {
    let server = Server::start(&[]).await;
    carry(Mailing::to_server(&server.url), vec![letter("maria@example.com")], || server.mails().len() == 1)
        .await;
    let mail = server.mails().remove(0);
    for part in [
        "From: Waybill <no-reply@waybill.example>\n",
        "To: maria@example.com\n",
        "Subject: Choose a new password for Isla Trading\n",
        "Date: Fri, 15 Jan 2027 08:00:00 +0000\n",
        "Auto-Submitted: auto-generated\n",
        "Content-Type: text/plain; charset=utf-8\n",
        "@waybill.example>\n",
    ] {
        assert!(mail.contains(part), "{part} in {mail}");
    }
    // Non-ASCII text is quoted-printable; decoding it restores the link.
    let body = mail.split_once("\n\n").unwrap().1.replace("=\n", "").replace("=3D", "=");
    assert!(body.contains("https://waybill.example/reset-password?resetToken=abc_-123\n"), "{body}");
    let mut plain = letter("maria@example.com");
    plain.text.body = plain.text.body.replace('í', "i");
    carry(Mailing::to_server(&server.url), vec![plain], || server.mails().len() == 2).await;
    let mail = server.mails().remove(1);
    assert!(mail.contains("\nhttps://waybill.example/reset-password?resetToken=abc_-123\n"), "{mail}");
    assert!(mail.contains("Content-Transfer-Encoding: 7bit\n"));
}

#[tokio::test]
async fn a_file_is_readable_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (post, mut postman) = Post::new(Mailing::to_folder(dir.path().join("mail")), clock());
    post.send(letter("maria@example.com"));
    postman.carry_all().await;
    let file = std::fs::read_dir(dir.path().join("mail")).unwrap().next().unwrap().unwrap();
    let mail = std::fs::read_to_string(file.path()).unwrap();
    assert!(mail.contains("Hello María,\r\n"), "{mail}");
    assert!(mail.contains("\r\nhttps://waybill.example/reset-password?resetToken=abc_-123\r\n"), "{mail}");
}

#[tokio::test]
async fn what_the_server_does_not_want_now_is_sent_again() {
    let server = Server::start(&["451 later", "421 busy"]).await;
    carry(Mailing::to_server(&server.url), vec![letter("maria@example.com")], || server.mails().len() == 1)
        .await;
    assert_eq!(server.attempts(), 3);
}

// Runs on a single thread, because only this thread's log is captured.
#[tokio::test(flavor = "current_thread")]
async fn a_server_that_is_away_is_waited_for() {
    let log = Log::default();
    let _guard = log.watch();
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("smtp://{}", socket.local_addr().unwrap());
    let mut mailing = Mailing::to_server(&url);
    mailing.retry = Retry { attempts: 8, pause: Duration::from_millis(10) };
    let (post, postman) = Post::new(mailing, clock());
    let stop = CancellationToken::new();
    let running = tokio::spawn(postman.run(stop.clone()));
    post.send(letter("maria@example.com"));
    crate::tests::until(|| log.text().contains("a mail could not be sent")).await;
    // The port was bound from the beginning, so that no other program could take it. Only from here on does
    // the server respond.
    let server = Server::on(socket.listen(16).unwrap(), &[]);
    crate::tests::until(|| server.mails().len() == 1).await;
    stop.cancel();
    running.await.unwrap();
}

/// Returns how many mails this process has given up, also in other tests.
fn given_up() -> f64 {
    metric_value("waybill_mails_given_up_total", &[]).unwrap_or_default()
}

#[tokio::test]
async fn what_is_refused_for_good_is_given_up() {
    let before = given_up();
    let server = Server::start(&["550 nobody of that name", "451 1", "451 2", "451 3"]).await;
    let letters = ["a@example.com", "b@example.com", "c@example.com"].map(letter);
    // One at a time, so that it is clear which mail gets which response.
    for letter in letters {
        let attempts = server.attempts();
        let done =
            || server.attempts() >= attempts + 3 || server.attempts() == 1 || !server.mails().is_empty();
        carry(Mailing::to_server(&server.url), vec![letter], done).await;
    }
    assert_eq!(
        server.attempts(),
        1 + 3 + 1,
        "once, as often as it is worth, and the next one as if nothing was"
    );
    let mails = server.mails();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("To: c@example.com"));
    assert!(given_up() >= before + 2.0, "both are counted");
}

#[tokio::test]
async fn an_address_nobody_can_have_stops_nobody() {
    let server = Server::start(&[]).await;
    let letters =
        vec![letter("no address"), letter("a@example.com\r\nBcc: b@example.com"), letter("a@example.com")];
    carry(Mailing::to_server(&server.url), letters, || server.mails().len() == 1).await;
    let mails = server.mails();
    assert!(mails.len() == 1 && !mails[0].contains("Bcc"));
}

#[tokio::test]
async fn a_domain_of_any_alphabet_needs_no_special_server() {
    let server = Server::start(&[]).await;
    carry(Mailing::to_server(&server.url), vec![letter("maria@bücher.example")], || {
        server.mails().len() == 1
    })
    .await;
    assert!(server.mails()[0].contains("To: maria@xn--bcher-kva.example\n"), "{}", server.mails()[0]);
    for (email, can_write) in [
        ("maria@bücher.example", true),
        ("o'brien+x@mail.example", true),
        ("ñ@mail.example", false),
        ("maria@mail.example/", false),
        ("maria@mail.example'", false),
        ("", false),
    ] {
        assert_eq!(Mailing::can_write_to(email), can_write, "{email}");
    }
}

#[tokio::test]
async fn letters_that_wait_at_the_end_are_tried_once() {
    let server = Server::start(&[]).await;
    let (post, postman) = Post::new(Mailing::to_server(&server.url), clock());
    for at in 0..20 {
        post.send(letter(&format!("user{at}@example.com")));
    }
    let stop = CancellationToken::new();
    stop.cancel();
    postman.run(stop).await;
    assert_eq!(server.mails().len(), 20);
}

#[tokio::test]
async fn the_queue_has_an_end() {
    let (post, postman) = Post::new(Mailing::nowhere(), clock());
    let places: Vec<Place> = (0..QUEUE).map(|_| post.place().unwrap_or_else(|_| panic!("a place"))).collect();
    let error = post.place().err().unwrap();
    assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::Unavailable, "MAIL_BUSY"));
    post.send(letter("a@example.com"));
    drop(places);
    assert!(post.place().is_ok());
    drop(postman);
}

fn config(set: impl FnOnce(&mut Config)) -> Config {
    let mut config = load(&Flags::default(), Target::All).unwrap().config;
    set(&mut config);
    config
}

#[test]
fn links_lead_where_the_configuration_says() {
    for (public_url, host, base) in [
        ("https://waybill.example/", "0.0.0.0", "https://waybill.example"),
        ("https://waybill.example", "127.0.0.1", "https://waybill.example"),
        ("", "127.0.0.1", "http://127.0.0.1:8080"),
        ("", "0.0.0.0", "http://localhost:8080"),
        ("", "::", "http://localhost:8080"),
        ("", "::1", "http://[::1]:8080"),
        ("", "waybill.internal", "http://waybill.internal:8080"),
    ] {
        let config = config(|it| {
            it.http.public_url = public_url.into();
            it.http.host = host.into();
        });
        let link = Mailing::new(&config, Target::All).unwrap().link("abc");
        assert_eq!(link, format!("{base}/reset-password?resetToken=abc"));
    }
}

#[tokio::test]
async fn mails_go_where_the_configuration_says() {
    let route = |target: Target, set: fn(&mut Config)| {
        let mailing = Mailing::new(&config(set), target).unwrap();
        (mailing.is_possible(), mailing.has_server())
    };
    assert_eq!(route(Target::All, |_| ()), (true, false), "into the folder");
    assert_eq!(route(Target::All, |it| it.mail.sink = false), (false, false));
    assert_eq!(route(AUTH, |_| ()), (false, false), "the folder is for one process");
    for url in
        ["smtp://127.0.0.1:2525", "smtps://u:p@mail.example:465", "smtp://u:p@mail.example?tls=required"]
    {
        let mut config = config(|_| ());
        config.mail.smtp_url = url.to_owned().into();
        let mailing = Mailing::new(&config, AUTH).unwrap();
        assert!(mailing.is_possible() && mailing.has_server(), "{url}");
    }
}

#[test]
fn a_wrong_setting_is_named_without_its_secret() {
    let mut broken = config(|_| ());
    broken.mail.smtp_url = "smtp://u:hunter2@mail.example?tls=perhaps".to_owned().into();
    let error = Mailing::new(&broken, Target::All).err().unwrap();
    assert!(error.message.contains("mail.smtp_url") && !error.to_string().contains("hunter2"), "{error}");
    let broken = config(|it| it.mail.from = "nobody".into());
    assert!(Mailing::new(&broken, Target::All).err().unwrap().message.contains("mail.from"));
}
