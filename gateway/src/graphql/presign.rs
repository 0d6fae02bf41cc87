//! Download links for stored objects.
//!
//! Only the service that owns an object knows who may see it. The prefix of the object's key names that service.
//! A URL without a known prefix, or outside our storage, is "not found".

use async_graphql::{Context, Object, SimpleObject};
use kit::Error;
use proto::deliveries::v1::PresignAttachmentRequest;
use proto::settings::v1::PresignLogoRequest;

use super::clients;
use super::error::Failure;
use super::viewer::{viewed, viewer};
use crate::accesses::View;

/// Key prefix of objects that prove outcomes.
const PROOFS: &str = "proof/";
const LOGOS: &str = "logos/";

#[derive(Default)]
pub struct PresignMutation;

#[Object]
impl PresignMutation {
    async fn mutate_presigned_url(&self, ctx: &Context<'_>, url: String) -> Result<PresignedUrl, Failure> {
        let viewer = viewer(ctx)?;
        // Require a session first, so that signed-out callers learn nothing about which URLs exist.
        let mut proof = clients::proof(ctx)?;
        let key = viewer.app.blob.key_of(&url);
        let presigned_url = match key.as_ref().map(|key| key.as_str()) {
            Ok(key) if key.starts_with(PROOFS) => {
                let answer = proof.presign_attachment(PresignAttachmentRequest { url }).await?.into_inner();
                let of = answer.delivery_id.as_str();
                viewed(ctx, View::Proof, (of, of)).await?;
                answer.presigned_url
            }
            Ok(key) if key.starts_with(LOGOS) => {
                clients::logo(ctx)?.presign_logo(PresignLogoRequest { url }).await?.into_inner().presigned_url
            }
            _ => return Err(Error::not_found("OBJECT_NOT_FOUND", "The file does not exist.").into()),
        };
        Ok(PresignedUrl { presigned_url })
    }
}

#[derive(SimpleObject)]
pub struct PresignedUrl {
    presigned_url: String,
}
