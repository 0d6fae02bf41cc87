//! Views of lists: everybody of the office has their own, and sees no other.

use kit::principal::{Principal, Role, principal};
use kit::{Error, Result};
use proto::settings::v1::saved_views_service_server::SavedViewsService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::Shared;
use crate::domain::saved_view;
use crate::store::{Creation, saved_views};

pub struct Service {
    pub shared: Shared,
}

/// The id of the person of the office who asks.
fn owner<T>(request: &Request<T>) -> Result<String> {
    match principal(request)?.require(Role::STAFF)? {
        Principal::User { id, .. } => Ok(id.clone()),
        _ => Err(Error::forbidden("ROLE_MISSING")),
    }
}

#[tonic::async_trait]
impl SavedViewsService for Service {
    async fn list_saved_views(
        &self,
        request: Request<ListSavedViewsRequest>,
    ) -> Result<Response<ListSavedViewsResponse>, Status> {
        let owner = owner(&request)?;
        let list = saved_view::read_list(&request.into_inner().list)?;
        let rows = saved_views::list(&self.shared.context.db, &owner, list).await?;
        Ok(Response::new(ListSavedViewsResponse { saved_views: rows.into_iter().map(Into::into).collect() }))
    }

    async fn create_saved_view(
        &self,
        request: Request<CreateSavedViewRequest>,
    ) -> Result<Response<SavedView>, Status> {
        let owner = owner(&request)?;
        let CreateSavedViewRequest { creation_id, content } = request.into_inner();
        let content = content.unwrap_or_default();
        let creation = Creation::new(&creation_id, &content)?;
        let form = saved_view::read(content)?;
        let context = &self.shared.context;
        let row = saved_views::create(&context.db, creation, form, &owner, context.clock.now()).await?;
        Ok(Response::new(row.into()))
    }

    async fn update_saved_view(
        &self,
        request: Request<UpdateSavedViewRequest>,
    ) -> Result<Response<SavedView>, Status> {
        let owner = owner(&request)?;
        let UpdateSavedViewRequest { id, version, content } = request.into_inner();
        let form = saved_view::read(content.unwrap_or_default())?;
        let context = &self.shared.context;
        let row = saved_views::update(&context.db, &id, version, form, &owner, context.clock.now()).await?;
        Ok(Response::new(row.into()))
    }

    async fn delete_saved_view(
        &self,
        request: Request<DeleteSavedViewRequest>,
    ) -> Result<Response<DeleteSavedViewResponse>, Status> {
        let owner = owner(&request)?;
        let DeleteSavedViewRequest { id, version } = request.into_inner();
        saved_views::delete(&self.shared.context.db, &id, version, &owner).await?;
        Ok(Response::new(DeleteSavedViewResponse {}))
    }
}
