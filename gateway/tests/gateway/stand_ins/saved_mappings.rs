//! The stand-in for mappings that people saved under a name.

use proto::upload::v1::saved_mappings_service_server::SavedMappingsService;
use proto::upload::v1::*;
use tonic::{Request, Response};

use super::{Answer, Uploads, prost_at};

fn mapping(id: &str, name: &str) -> SavedMapping {
    SavedMapping {
        id: id.to_owned(),
        name: name.to_owned(),
        source_id: "src".into(),
        columns: 9,
        missing: vec!["Tour".into()],
        saved_by: "mara".into(),
        can_change: true,
        last_used_at: Some(prost_at(2)),
        used_count: 3,
    }
}

#[tonic::async_trait]
impl SavedMappingsService for Uploads {
    async fn list_saved_mappings(
        &self,
        request: Request<ListSavedMappingsRequest>,
    ) -> Answer<ListSavedMappingsResponse> {
        self.0.editor(&request, format!("saved mappings {}", request.get_ref().upload_log_id)).await?;
        Ok(Response::new(ListSavedMappingsResponse { mappings: vec![mapping("m-1", "Acme")] }))
    }

    async fn create_saved_mapping(
        &self,
        request: Request<CreateSavedMappingRequest>,
    ) -> Answer<SavedMapping> {
        let (order, sign) = (request.get_ref().date_order(), request.get_ref().decimal_sign());
        let CreateSavedMappingRequest { name, fields, replace, .. } = request.get_ref().clone();
        let call = format!("name mapping {name} {} {order:?} {sign:?} {replace}", fields.join(","));
        self.0.editor(&request, call).await?;
        Ok(Response::new(mapping("m-2", &name)))
    }

    async fn rename_saved_mapping(
        &self,
        request: Request<RenameSavedMappingRequest>,
    ) -> Answer<SavedMapping> {
        let RenameSavedMappingRequest { id, name } = request.get_ref().clone();
        self.0.editor(&request, format!("rename mapping {id} {name}")).await?;
        Ok(Response::new(mapping(&id, &name)))
    }

    async fn delete_saved_mapping(
        &self,
        request: Request<DeleteSavedMappingRequest>,
    ) -> Answer<DeleteSavedMappingResponse> {
        self.0.editor(&request, format!("delete mapping {}", request.get_ref().id)).await?;
        Ok(Response::new(DeleteSavedMappingResponse {}))
    }
}
