//! The audit log of privileged acts, one entry each.
//!
//! Acts on accounts and sessions are recorded here, in the transaction of the act; acts in other services
//! arrive as events (`events::on_audit_recorded`), and the gateway reports reads (`access`). For a new kind
//! of act, add an [`Action`]. An entry contains what changed, but no secret. The database refuses to change
//! or delete entries, and `chain` detects it if the database's owner does so anyway.

pub mod access;
pub mod chain;

use ::store::Tx;
pub use ::store::audit::Changes;
use ::store::filter::fold;
use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::principal::Caller;
use kit::{Principal, Result};
use uuid::Uuid;

use crate::domain;
use crate::entity::user;
use chain::Entry;

/// Who performs an act, and from which address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Id of the actor's account, if the actor is a signed-in person.
    pub id: Option<Uuid>,
    /// Who acted: a username, or `system:<service>`.
    pub name: String,
    /// The actor's IP address; empty for background work.
    pub address: String,
}

impl Actor {
    /// Creates an actor without an account: somebody who is not signed in, or a service.
    pub fn new(name: impl Into<String>, address: &str) -> Self {
        Self { id: None, name: name.into(), address: fold(&domain::note(address, domain::ADDRESS_CHARS)) }
    }
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        let id = match &caller.principal {
            Principal::User { id, .. } => Uuid::parse_str(id).ok(),
            Principal::Service { .. } => None,
        };
        Self { id, ..Self::new(caller.principal.actor(), &caller.address) }
    }
}

::store::text_enum!(
    /// The kinds of acts. Events may contain other kinds, which are stored, too.
    Action {
        AdminCreated => "admin.created",
        UserCreated => "user.created",
        UserSignedUp => "user.signed_up",
        UserUpdated => "user.updated",
        UserRolesChanged => "user.roles_changed",
        UserStatusChanged => "user.status_changed",
        UserResetLinkCreated => "user.reset_link_created",
        UserPasswordReset => "user.password_reset",
        UserPasswordChanged => "user.password_changed",
        UserSessionsEnded => "user.sessions_ended",
        SessionEnded => "session.ended",
        DriverAccountCreated => "driver_account.created",
        DriverAccountUpdated => "driver_account.updated",
        DriverAccountBlocked => "driver_account.blocked",
        DriverAccountUnblocked => "driver_account.unblocked",
        DriverAccountResetLinkCreated => "driver_account.reset_link_created",
        DriverAccountPinSet => "driver_account.pin_set",
        // From here on, acts that arrive as events.
        SettingChanged => "setting.updated",
        LogoChanged => "logo.updated",
        AnnouncementCreated => "announcement.created",
        AnnouncementChanged => "announcement.updated",
        AnnouncementDeleted => "announcement.deleted",
        ReportSettingCreated => "report_setting.created",
        ReportSettingChanged => "report_setting.updated",
        ReportSettingDeleted => "report_setting.deleted",
        ReportScheduleCreated => "report_schedule.created",
        ReportScheduleChanged => "report_schedule.updated",
        ReportScheduleDeleted => "report_schedule.deleted",
        ReportSchedulePaused => "report_schedule.paused",
        ReportScheduleResumed => "report_schedule.resumed",
        ReportSendRequested => "report_schedule.send_requested",
        ReportMailed => "report_schedule.report_mailed",
        ReportScheduleStopped => "report_schedule.schedule_paused",
        DriverCreated => "driver.created",
        DriverChanged => "driver.updated",
        DriverBlocked => "driver.blocked",
        DriverUnblocked => "driver.unblocked",
        DevicePaired => "device.paired",
        DeviceUnpaired => "device.unpaired",
        ReasonChanged => "reason.updated",
        CustomerChanged => "customer.updated",
        SourceCreated => "source.created",
        SourceChanged => "source.updated",
        ImportStarted => "import.started",
        ImportUndone => "import.undone",
        ImportCorrected => "import.corrected",
        ImportCanceled => "import.canceled",
        DeadLetterResent => "dead_letter.resent",
        DeadLetterDiscarded => "dead_letter.discarded",
        EndpointCreated => "endpoint.created",
        EndpointChanged => "endpoint.updated",
        EndpointDeleted => "endpoint.deleted",
        EndpointRotated => "endpoint.rotated",
        EndpointResumed => "endpoint.resumed",
        AnalyticsRebuildRequested => "analytics.rebuild_requested",
        ProducerCreated => "producer.created",
        ProducerChanged => "producer.updated",
        ProducerDeleted => "producer.deleted",
        ProducerRotated => "producer.rotated",
        // From here on, acts that the gateway reports.
        DeliveriesExported => "deliveries.exported",
        PositionsExported => "driver_positions.exported",
        FormsExported => "forms.exported",
        ProofViewed => "proof.viewed",
        LocationViewed => "driver_location.viewed",
        LogViewed => "driver_log.viewed",
        AnalyticsQueried => "analytics.queried",
    }
);

::store::text_enum!(
    /// The kinds of things that acts change or read.
    Entity {
        User => "user",
        DriverAccount => "driver_account",
        Session => "session",
        Setting => "setting",
        Logo => "logo",
        Announcement => "announcement",
        ReportSetting => "report_setting",
        Driver => "driver",
        Device => "device",
        Delivery => "delivery",
        Reason => "reason",
        Customer => "customer",
        Source => "source",
        Import => "import",
        DeadLetter => "dead_letter",
        Endpoint => "endpoint",
        Analytics => "analytics",
        Producer => "producer",
    }
);

/// Adds an audit entry for an act on an account.
pub async fn on_account(
    tx: &Tx,
    now: DateTime<Utc>,
    actor: &Actor,
    action: Action,
    account: &user::Model,
    changes: Changes,
) -> Result<()> {
    let entity = if account.driver_id.is_some() { Entity::DriverAccount } else { Entity::User };
    add(tx, now, actor, action, (entity, account.id.to_string(), &account.username), changes).await
}

/// Adds an audit entry for an act on a session of this account.
pub async fn on_session(
    tx: &Tx,
    now: DateTime<Utc>,
    actor: &Actor,
    action: Action,
    session: Uuid,
    account: &user::Model,
) -> Result<()> {
    let entity = (Entity::Session, session.to_string(), account.username.as_str());
    add(tx, now, actor, action, entity, Changes::default()).await
}

async fn add(
    tx: &Tx,
    now: DateTime<Utc>,
    actor: &Actor,
    action: Action,
    (entity, entity_id, entity_name): (Entity, String, &str),
    changes: Changes,
) -> Result<()> {
    let (before_json, after_json) = changes.texts();
    let entry = Entry {
        id: new_id(),
        at: now,
        actor: actor.name.clone(),
        address: actor.address.clone(),
        action: action.as_str().to_owned(),
        entity: entity.as_str().to_owned(),
        entity_id,
        entity_name: entity_name.to_owned(),
        before_json,
        after_json,
        request_id: kit::trace::id().unwrap_or_default(),
    };
    chain::append(tx, entry).await
}
