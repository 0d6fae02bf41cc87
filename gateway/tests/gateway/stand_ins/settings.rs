//! The stand-in for settings and announcements.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kit::principal::{Principal, principal};
use kit::{Error, Role};
use proto::common::v1::{Count, CountRequest};
use proto::settings::v1::announcements_service_server::AnnouncementsService;
use proto::settings::v1::settings_service_server::SettingsService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::{Answer, Stage, prost_at};

pub struct Settings(pub Arc<Stage>);

/// The settings and announcements of an office.
pub struct Office {
    pub name: String,
    pub timezone: String,
    pub announcements: Vec<MyAnnouncement>,
    /// Other settings, by id.
    pub values: HashMap<&'static str, String>,
    /// Whether the service is unreachable.
    pub is_away: bool,
    /// How long its responses take.
    pub delay: Duration,
}

impl Default for Office {
    fn default() -> Self {
        Self {
            name: "Waybill".to_owned(),
            timezone: "Asia/Manila".to_owned(),
            announcements: Vec::new(),
            values: HashMap::new(),
            is_away: false,
            delay: Duration::ZERO,
        }
    }
}

impl Stage {
    pub fn office(&self, change: impl FnOnce(&mut Office)) {
        change(&mut self.memory.lock().unwrap().office);
    }

    async fn settings_are_there(&self) -> Result<(), Status> {
        let (delay, is_away) = {
            let office = &self.memory.lock().unwrap().office;
            (office.delay, office.is_away)
        };
        tokio::time::sleep(delay).await;
        let away = Error::unavailable("SETTINGS_AWAY", "The settings are not available right now.");
        if is_away { Err(away.into()) } else { Ok(()) }
    }

    fn value_of(&self, id: &str) -> Option<String> {
        let office = &self.memory.lock().unwrap().office;
        match id {
            "organization-name" => Some(office.name.clone()),
            "organization-time-zone" => Some(office.timezone.clone()),
            id if office.values.contains_key(id) => office.values.get(id).cloned(),
            "delivery-max-attempts" => Some("3".to_owned()),
            "customer-logo-information" => Some(r#"{"url":"/logo/a.png"}"#.to_owned()),
            _ => None,
        }
    }
}

fn setting(id: &str, value: String) -> Setting {
    Setting {
        id: id.to_owned(),
        name: "Attempts".into(),
        value,
        r#type: SettingType::Number.into(),
        group: "Deliveries".into(),
        description: "How often a delivery is tried.".into(),
        min: Some("1".into()),
        max: Some("20".into()),
        options: vec!["3".into(), "4".into()],
        planner_visible: true,
        updated_at: Some(prost_at(1_800_000_000)),
        updated_by: "maria".into(),
        version: 7,
        ..Setting::default()
    }
}

#[tonic::async_trait]
impl SettingsService for Settings {
    async fn list_settings(&self, request: Request<ListSettingsRequest>) -> Answer<ListSettingsResponse> {
        let roles = [Role::Admin, Role::TransportPlanner];
        self.0.page_for(&roles, &request, &request.get_ref().page).await?;
        let settings = vec![setting("delivery-max-attempts", "3".into())];
        Ok(Response::new(ListSettingsResponse { settings, more: false }))
    }

    async fn count_settings(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.holder(&[Role::Admin, Role::TransportPlanner], &request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }

    async fn get_setting(&self, request: Request<GetSettingRequest>) -> Answer<Setting> {
        let id = request.get_ref().id.clone();
        if let Principal::User { .. } = principal(&request)? {
            self.0.staff(&request, format!("setting {id}")).await?;
        } else {
            self.0.note(&format!("setting {id} for a service"));
        }
        self.0.settings_are_there().await?;
        let none = || Error::not_found("SETTING_NOT_FOUND", "There is no such setting.");
        let value = self.0.value_of(&id).ok_or_else(none)?;
        let change = SettingChange {
            at: Some(prost_at(1_800_000_000)),
            actor: "maria".into(),
            before: "2".into(),
            after: "3".into(),
        };
        let history = if id == "customer-logo-information" { vec![] } else { vec![change] };
        Ok(Response::new(Setting { history, ..setting(&id, value) }))
    }

    async fn update_setting(&self, request: Request<UpdateSettingRequest>) -> Answer<Setting> {
        self.0.holder(&[Role::Admin, Role::TransportPlanner], &request, "set").await?;
        self.0.keep(&request);
        let UpdateSettingRequest { id, value, version } = request.into_inner();
        if version.is_some_and(|version| version != 7) {
            return Err(Error::precondition("SETTING_CHANGED", "Somebody else changed it meanwhile.").into());
        }
        if value.trim().is_empty() {
            return Err(Error::invalid_field("value", "Value is required").into());
        }
        Ok(Response::new(Setting { version: 8, ..setting(&id, value) }))
    }

    async fn republish_settings(
        &self,
        _: Request<RepublishSettingsRequest>,
    ) -> Answer<RepublishSettingsResponse> {
        Err(Status::unimplemented("no matter of the gateway"))
    }
}

/// Returns an announcement for everybody, dismissed or not.
pub fn said(id: &str, message: &str, dismissed: bool) -> MyAnnouncement {
    MyAnnouncement {
        id: id.to_owned(),
        title: format!("Title {id}"),
        message: message.to_owned(),
        severity: AnnouncementSeverity::Warning.into(),
        dismissible: true,
        dismissed,
        starts_at: Some(prost_at(1_800_000_000)),
        ..MyAnnouncement::default()
    }
}

fn announcement(id: &str, content: AnnouncementInput) -> Announcement {
    Announcement {
        id: id.to_owned(),
        content: Some(content),
        seen_count: 3,
        created_at: Some(prost_at(1)),
        created_by: "maria".into(),
        updated_at: Some(prost_at(2)),
        updated_by: "ana".into(),
        version: 7,
    }
}

fn content() -> AnnouncementInput {
    AnnouncementInput {
        title: "Typhoon".into(),
        message: "No deliveries on Friday".into(),
        severity: AnnouncementSeverity::Critical.into(),
        audience_roles: vec!["dispatcher".into()],
        audience_users: vec!["ana".into()],
        starts_at: Some(prost_at(1_800_000_000)),
        ends_at: Some(prost_at(1_800_003_600)),
        is_active: true,
        dismissible: false,
    }
}

#[tonic::async_trait]
impl AnnouncementsService for Settings {
    async fn list_announcements(
        &self,
        request: Request<ListAnnouncementsRequest>,
    ) -> Answer<ListAnnouncementsResponse> {
        self.0.page_for(Role::ADMINS, &request, &request.get_ref().page).await?;
        let announcements = vec![announcement("a-1", content())];
        Ok(Response::new(ListAnnouncementsResponse { announcements, more: false }))
    }

    async fn count_announcements(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.holder(Role::ADMINS, &request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }

    async fn get_announcement(&self, request: Request<GetAnnouncementRequest>) -> Answer<Announcement> {
        self.0.holder(Role::ADMINS, &request, "announcement").await?;
        match request.get_ref().id.as_str() {
            "a-1" => Ok(Response::new(announcement("a-1", content()))),
            _ => Err(Error::not_found("ANNOUNCEMENT_NOT_FOUND", "There is no such announcement.").into()),
        }
    }

    async fn create_announcement(&self, request: Request<CreateAnnouncementRequest>) -> Answer<Announcement> {
        self.0.holder(Role::ADMINS, &request, "announce").await?;
        self.0.keep(&request);
        let CreateAnnouncementRequest { creation_id, content } = request.into_inner();
        Ok(Response::new(announcement(&creation_id, content.unwrap())))
    }

    async fn update_announcement(&self, request: Request<UpdateAnnouncementRequest>) -> Answer<Announcement> {
        self.0.holder(Role::ADMINS, &request, "announce").await?;
        self.0.keep(&request);
        let UpdateAnnouncementRequest { id, version, content } = request.into_inner();
        if version != 7 {
            let text = "Somebody else changed it meanwhile.";
            return Err(Error::precondition("ANNOUNCEMENT_CHANGED", text).into());
        }
        Ok(Response::new(announcement(&id, content.unwrap())))
    }

    async fn delete_announcement(
        &self,
        request: Request<DeleteAnnouncementRequest>,
    ) -> Answer<DeleteAnnouncementResponse> {
        self.0.holder(Role::ADMINS, &request, "delete announcement").await?;
        self.0.keep(&request);
        Ok(Response::new(DeleteAnnouncementResponse {}))
    }

    async fn list_my_announcements(
        &self,
        request: Request<ListMyAnnouncementsRequest>,
    ) -> Answer<ListMyAnnouncementsResponse> {
        self.0.staff(&request, "news").await?;
        self.0.settings_are_there().await?;
        let announcements = self.0.memory.lock().unwrap().office.announcements.clone();
        Ok(Response::new(ListMyAnnouncementsResponse { announcements }))
    }

    async fn mark_announcements(
        &self,
        request: Request<MarkAnnouncementsRequest>,
    ) -> Answer<MarkAnnouncementsResponse> {
        let MarkAnnouncementsRequest { ids, dismiss } = request.get_ref().clone();
        self.0.staff(&request, "mark").await?;
        self.0.office(|office| {
            for it in office.announcements.iter_mut().filter(|it| ids.contains(&it.id)) {
                (it.seen, it.dismissed) = (true, it.dismissed || dismiss);
            }
        });
        Ok(Response::new(MarkAnnouncementsResponse {}))
    }
}
