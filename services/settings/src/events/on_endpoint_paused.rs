//! Announces to administrators that an endpoint that receives delivery outcomes has been paused.

use ::store::Tx;
use ::store::consume::Meta;
use chrono::Duration;
use kit::{Error, Result, Role};
use proto::events::EndpointPaused;
use proto::settings::v1 as wire;
use uuid::Uuid;

use crate::domain::announcement;
use crate::entity::endpoint_pause::Model;
use crate::store::{By, Creation, announcements, endpoint_pauses};

/// How long the announcement is shown, unless the pause or somebody ends it earlier.
const SHOWN_FOR: Duration = Duration::days(7);
/// Maximum length of the endpoint's name, so that the message stays within its limit.
const NAME_CHARS: usize = 100;

pub async fn apply(tx: &Tx, paused: EndpointPaused, meta: &Meta) -> Result<()> {
    let endpoint = Uuid::parse_str(&paused.id).map_err(Error::internal)?;
    let known = endpoint_pauses::lock(tx, endpoint).await?;
    // This pause, or a later one, was announced or has ended.
    if known.as_ref().is_some_and(|it| it.paused_at >= meta.occurred_at) {
        return Ok(());
    }
    let by = By { actor: &meta.actor, address: "", now: meta.now };
    if let Some(former) = known.as_ref().and_then(|it| it.announcement_id) {
        announcements::end(tx, former, by).await?;
    }
    let name: String = paused.name.chars().take(NAME_CHARS).collect();
    let failures = paused.failures;
    let content = wire::AnnouncementInput {
        title: "Sending is paused".to_owned(),
        message: format!(
            "Sending to {name} is paused: {failures} messages failed in a row. Nothing is lost. Fix the \
             receiver, then resume the endpoint in Settings > Dead Letters > Endpoints."
        ),
        severity: wire::AnnouncementSeverity::Warning.into(),
        audience_roles: vec![Role::Admin.as_str().to_owned()],
        audience_users: Vec::new(),
        starts_at: Some(proto::timestamp(meta.now)),
        ends_at: Some(proto::timestamp(meta.now + SHOWN_FOR)),
        is_active: true,
        dismissible: true,
    };
    let creation = Creation::new(&meta.id.to_string(), &content)?;
    let posted = announcements::post(tx, &creation, announcement::read(content)?, by).await?;
    let posted = posted.ok_or_else(|| Error::internal("the pause was announced already"))?;
    let pause =
        Model { endpoint_id: endpoint, paused_at: meta.occurred_at, announcement_id: Some(posted.id) };
    endpoint_pauses::save(tx, known.as_ref(), pause).await
}
