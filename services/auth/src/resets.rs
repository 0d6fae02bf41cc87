//! Forgotten passwords: what happens after "one answer for every name" was given.
//!
//! A request only leaves a name in a bounded queue. Everything that depends on whether an account
//! exists happens here, where nobody can see how long it takes.

use ::store::filter::fold;
use chrono::Duration;
use kit::Result;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::mail::{Letter, Post, letters};
use crate::store::{self, passwords};
use crate::throttle::Throttle;
use crate::{Context, domain, random};

/// Names that may wait.
const QUEUE: usize = 1_000;

/// Somebody asked for a new password.
pub struct Asked {
    username: String,
    address: String,
}

/// Takes names. Cheap to clone.
#[derive(Clone)]
pub struct Resets(mpsc::Sender<Asked>);

impl Resets {
    /// The queue, and who works on it.
    pub fn new(context: Context, throttle: Throttle, post: Post) -> (Self, Worker) {
        let (sender, asked) = mpsc::channel(QUEUE);
        (Self(sender), Worker { context, throttle, post, asked })
    }

    /// Notes the name. Takes the same time for every name.
    pub fn ask(&self, username: &str, address: &str) {
        // A name that no account can have is not kept: it may be long.
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
            // Whoever asked was answered long ago, and asks again when no mail comes.
            if let Err(error) = self.answer(asked).await {
                tracing::error!("a request for a new password failed: {error:#}");
            }
        }
    }

    /// Answers what waits now.
    #[cfg(test)]
    pub async fn answer_all(&mut self) {
        while let Ok(asked) = self.asked.try_recv() {
            self.answer(asked).await.unwrap();
        }
    }

    /// Mails a link, when there is an account, an address and a way to it.
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
        let link = (random::hash(&token), now + life);
        if !passwords::link_to_mail(db, &self.throttle, now, (&account, &address), link).await? {
            tracing::info!(user.id = %account.user.id, "a mail with a reset link was not sent: there were enough");
            return Ok(());
        }
        use secrecy::ExposeSecret;
        let link = mailing.link(token.expose_secret());
        let text = letters::forgot(mailing.organization(), account.name(), &link, life);
        place.put(Letter { to: account.user.email, text });
        Ok(())
    }
}
