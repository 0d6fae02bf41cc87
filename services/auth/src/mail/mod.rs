//! Mail: by SMTP, into a folder for development, or off.
//!
//! A request puts a mail into a bounded queue and continues; the postman sends a few at a time, and retries
//! for some minutes when the server refuses a mail temporarily. Mail that cannot be delivered is logged
//! without address and text. The queue is in memory: whoever misses a mail after a crash asks again.
//! `letters` has the texts. Mails with reports do not pass through the queue: see `report`.

mod folder;
pub mod letters;
pub mod report;

#[cfg(test)]
pub mod tests;

use std::path::PathBuf;
use std::time::Duration;

use ::store::settings::Settings;
use kit::clock::{Clock, new_id};
use kit::config::{Config, Target};
use kit::{Error, Result};
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, Message, MessageBuilder};
use lettre::transport::smtp::PoolConfig;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::settings;
use letters::Text;

/// Maximum number of queued mails.
const QUEUE: usize = 1_000;
/// Number of mails that are sent at the same time.
const AT_ONCE: usize = 4;
/// Time limit for the server to accept one mail.
pub const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum bytes in a line of a mail.
const LONGEST_LINE: usize = 990;
/// Time limit at shutdown for sending all mail that is still queued.
const FAREWELL: Duration = Duration::from_secs(10);

/// The way mails are sent, and the names and addresses that they contain. Cheap to clone.
#[derive(Clone)]
pub struct Mailing {
    route: Route,
    from: Mailbox,
    /// The configured name, which a setting overrides.
    organization: String,
    settings: Settings,
    /// The browser application's address, without a trailing slash.
    base: String,
    retry: Retry,
}

#[derive(Clone)]
enum Route {
    Server(AsyncSmtpTransport<Tokio1Executor>),
    Folder(PathBuf),
    Nowhere,
}

/// Number of attempts to send a mail, and the pause after the first one. Each further pause is three times as
/// long.
#[derive(Debug, Clone, Copy)]
struct Retry {
    attempts: u32,
    pause: Duration,
}

impl Mailing {
    /// Creates the transport from the configuration, for a process that runs `target`.
    pub fn new(config: &Config, target: Target) -> Result<Self> {
        kit::install_crypto();
        let wrong = |key: &str, why: String| {
            Error::invalid("CONFIGURATION_INVALID", format!("{key} is not right: {why}"))
        };
        let route = match config.mail.smtp() {
            Some(url) => Route::Server(server(url).map_err(|why| wrong("mail.smtp_url", why))?),
            None if config.mail.sink && target == Target::All => Route::Folder(config.data.join("mail")),
            None => Route::Nowhere,
        };
        let from = config
            .mail
            .from
            .parse()
            .map_err(|_| wrong("mail.from", "write it as Waybill <no-reply@example.com>".to_owned()))?;
        Ok(Self {
            route,
            from,
            organization: config.organization.name.clone(),
            settings: Settings::default(),
            base: config.http.base(),
            retry: Retry { attempts: 5, pause: Duration::from_secs(2) },
        })
    }

    #[cfg(test)]
    fn for_tests(route: Route) -> Self {
        kit::install_crypto();
        let retry = Retry { attempts: 3, pause: Duration::from_millis(20) };
        Self {
            route,
            from: "Waybill <no-reply@waybill.example>".parse().unwrap(),
            organization: "Isla Trading".to_owned(),
            settings: Settings::default(),
            base: "https://waybill.example".to_owned(),
            retry,
        }
    }

    #[cfg(test)]
    pub fn nowhere() -> Self {
        Self::for_tests(Route::Nowhere)
    }

    #[cfg(test)]
    pub fn to_folder(path: PathBuf) -> Self {
        Self::for_tests(Route::Folder(path))
    }

    #[cfg(test)]
    pub fn to_server(url: &str) -> Self {
        Self::for_tests(Route::Server(server(url).unwrap()))
    }

    /// Returns the address of the page where a new password is set. The token is a secret.
    pub fn link(&self, token: &str) -> String {
        format!("{}/reset-password?resetToken={token}", self.base)
    }

    /// Sets the settings that name the organization.
    pub fn named_by(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    pub fn organization(&self) -> String {
        settings::organization(&self.settings).unwrap_or_else(|| self.organization.clone())
    }

    /// Returns the address of a page of the browser application.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Returns whether mails reach their recipients, and not just a folder.
    pub fn has_server(&self) -> bool {
        matches!(self.route, Route::Server(_))
    }

    /// Returns whether the mail server answers within this time.
    pub async fn is_reachable(&self, within: Duration) -> bool {
        let Route::Server(server) = &self.route else { return false };
        let tested = tokio::time::timeout(within, server.test_connection()).await;
        matches!(tested, Ok(Ok(true)))
    }

    /// Returns whether every mail server can send to this address. Not every one can if there are non-ASCII letters
    /// before the `@`.
    pub fn can_write_to(email: &str) -> bool {
        envelope(email).is_some_and(|address| address.user().is_ascii())
    }

    /// Returns whether mails are sent or written to a folder.
    pub fn is_possible(&self) -> bool {
        !matches!(self.route, Route::Nowhere)
    }
}

/// Parses the server's address. Replaces the library's errors, because they quote the address with its
/// password.
fn server(url: &str) -> Result<AsyncSmtpTransport<Tokio1Executor>, String> {
    let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
        .map_err(|_| "smtps://user:password@host:465 or smtp://host:587?tls=required".to_owned())?;
    if url.starts_with("smtp://") && !url.contains("tls=required") {
        tracing::warn!(
            "mails, and the password of the mail server, may leave unencrypted: use ?tls=required"
        );
    }
    let pool = PoolConfig::new().max_size(AT_ONCE as u32);
    Ok(builder.timeout(Some(TIMEOUT)).pool_config(pool).build())
}

/// A mail to send. Its text may contain a working link, so it has no `Debug` output.
pub struct Letter {
    pub to: String,
    pub text: Text,
}

/// Queues mails. Cheap to clone.
#[derive(Clone)]
pub struct Post {
    pub mailing: Mailing,
    queue: mpsc::Sender<Letter>,
}

/// A place in the queue. Reserve it before the change that the mail is about, so that the change is not made
/// if there is no room for the mail.
pub struct Place(mpsc::OwnedPermit<Letter>);

impl Place {
    pub fn put(self, letter: Letter) {
        self.0.send(letter);
    }
}

impl Post {
    /// Creates the queue and the worker that sends from it.
    pub fn new(mailing: Mailing, clock: Clock) -> (Self, Postman) {
        let (queue, letters) = mpsc::channel(QUEUE);
        let postman = Postman { mailing: mailing.clone(), clock, letters };
        (Self { mailing, queue }, postman)
    }

    pub fn place(&self) -> Result<Place> {
        self.queue.clone().try_reserve_owned().map(Place).map_err(|_| {
            Error::unavailable(
                "MAIL_BUSY",
                "Too many emails are waiting to be sent. Try again in a few minutes.",
            )
        })
    }

    /// Queues a mail that may get lost: it is dropped if the queue is full.
    pub fn send(&self, letter: Letter) {
        match self.place() {
            Ok(place) => place.put(letter),
            Err(_) => {
                kit::metrics::mails_given_up(1);
                tracing::warn!("a mail was dropped: too many wait");
            }
        }
    }
}

/// Sends mail.
pub struct Postman {
    mailing: Mailing,
    clock: Clock,
    letters: mpsc::Receiver<Letter>,
}

impl Postman {
    pub async fn run(mut self, stop: CancellationToken) {
        let mut carried = JoinSet::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                Some(_) = carried.join_next(), if !carried.is_empty() => {}
                letter = self.letters.recv(), if carried.len() < AT_ONCE => match letter {
                    Some(letter) => drop(carried.spawn(self.carry(letter, stop.clone()))),
                    None => break,
                },
            }
        }
        // Try queued mails once more, because they do not survive the process.
        self.letters.close();
        let rest = async {
            while let Some(letter) = self.letters.recv().await {
                if carried.len() >= AT_ONCE {
                    carried.join_next().await;
                }
                carried.spawn(self.carry(letter, stop.clone()));
            }
            while carried.join_next().await.is_some() {}
        };
        if tokio::time::timeout(FAREWELL, rest).await.is_err() {
            tracing::warn!("mails were still waiting when the process stopped");
        }
        if let Route::Server(server) = &self.mailing.route {
            server.shutdown().await;
        }
    }

    /// Sends everything that is queued now.
    #[cfg(test)]
    pub async fn carry_all(&mut self) {
        while let Ok(letter) = self.letters.try_recv() {
            self.carry(letter, CancellationToken::new()).await;
        }
    }

    /// Sends one mail, or gives up and logs why.
    fn carry(&self, letter: Letter, stop: CancellationToken) -> impl Future<Output = ()> + Send + use<> {
        let (mailing, now) = (self.mailing.clone(), self.clock.now());
        async move {
            let id = new_id().to_string();
            let message = match mailing.message(&id, letter, now.into()) {
                Ok(message) => message,
                Err(why) => {
                    kit::metrics::mails_given_up(1);
                    return tracing::error!(mail.id = id, "a mail could not be written: {why}");
                }
            };
            let mut pause = mailing.retry.pause;
            for attempt in 1..=mailing.retry.attempts {
                match mailing.deliver(&id, &message).await {
                    Ok(()) => return tracing::info!(mail.id = id, attempt, "a mail was sent"),
                    Err(Failure::Lasting(why)) => {
                        kit::metrics::mails_given_up(1);
                        return tracing::error!(mail.id = id, attempt, "a mail was refused: {why}");
                    }
                    Err(Failure::Passing(why)) => {
                        tracing::warn!(mail.id = id, attempt, "a mail could not be sent: {why}");
                    }
                }
                if stop.is_cancelled() || attempt == mailing.retry.attempts {
                    break;
                }
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = stop.cancelled() => {}
                }
                pause *= 3;
            }
            kit::metrics::mails_given_up(1);
            tracing::error!(mail.id = id, "a mail was given up");
        }
    }
}

/// Why a mail was not delivered; contains neither address nor text.
enum Failure {
    Lasting(String),
    Passing(String),
}

impl Mailing {
    fn message(&self, id: &str, letter: Letter, now: std::time::SystemTime) -> Result<Message, &'static str> {
        let Letter { to, text } = letter;
        self.headers(id, &to, text.subject, now)?
            .header(ContentType::TEXT_PLAIN)
            .body(self.body(text.body))
            .map_err(|_| "it has no envelope")
    }

    fn headers(
        &self,
        id: &str,
        to: &str,
        subject: String,
        now: std::time::SystemTime,
    ) -> Result<MessageBuilder, &'static str> {
        let to = envelope(to).ok_or("its address cannot be written to")?;
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        Ok(Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .date(now)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned())))
    }

    /// Returns the body unencoded where possible, so that links stay in one piece. Mail programs restore an
    /// encoded link, but a person who reads the file would see only parts of it.
    fn body(&self, text: String) -> Body {
        let short = text.lines().all(|line| line.len() < LONGEST_LINE);
        let encoding = match &self.route {
            _ if text.is_ascii() => ContentTransferEncoding::SevenBit,
            Route::Folder(_) => ContentTransferEncoding::EightBit,
            Route::Server(_) | Route::Nowhere => return Body::new(text),
        };
        match short {
            true => Body::dangerous_pre_encoded(text.replace('\n', "\r\n").into_bytes(), encoding),
            false => Body::new(text),
        }
    }

    async fn deliver(&self, id: &str, message: &Message) -> Result<(), Failure> {
        match &self.route {
            Route::Nowhere => Ok(()),
            Route::Folder(path) => folder::write(path, id, message.formatted())
                .await
                .map_err(|error| Failure::Lasting(error.to_string())),
            Route::Server(server) => {
                match tokio::time::timeout(TIMEOUT * 2, server.send(message.clone())).await {
                    Ok(Ok(_)) => Ok(()),
                    Ok(Err(error)) => Err(failure(&error)),
                    Err(_) => Err(Failure::Passing("the server takes too long".to_owned())),
                }
            }
        }
    }
}

/// Returns the address that a mail is sent to, with an ASCII domain, because few servers accept another one.
fn envelope(email: &str) -> Option<Address> {
    let (local, domain) = email.rsplit_once('@')?;
    Address::new(local, idna::domain_to_ascii(domain).ok()?).ok()
}

fn failure(error: &lettre::transport::smtp::Error) -> Failure {
    let why = reason(error);
    if error.is_permanent() || error.is_client() { Failure::Lasting(why) } else { Failure::Passing(why) }
}

/// Returns only the error's code, because the server's message may quote the address.
fn reason(error: &lettre::transport::smtp::Error) -> String {
    match error.status() {
        Some(code) => format!("the server answered {code}"),
        None if error.is_timeout() => "the server takes too long".to_owned(),
        None if error.is_tls() => "no encryption could be agreed on".to_owned(),
        None => "the server cannot be reached".to_owned(),
    }
}
