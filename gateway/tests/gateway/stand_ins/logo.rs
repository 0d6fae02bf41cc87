//! The stand-in for the customer's logo.

use kit::{Error, Role};
use proto::settings::v1::logo_service_server::LogoService;
use proto::settings::v1::*;
use tonic::{Request, Response};

use super::{Answer, Settings};

#[tonic::async_trait]
impl LogoService for Settings {
    async fn request_logo_upload_link(
        &self,
        request: Request<RequestLogoUploadLinkRequest>,
    ) -> Answer<RequestLogoUploadLinkResponse> {
        let filename = request.get_ref().filename.clone();
        self.0.holder(Role::ADMINS, &request, format!("logo link {filename}")).await?;
        if filename.ends_with(".gif") {
            return Err(Error::invalid("FILE_TYPE_INVALID", "Invalid file").into());
        }
        let url = "/objects/logos/incoming/x?expires=1".to_owned();
        Ok(Response::new(RequestLogoUploadLinkResponse { url }))
    }

    async fn presign_logo(&self, request: Request<PresignLogoRequest>) -> Answer<PresignLogoResponse> {
        self.0.holder(Role::ADMINS, &request, format!("publish {}", request.get_ref().url)).await?;
        Ok(Response::new(PresignLogoResponse { presigned_url: "/logo/abc.png".to_owned() }))
    }
}
