//! The customer's logo.

use kit::gate::Gate;
use kit::principal::{Role, principal};
use proto::settings::v1::logo_service_server::LogoService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::Shared;
use crate::logo;

pub struct Service {
    pub shared: Shared,
    gate: Gate,
}

impl Service {
    pub fn new(shared: Shared) -> Self {
        Self { shared, gate: logo::gate() }
    }
}

#[tonic::async_trait]
impl LogoService for Service {
    async fn request_logo_upload_link(
        &self,
        request: Request<RequestLogoUploadLinkRequest>,
    ) -> Result<Response<RequestLogoUploadLinkResponse>, Status> {
        let user = principal(&request)?.require(Role::ADMINS)?.actor();
        let filename = request.into_inner().filename;
        let url = logo::request_link(&self.shared.context, &user, &filename).await?;
        Ok(Response::new(RequestLogoUploadLinkResponse { url }))
    }

    async fn presign_logo(
        &self,
        request: Request<PresignLogoRequest>,
    ) -> Result<Response<PresignLogoResponse>, Status> {
        let user = principal(&request)?.require(Role::ADMINS)?.actor();
        let url = request.into_inner().url;
        let presigned_url = logo::publish(&self.shared.context, &self.gate, &user, &url).await?;
        Ok(Response::new(PresignLogoResponse { presigned_url }))
    }
}
