//! The stand-in for saved views of lists.

use kit::{Error, Role};
use proto::settings::v1::saved_views_service_server::SavedViewsService;
use proto::settings::v1::*;
use tonic::{Request, Response};

use super::{Answer, Settings, prost_at};

fn view(id: &str, content: SavedViewInput) -> SavedView {
    let (owner, updated_at) = ("mara".to_owned(), Some(prost_at(2)));
    SavedView { id: id.to_owned(), content: Some(content), updated_at, version: 7, owner, own: false }
}

#[tonic::async_trait]
impl SavedViewsService for Settings {
    async fn list_saved_views(
        &self,
        request: Request<ListSavedViewsRequest>,
    ) -> Answer<ListSavedViewsResponse> {
        self.0.staff(&request, "views").await?;
        let list = request.into_inner().list;
        let state = "{\"filters\":[]}".into();
        let content = SavedViewInput { name: "Morning".into(), list, state, shared: true };
        Ok(Response::new(ListSavedViewsResponse { saved_views: vec![view("v-1", content)] }))
    }

    async fn get_saved_query(&self, request: Request<GetSavedQueryRequest>) -> Answer<SavedView> {
        self.0.holder(Role::ADMINS, &request, "saved query").await?;
        let id = request.into_inner().id;
        if id != "v-1" {
            return Err(Error::not_found("SAVED_QUERY_NOT_FOUND", "This query is gone.").into());
        }
        let state = r#"{"query":"{\"measures\":[\"Delivery.count\"]}"}"#.into();
        let content = SavedViewInput { name: "By day".into(), list: "queryLab".into(), state, shared: true };
        Ok(Response::new(view(&id, content)))
    }

    async fn create_saved_view(&self, request: Request<CreateSavedViewRequest>) -> Answer<SavedView> {
        self.0.staff(&request, "view").await?;
        self.0.keep(&request);
        let CreateSavedViewRequest { creation_id, content } = request.into_inner();
        Ok(Response::new(view(&creation_id, content.unwrap())))
    }

    async fn update_saved_view(&self, request: Request<UpdateSavedViewRequest>) -> Answer<SavedView> {
        self.0.staff(&request, "view").await?;
        self.0.keep(&request);
        let UpdateSavedViewRequest { id, content, .. } = request.into_inner();
        Ok(Response::new(view(&id, content.unwrap())))
    }

    async fn delete_saved_view(
        &self,
        request: Request<DeleteSavedViewRequest>,
    ) -> Answer<DeleteSavedViewResponse> {
        self.0.staff(&request, "view").await?;
        self.0.keep(&request);
        Ok(Response::new(DeleteSavedViewResponse {}))
    }
}
