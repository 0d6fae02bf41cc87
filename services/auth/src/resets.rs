//! Forgotten passwords: everything that happens after the response. The response is the same for every name.
//!
//! A request only puts a name into a bounded queue. Everything that depends on whether an account exists
//! happens here, where nobody can measure how long it takes.

use ::store::filter::fold;
use chrono::Duration;
use kit::Result;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::mail::{Letter, Post, letters};
use crate::store;
use crate::store::passwords::{self, MailedLink};
use crate::throttle::Throttle;
use crate::{Context, domain, random};

/// Maximum number of queued names.
const QUEUE: usize = 1_000;

/// A request for a new password.
pub struct Asked {
    username: String,
    address: String,
}

/// Queues names. Cheap to clone.
#[derive(Clone)]
pub struct Resets(mpsc::Sender<Asked>);

impl Resets {
    /// Creates the queue and its worker.
    pub fn new(context: Context, throttle: Throttle, post: Post) -> (Self, Worker) {
        let (sender, asked) = mpsc::channel(QUEUE);
        (Self(sender), Worker { context, throttle, post, asked })
    }

    /// Queues the name. Takes the same time for every name.
    pub fn ask(&self, username: &str, address: &str) {
        // Drop a name that no account can have, because it may be long.
        let Ok(name) = domain::Username::known(username) else { return };
        let address = domain::note(address, 64);
        if self.0.try_send(Asked { username: name.key, address }).is_err() {
            tracing::warn!("a request for a new password was dropped: too many wait");
        }
    }
}

pub struct Worker {
    context: Context,
    throttle: Throttle,
    post: Post,
    asked: mpsc::Receiver<Asked>,
}

impl Worker {
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            let asked = tokio::select! {
                () = stop.cancelled() => return,
                asked = self.asked.recv() => asked,
            };
            let Some(asked) = asked else { return };
            // Only log the error: the response was sent long ago, and the person asks again if no mail comes.
            if let Err(error) = self.answer(asked).await {
                tracing::error!("a request for a new password failed: {error:#}");
            }
        }
    }

    /// Answers all requests that are queued now.
    #[cfg(test)]
    pub async fn answer_all(&mut self) {
        while let Ok(asked) = self.asked.try_recv() {
            self.answer(asked).await.unwrap();
        }
    }

    /// Mails a link, if the account exists and has an address, and mail is on.
    async fn answer(&self, asked: Asked) -> Result<()> {
        let Asked { username, address } = asked;
        let Context { db, clock, config, .. } = &self.context;
        let account = store::account_by_name(db.read(), &fold(&username)).await?;
        let mailing = &self.post.mailing;
        let Some(account) = account.filter(|account| {
            mailing.is_possible()
                && !account.user.email.is_empty()
                && account.user.status != domain::Status::Disabled
        }) else {
            tracing::debug!("a request for a new password leads to no mail");
            return Ok(());
        };
        let place = self.post.place()?;
        let (token, now) = (random::secret()?, clock.now());
        let life = Duration::seconds(config.reset_token_seconds);
        let reaches_owner = mailing.has_server();
        let link = MailedLink { hash: random::hash(&token), expires_at: now + life, reaches_owner };
        if !passwords::link_to_mail(db, &self.throttle, now, (&account, &address), link).await? {
            tracing::info!(user.id = %account.user.id, "a mail with a reset link was not sent: there are enough links");
            return Ok(());
        }
        use secrecy::ExposeSecret;
        let link = mailing.link(token.expose_secret());
        let text = letters::forgot(&mailing.organization(), account.name(), &link, life);
        place.put(Letter { to: account.user.email, text });
        Ok(())
    }
}
