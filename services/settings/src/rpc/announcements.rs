//! Announcements: administrators write them, office users read those addressed to them, also without a role.

use kit::Result;
use kit::principal::{Role, caller, principal};
use proto::common::v1::{Count, CountRequest};
use proto::settings::v1::announcements_service_server::AnnouncementsService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::Shared;
use crate::domain::announcement::{self, Reader};
use crate::store::{Creation, announcements, news};
use ::store::audit::Actor;

pub struct Service {
    pub shared: Shared,
}

#[tonic::async_trait]
impl AnnouncementsService for Service {
    async fn list_announcements(
        &self,
        request: Request<ListAnnouncementsRequest>,
    ) -> Result<Response<ListAnnouncementsResponse>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let context = &self.shared.context;
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = announcements::page(&context.db, &page, context.clock.now()).await?;
        let announcements = rows.into_iter().map(Into::into).collect();
        Ok(Response::new(ListAnnouncementsResponse { announcements, more }))
    }

    async fn count_announcements(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let context = &self.shared.context;
        let filters = request.into_inner().r#where;
        Ok(Response::new(announcements::count(&context.db, &filters, context.clock.now()).await?))
    }

    async fn get_announcement(
        &self,
        request: Request<GetAnnouncementRequest>,
    ) -> Result<Response<Announcement>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let row = announcements::get(&self.shared.context.db, &request.into_inner().id).await?;
        Ok(Response::new(row.into()))
    }

    async fn create_announcement(
        &self,
        request: Request<CreateAnnouncementRequest>,
    ) -> Result<Response<Announcement>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let CreateAnnouncementRequest { creation_id, content } = request.into_inner();
        let content = content.unwrap_or_default();
        let creation = Creation::new(&creation_id, &content)?;
        let form = announcement::read(content)?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        Ok(Response::new(announcements::create(&context.db, creation, form, by).await?.into()))
    }

    async fn update_announcement(
        &self,
        request: Request<UpdateAnnouncementRequest>,
    ) -> Result<Response<Announcement>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let UpdateAnnouncementRequest { id, version, content } = request.into_inner();
        let form = announcement::read(content.unwrap_or_default())?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        Ok(Response::new(announcements::update(&context.db, &id, version, form, by).await?.into()))
    }

    async fn delete_announcement(
        &self,
        request: Request<DeleteAnnouncementRequest>,
    ) -> Result<Response<DeleteAnnouncementResponse>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let DeleteAnnouncementRequest { id, version } = request.into_inner();
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        announcements::delete(&context.db, &id, version, by).await?;
        Ok(Response::new(DeleteAnnouncementResponse {}))
    }

    async fn list_my_announcements(
        &self,
        request: Request<ListMyAnnouncementsRequest>,
    ) -> Result<Response<ListMyAnnouncementsResponse>, Status> {
        let reader = Reader::of(principal(&request)?.require_office()?)?;
        let context = &self.shared.context;
        let mine = news::list(&context.db, &reader, context.clock.now()).await?;
        let announcements = mine.into_iter().map(Into::into).collect();
        Ok(Response::new(ListMyAnnouncementsResponse { announcements }))
    }

    async fn mark_announcements(
        &self,
        request: Request<MarkAnnouncementsRequest>,
    ) -> Result<Response<MarkAnnouncementsResponse>, Status> {
        let reader = Reader::of(principal(&request)?.require_office()?)?;
        let actor = Actor::from(caller(&request)?);
        let MarkAnnouncementsRequest { ids, dismiss } = request.into_inner();
        let ids = announcement::marked(&ids)?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        news::mark(&context.db, &reader, &ids, dismiss, by).await?;
        Ok(Response::new(MarkAnnouncementsResponse {}))
    }
}
