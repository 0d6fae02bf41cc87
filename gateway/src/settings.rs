//! What the organisation is called and which time its clocks show, as the settings service says.
//!
//! Kept for a few seconds, and no longer than until a notice says that a setting changed. While
//! the service is away the last answer holds, and before the first one the configuration.
//! Deliberately absent: other settings, which the services that obey them know themselves.

use std::sync::Arc;
use std::time::Duration;

use futures::future::try_join;
use kit::config::Organization;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::{Error, Result};
use proto::settings::v1::GetSettingRequest;
use proto::settings::v1::settings_service_client::SettingsServiceClient;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::notices::Notices;
use crate::state::Context;

const NAME: &str = "organization-name";
const TIME_ZONE: &str = "organization-time-zone";
/// A notice may be lost.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// Nobody waits longer to learn what they mostly know.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the current user is shown this setting.
pub fn is_shown(id: &str) -> bool {
    [NAME, TIME_ZONE].contains(&id)
}

#[derive(Clone)]
pub struct OfficeSettings(Arc<Shared>);

struct Shared {
    service: Transport,
    identity: ServiceIdentity,
    notices: Notices,
    kept: Mutex<Kept>,
}

struct Kept {
    organization: Arc<Organization>,
    /// When it was asked for, and how many changes were known then; nothing before the first time.
    asked: Option<(Instant, u64)>,
}

impl OfficeSettings {
    pub fn new(context: &Context) -> Self {
        let Context { settings, identity, notices, config, .. } = context;
        let kept = Kept { organization: Arc::new(config.organization.clone()), asked: None };
        let (service, identity, notices) = (settings.clone(), identity.clone(), notices.clone());
        Self(Arc::new(Shared { service, identity, notices, kept: Mutex::new(kept) }))
    }

    /// As it is now; whoever comes while somebody asks waits for that answer.
    pub async fn organization(&self) -> Arc<Organization> {
        let mut kept = self.0.kept.lock().await;
        let changes = self.0.notices.settings_changed();
        let holds = |(at, known): (Instant, u64)| at.elapsed() < KEPT_FOR && known == changes;
        if !kept.asked.is_some_and(holds) {
            match timeout(PATIENCE, self.0.ask()).await {
                Ok(Ok(organization)) => kept.organization = Arc::new(organization),
                Ok(Err(error)) => error.log(),
                Err(_) => tracing::warn!("the settings service is slow, what was known before holds"),
            }
            kept.asked = Some((Instant::now(), changes));
        }
        kept.organization.clone()
    }
}

impl Shared {
    async fn ask(&self) -> Result<Organization> {
        let token = self.identity.token()?;
        let value = async |id: &str| {
            let mut client = SettingsServiceClient::new(self.service.with_token(token.as_str().into()));
            let answer = client.get_setting(GetSettingRequest { id: id.to_owned() }).await?;
            Ok::<_, Error>(answer.into_inner().value)
        };
        let (name, timezone) = try_join(value(NAME), value(TIME_ZONE)).await?;
        Ok(Organization { name, timezone })
    }
}
