//! Announcements: for administrators, who write them, and for the caller who sees them.
//!
//! The messages for the caller are also the `news` of the current user (`account`). The service decides who
//! sees an announcement and when.

use async_graphql::{Context, Enum, InputObject, Object};
use proto::settings::v1 as contract;

use super::clients;
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions};
use super::value::{DateTime, known, set_time, time, wire};

/// Maximum number of announcements for the caller.
const OWN: usize = 20;

#[derive(Default)]
pub struct AnnouncementsQuery;

#[Object]
impl AnnouncementsQuery {
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn announcements(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<Announcement>, Failure> {
        let ask = contract::ListAnnouncementsRequest { page: Some(page::page(page)?) };
        let found = clients::announcements(ctx)?.list_announcements(ask).await?.into_inner().announcements;
        Ok(found.into_iter().map(Announcement::from).collect())
    }

    async fn announcements_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::announcements(ctx)?.count_announcements(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    async fn announcement(&self, ctx: &Context<'_>, id: String) -> Result<Option<Announcement>, Failure> {
        let answer =
            clients::announcements(ctx)?.get_announcement(contract::GetAnnouncementRequest { id }).await;
        Ok(found(answer)?.map(Announcement::from))
    }

    /// The caller's current announcements, newest first, at most 20.
    #[graphql(complexity = "page::times(OWN, child_complexity)")]
    async fn my_announcements(&self, ctx: &Context<'_>) -> Result<Vec<MyAnnouncement>, Failure> {
        own(ctx).await
    }
}

#[derive(Default)]
pub struct AnnouncementsMutation;

#[Object]
impl AnnouncementsMutation {
    async fn create_announcement(
        &self,
        ctx: &Context<'_>,
        input: CreateAnnouncementInput,
    ) -> Result<Announcement, Failure> {
        let CreateAnnouncementInput { creation_id, announcement } = input;
        let ask = contract::CreateAnnouncementRequest { creation_id, content: Some(announcement.into()) };
        Ok(clients::announcements(ctx)?.create_announcement(ask).await?.into_inner().into())
    }

    /// Replaces all fields of an announcement.
    async fn update_announcement(
        &self,
        ctx: &Context<'_>,
        input: UpdateAnnouncementInput,
    ) -> Result<Announcement, Failure> {
        let UpdateAnnouncementInput { id, version, announcement } = input;
        let ask = contract::UpdateAnnouncementRequest { id, version, content: Some(announcement.into()) };
        Ok(clients::announcements(ctx)?.update_announcement(ask).await?.into_inner().into())
    }

    /// Deletes an announcement and returns its id.
    async fn delete_announcement(
        &self,
        ctx: &Context<'_>,
        input: DeleteAnnouncementInput,
    ) -> Result<String, Failure> {
        let DeleteAnnouncementInput { id, version } = input;
        let ask = contract::DeleteAnnouncementRequest { id: id.clone(), version };
        clients::announcements(ctx)?.delete_announcement(ask).await?;
        Ok(id)
    }

    /// Marks announcements as seen by the caller, or dismisses them. Returns the caller's announcements
    /// afterwards.
    #[graphql(complexity = "page::times(OWN, child_complexity)")]
    async fn mark_announcements(
        &self,
        ctx: &Context<'_>,
        input: MarkAnnouncementsInput,
    ) -> Result<Vec<MyAnnouncement>, Failure> {
        let MarkAnnouncementsInput { ids, dismiss } = input;
        clients::announcements(ctx)?
            .mark_announcements(contract::MarkAnnouncementsRequest { ids, dismiss })
            .await?;
        own(ctx).await
    }
}

async fn own(ctx: &Context<'_>) -> Result<Vec<MyAnnouncement>, Failure> {
    let answer =
        clients::announcements(ctx)?.list_my_announcements(contract::ListMyAnnouncementsRequest {}).await?;
    Ok(answer.into_inner().announcements.into_iter().map(MyAnnouncement).collect())
}

pub struct Announcement {
    row: contract::Announcement,
    content: contract::AnnouncementInput,
}

impl From<contract::Announcement> for Announcement {
    fn from(mut row: contract::Announcement) -> Self {
        let content = row.content.take().unwrap_or_default();
        Self { row, content }
    }
}

#[Object]
impl Announcement {
    async fn id(&self) -> &str {
        &self.row.id
    }
    async fn title(&self) -> &str {
        &self.content.title
    }
    async fn message(&self) -> &str {
        &self.content.message
    }
    async fn severity(&self) -> Result<AnnouncementSeverity, Failure> {
        known::<contract::AnnouncementSeverity, _>(self.content.severity)
    }
    /// Roles that the announcement is for. If there are neither roles nor users, the announcement is for
    /// everybody.
    async fn audience_roles(&self) -> &[String] {
        &self.content.audience_roles
    }
    /// Usernames of the users that the announcement is for. If there are neither roles nor users, the
    /// announcement is for everybody.
    async fn audience_users(&self) -> &[String] {
        &self.content.audience_users
    }
    /// The announcement is visible from this time on.
    async fn starts_at(&self) -> Result<DateTime, Failure> {
        set_time(self.content.starts_at)
    }
    /// The announcement is visible until this time; null means that it has no end.
    async fn ends_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.content.ends_at)
    }
    async fn is_active(&self) -> bool {
        self.content.is_active
    }
    async fn dismissible(&self) -> bool {
        self.content.dismissible
    }
    /// Number of users who have seen the announcement.
    async fn seen_count(&self) -> u64 {
        self.row.seen_count
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.row.created_at)
    }
    async fn created_by(&self) -> &str {
        &self.row.created_by
    }
    async fn updated_at(&self) -> Result<DateTime, Failure> {
        set_time(self.row.updated_at)
    }
    async fn updated_by(&self) -> &str {
        &self.row.updated_by
    }
    async fn version(&self) -> u64 {
        self.row.version
    }
}

/// An announcement for the caller.
pub struct MyAnnouncement(contract::MyAnnouncement);

#[Object]
impl MyAnnouncement {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn title(&self) -> &str {
        &self.0.title
    }
    async fn message(&self) -> &str {
        &self.0.message
    }
    async fn severity(&self) -> Result<AnnouncementSeverity, Failure> {
        known::<contract::AnnouncementSeverity, _>(self.0.severity)
    }
    async fn dismissible(&self) -> bool {
        self.0.dismissible
    }
    async fn dismissed(&self) -> bool {
        self.0.dismissed
    }
    /// Whether the caller has seen the announcement in its current form; true if they dismissed it.
    async fn seen(&self) -> bool {
        self.0.seen
    }
    async fn starts_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.starts_at)
    }
    /// The announcement is visible until this time; null means that it has no end.
    async fn ends_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.ends_at)
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum AnnouncementSeverity {
    Info,
    Warning,
    Critical,
}

proto::same_enum!(contract::AnnouncementSeverity => AnnouncementSeverity {
    Info => Info,
    Warning => Warning,
    Critical => Critical,
});

#[derive(InputObject)]
pub struct CreateAnnouncementInput {
    /// UUID chosen by the client. A repeated UUID creates nothing and returns the existing announcement.
    creation_id: String,
    announcement: AnnouncementInput,
}

#[derive(InputObject)]
pub struct UpdateAnnouncementInput {
    id: String,
    version: u64,
    announcement: AnnouncementInput,
}

#[derive(InputObject)]
pub struct DeleteAnnouncementInput {
    id: String,
    version: u64,
}

#[derive(InputObject)]
pub struct MarkAnnouncementsInput {
    /// At most 100 ids.
    ids: Vec<String>,
    /// Whether to dismiss those announcements that are dismissible, which removes them from the caller's
    /// news.
    dismiss: bool,
}

#[derive(InputObject)]
pub struct AnnouncementInput {
    title: String,
    /// Plain text of one paragraph.
    message: String,
    severity: AnnouncementSeverity,
    /// Staff roles that the announcement is for. If there are neither roles nor users, the announcement is
    /// for everybody.
    audience_roles: Vec<String>,
    /// Usernames of the users that the announcement is for. If there are neither roles nor users, the
    /// announcement is for everybody.
    audience_users: Vec<String>,
    /// The announcement is visible from this time on.
    starts_at: DateTime,
    /// The announcement is visible until this time; null means that it has no end.
    ends_at: Option<DateTime>,
    is_active: bool,
    dismissible: bool,
}

impl From<AnnouncementInput> for contract::AnnouncementInput {
    fn from(input: AnnouncementInput) -> Self {
        let AnnouncementInput {
            title,
            message,
            severity,
            audience_roles,
            audience_users,
            starts_at,
            ends_at,
            is_active,
            dismissible,
        } = input;
        Self {
            title,
            message,
            severity: contract::AnnouncementSeverity::from(severity).into(),
            audience_roles,
            audience_users,
            starts_at: Some(starts_at.into()),
            ends_at: wire(ends_at),
            is_active,
            dismissible,
        }
    }
}
