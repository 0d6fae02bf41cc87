//! The current user: their account, their news, and their organization.
//!
//! A signed-in person always gets their account. News, organization and settings come from another service, and may
//! be missing or outdated while that service is down. When a notice reports a possible change, a subscription
//! reads the user again with the subscriber's own token. Subscription and connection end with the session.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Context, Subscription};
use futures::Stream;
use futures::future::join;
use futures::stream::unfold;
use kit::config::Organization;
use kit::{Error, Kind, Result};
use proto::settings::v1::ListMyAnnouncementsRequest;
use proto::settings::v1::announcements_service_client::AnnouncementsServiceClient;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until, timeout};

use super::error::Failure;
use super::viewer::viewer;
use crate::notices::OfficeNotice;
use crate::session::{self, Session, SignedIn};
use crate::settings::{self, Office};
use crate::state::App;

/// Maximum wait for news. After that, the account is returned without them.
const PATIENCE: Duration = Duration::from_secs(2);
/// Minimum time between two messages of a subscription.
const CALM: Duration = Duration::from_millis(500);
/// A subscription reads the user again after this time without notices, because news also change with time,
/// and a notice may be lost.
const AGAIN: Duration = Duration::from_secs(60);

pub async fn current_user(app: &App, session: &Session) -> Value {
    let (news, office) = join(news(app, session), app.office.now()).await;
    let news = news.unwrap_or_else(|error| {
        error.log();
        Vec::new()
    });
    shown(app, &session.user, &news, &office)
}

/// Returns the caller's announcements, except dismissed ones, newest first.
async fn news(app: &App, session: &Session) -> Result<Vec<String>> {
    let mut client = AnnouncementsServiceClient::new(session.client(&app.settings));
    let asked = client.list_my_announcements(ListMyAnnouncementsRequest {});
    let slow = |_| Error::unavailable("NEWS_SLOW", "The news did not arrive in time");
    match timeout(PATIENCE, asked).await.map_err(slow)?.map_err(Error::from) {
        Ok(answer) => {
            let mine = answer.into_inner().announcements.into_iter();
            Ok(mine.filter(|it| !it.dismissed).map(|it| it.message).collect())
        }
        // Some callers, such as drivers, have no announcements.
        Err(error) if error.kind == Kind::Forbidden => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn shown(app: &App, user: &SignedIn, news: &[String], office: &Office) -> Value {
    let SignedIn { id, username, display_name, email, roles } = user;
    let (map, ingest) = (&app.config.map, &app.config.ingest);
    let mut shown = json!({
        "id": id,
        "username": username,
        "displayName": display_name,
        "email": email,
        "roles": roles,
        "news": news,
        "map": { "styleUrl": map.style_url, "tileUrl": map.tile_url, "attribution": map.attribution },
        "tracking": {
            "enabled": ingest.enabled, "url": ingest.public_url, "host": ingest.host, "port": ingest.port,
            "path": ingest.path, "onPublicPort": ingest.on_public_port,
        },
    });
    // Browsers keep what they know. With the configured time zone, they might show and save wrong times.
    if office.is_known {
        let Organization { name, timezone } = &*office.organization;
        shown["organization"] = json!({ "name": name, "timezone": timezone });
        shown["settings"] = json!(&*office.rules);
    }
    shown
}

#[derive(Default)]
pub struct CurrentUserSubscription;

#[Subscription]
impl CurrentUserSubscription {
    /// Sends the current user immediately, and again when news, roles, name or a displayed setting may have
    /// changed. When the session ends, the connection is closed.
    async fn current_user_changed(&self, ctx: &Context<'_>) -> Result<impl Stream<Item = Value>, Failure> {
        let viewer = viewer(ctx)?;
        let session = viewer.session()?.clone();
        let following = Following {
            app: viewer.app.clone(),
            causes: Causes::new(viewer.app.notices.listen_to_office(), &session.user.id),
            session,
            news: Vec::new(),
            told: Value::Null,
        };
        Ok(unfold(following, |mut following| async move {
            let user = following.next().await?;
            Some((user, following))
        }))
    }
}

/// The state of one subscription.
struct Following {
    app: Arc<App>,
    session: Session,
    causes: Causes,
    /// The last news that could be read.
    news: Vec<String>,
    /// The last message. An unchanged user is sent again only after a notice.
    told: Value,
}

impl Following {
    /// Returns the next message; `None` when the session has ended.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let cause = self.causes.next().await?;
            match session::again(&self.app, &self.session).await {
                Ok(session) => self.session = session,
                // The user is read at the next cause, as the connection outlasts a moment without auth.
                Err(error) if error.is_transient() => {
                    error.log();
                    continue;
                }
                // The connection notices by itself that the session ended, and reports it.
                Err(_) => return None,
            }
            // Open pages keep what they know. A notice follows the first answer of the settings service.
            let Some(user) = self.read().await else { continue };
            if cause == Cause::Notice || user != self.told {
                self.told.clone_from(&user);
                return Some(user);
            }
        }
    }

    /// Returns the user; `None` while the organization isn't known.
    async fn read(&mut self) -> Option<Value> {
        let (news, office) = join(news(&self.app, &self.session), self.app.office.now()).await;
        match news {
            Ok(news) => self.news = news,
            // Keep the previous news, which are mostly still right.
            Err(error) => error.log(),
        }
        office.is_known.then(|| shown(&self.app, &self.session.user, &self.news, &office))
    }
}

/// Why the current user is read again.
#[derive(Debug, PartialEq, Eq)]
enum Cause {
    Notice,
    Clock,
}

/// Emits whenever the current user has to be read again: right away, then on notices, and after some time
/// without notices.
struct Causes {
    notices: Receiver<OfficeNotice>,
    user: String,
    /// When `Cause::Notice` was last returned; `None` before the first time.
    told: Option<Instant>,
}

impl Causes {
    fn new(notices: Receiver<OfficeNotice>, user: &str) -> Self {
        Self { notices, user: user.to_owned(), told: None }
    }

    /// Returns the next cause; `None` when there will be no more notices.
    async fn next(&mut self) -> Option<Cause> {
        if let Some(told) = self.told {
            match timeout(AGAIN, self.notice()).await {
                Ok(noticed) => noticed?,
                Err(_) => return Some(Cause::Clock),
            }
            sleep_until(told + CALM).await;
        }
        // One message covers all notices that arrived up to now, so drop them.
        self.notices = self.notices.resubscribe();
        self.told = Some(Instant::now());
        Some(Cause::Notice)
    }

    /// Waits for a notice that concerns the user, or for missed notices.
    async fn notice(&mut self) -> Option<()> {
        loop {
            match self.notices.recv().await {
                Ok(notice) if !self.concerns(&notice) => {}
                Ok(_) | Err(RecvError::Lagged(_)) => return Some(()),
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn concerns(&self, notice: &OfficeNotice) -> bool {
        match notice {
            OfficeNotice::Setting(id) => settings::is_shown(id),
            OfficeNotice::Announcement { seen_by } => seen_by.as_ref().is_none_or(|user| *user == self.user),
            OfficeNotice::Missed => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::broadcast::Sender;

    use super::*;

    fn announcement(seen_by: Option<&str>) -> OfficeNotice {
        OfficeNotice::Announcement { seen_by: seen_by.map(str::to_owned) }
    }

    /// Returns a sender of notices, and the causes of a user who has got the first message.
    async fn told() -> (Sender<OfficeNotice>, Causes) {
        let notices = Sender::new(16);
        let mut causes = Causes::new(notices.subscribe(), "u1");
        assert_eq!(causes.next().await, Some(Cause::Notice), "at once");
        (notices, causes)
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_one_message_at_once_and_one_after_it() {
        let (notices, mut causes) = told().await;
        tokio::time::sleep(CALM).await;
        let begun = Instant::now();
        for _ in 0..10 {
            notices.send(announcement(None)).unwrap();
        }
        assert_eq!(causes.next().await, Some(Cause::Notice));
        assert_eq!(begun.elapsed(), Duration::ZERO);
        // More notices than the channel buffers.
        for _ in 0..100 {
            notices.send(announcement(Some("u1"))).unwrap();
        }
        assert_eq!(causes.next().await, Some(Cause::Notice));
        assert!(begun.elapsed() >= CALM, "{:?}", begun.elapsed());
        assert_eq!(causes.next().await, Some(Cause::Clock), "and that is all");
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_the_user_is_shown_is_a_reason() {
        let (notices, mut causes) = told().await;
        let begun = Instant::now();
        notices.send(announcement(Some("u2"))).unwrap();
        notices.send(OfficeNotice::Setting("driver-logs-keep-days".to_owned())).unwrap();
        assert_eq!(causes.next().await, Some(Cause::Clock));
        assert!(begun.elapsed() >= AGAIN, "{:?}", begun.elapsed());
        for id in ["organization-name", "organization-time-zone", "delivery-max-attempts"] {
            notices.send(OfficeNotice::Setting(id.to_owned())).unwrap();
            assert_eq!(causes.next().await, Some(Cause::Notice), "{id}");
        }
        notices.send(OfficeNotice::Missed).unwrap();
        assert_eq!(causes.next().await, Some(Cause::Notice), "it may be one of those");
    }

    #[tokio::test(start_paused = true)]
    async fn others_do_not_put_the_clock_off() {
        let (notices, mut causes) = told().await;
        let begun = Instant::now();
        let noisy = tokio::spawn(async move {
            loop {
                let _ = notices.send(announcement(Some("u2")));
                tokio::time::sleep(Duration::from_secs(7)).await;
            }
        });
        assert_eq!(causes.next().await, Some(Cause::Clock));
        assert!(begun.elapsed() >= AGAIN, "{:?}", begun.elapsed());
        noisy.abort();
    }

    #[tokio::test]
    async fn no_more_notices_end_it() {
        let (notices, mut causes) = told().await;
        drop(notices);
        assert_eq!(causes.next().await, None);
    }
}
