//! The stand-in for views of lists that people save.

use proto::settings::v1::saved_views_service_server::SavedViewsService;
use proto::settings::v1::*;
use tonic::{Request, Response};

use super::{Answer, Settings, prost_at};

fn view(id: &str, content: SavedViewInput) -> SavedView {
    SavedView { id: id.to_owned(), content: Some(content), updated_at: Some(prost_at(2)), version: 7 }
}

#[tonic::async_trait]
impl SavedViewsService for Settings {
    async fn list_saved_views(
        &self,
        request: Request<ListSavedViewsRequest>,
    ) -> Answer<ListSavedViewsResponse> {
        self.0.staff(&request, "views").await?;
        let list = request.into_inner().list;
        let content = SavedViewInput { name: "Morning".into(), list, state: "{\"filters\":[]}".into() };
        Ok(Response::new(ListSavedViewsResponse { saved_views: vec![view("v-1", content)] }))
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
