//! Saved views of lists, and saved queries of the query lab: each office user has their own. Others can run a
//! shared query, but only its owner can change it.

use kit::principal::{Principal, Role, principal};
use kit::{Error, Result};
use proto::settings::v1::saved_views_service_server::SavedViewsService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::Shared;
use crate::domain::saved_view::{self, List};
use crate::store::Creation;
use crate::store::saved_views::{self, Owner};

pub struct Service {
    pub shared: Shared,
}

/// The calling office user.
struct Caller {
    principal: Principal,
    id: String,
    username: String,
}

impl Caller {
    fn of<T>(request: &Request<T>) -> Result<Self> {
        let principal = principal(request)?.require(Role::STAFF)?.clone();
        match &principal {
            Principal::User { id, username, .. } => {
                let (id, username) = (id.clone(), username.clone());
                Ok(Self { principal, id, username })
            }
            Principal::Service { .. } => Err(Error::forbidden("ROLE_MISSING")),
        }
    }

    /// Requires that the caller may have views of the list.
    fn require(&self, list: List) -> Result<()> {
        self.principal.require(list.roles()).map(drop)
    }

    fn owner(&self) -> Owner<'_> {
        Owner { id: &self.id, name: &self.username }
    }
}

#[tonic::async_trait]
impl SavedViewsService for Service {
    async fn list_saved_views(
        &self,
        request: Request<ListSavedViewsRequest>,
    ) -> Result<Response<ListSavedViewsResponse>, Status> {
        let caller = Caller::of(&request)?;
        let list = saved_view::read_list(&request.into_inner().list)?;
        caller.require(list)?;
        let rows = saved_views::list(&self.shared.context.db, &caller.id, list).await?;
        let saved_views = rows.into_iter().map(|row| {
            let mut view = row.into_wire(&caller.id);
            if let Some(content) = view.content.as_mut().filter(|_| !view.own) {
                content.state.clear();
            }
            view
        });
        Ok(Response::new(ListSavedViewsResponse { saved_views: saved_views.collect() }))
    }

    async fn get_saved_query(
        &self,
        request: Request<GetSavedQueryRequest>,
    ) -> Result<Response<SavedView>, Status> {
        let caller = Caller::of(&request)?;
        caller.require(List::QueryLab)?;
        let row = saved_views::query(&self.shared.context.db, &request.into_inner().id, &caller.id).await?;
        Ok(Response::new(row.into_wire(&caller.id)))
    }

    async fn create_saved_view(
        &self,
        request: Request<CreateSavedViewRequest>,
    ) -> Result<Response<SavedView>, Status> {
        let caller = Caller::of(&request)?;
        let CreateSavedViewRequest { creation_id, content } = request.into_inner();
        let content = content.unwrap_or_default();
        let creation = Creation::new(&creation_id, &content)?;
        let form = saved_view::read(content)?;
        caller.require(form.list)?;
        let context = &self.shared.context;
        let row =
            saved_views::create(&context.db, creation, form, caller.owner(), context.clock.now()).await?;
        Ok(Response::new(row.into_wire(&caller.id)))
    }

    async fn update_saved_view(
        &self,
        request: Request<UpdateSavedViewRequest>,
    ) -> Result<Response<SavedView>, Status> {
        let caller = Caller::of(&request)?;
        let UpdateSavedViewRequest { id, version, content } = request.into_inner();
        let form = saved_view::read(content.unwrap_or_default())?;
        caller.require(form.list)?;
        let context = &self.shared.context;
        let row =
            saved_views::update(&context.db, &id, version, form, caller.owner(), context.clock.now()).await?;
        Ok(Response::new(row.into_wire(&caller.id)))
    }

    async fn delete_saved_view(
        &self,
        request: Request<DeleteSavedViewRequest>,
    ) -> Result<Response<DeleteSavedViewResponse>, Status> {
        let caller = Caller::of(&request)?;
        let DeleteSavedViewRequest { id, version } = request.into_inner();
        saved_views::delete(&self.shared.context.db, &id, version, &caller.id).await?;
        Ok(Response::new(DeleteSavedViewResponse {}))
    }
}
