//! Files that prove an outcome, and links to them.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use proto::deliveries::v1 as contract;

use super::clients;
use super::enums::{AttachmentKind, AttachmentSource};
use super::error::Failure;
use super::value::{DateTime, GeoPoint, GeoPointInput, set_time, spelling, wire, word};

#[derive(Default)]
pub struct AttachmentsMutation;

#[Object]
impl AttachmentsMutation {
    async fn request_attachment_link(
        &self,
        ctx: &Context<'_>,
        input: RequestAttachmentLinkInput,
    ) -> Result<AttachmentLink, Failure> {
        let RequestAttachmentLinkInput { delivery_id, filename } = input;
        let ask = contract::RequestAttachmentLinkRequest { delivery_id, filename };
        let answer = clients::proof(ctx)?.request_attachment_link(ask).await?;
        Ok(AttachmentLink { url: answer.into_inner().url })
    }

    async fn add_attachment(
        &self,
        ctx: &Context<'_>,
        input: AddAttachmentInput,
    ) -> Result<Attachment, Failure> {
        let AddAttachmentInput { delivery_id, url, kind, item_number, captured_at, point, note, attempt } =
            input;
        let ask = contract::AddAttachmentRequest {
            delivery_id,
            url,
            kind: spelling(kind).to_owned(),
            item_number,
            captured_at: wire(captured_at),
            point: point.map(Into::into),
            note,
            attempt,
        };
        Ok(Attachment(clients::proof(ctx)?.add_attachment(ask).await?.into_inner()))
    }
}

pub struct Attachment(pub contract::Attachment);

#[Object]
impl Attachment {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn delivery_id(&self) -> &str {
        &self.0.delivery_id
    }
    async fn attempt(&self) -> u32 {
        self.0.attempt
    }
    async fn item_number(&self) -> Option<&str> {
        self.0.item_number.as_deref()
    }
    async fn kind(&self) -> Result<AttachmentKind, Failure> {
        word(&self.0.kind)
    }
    /// URL of the stored file, without a query. `mutatePresignedUrl` turns it into a download link.
    async fn url(&self) -> &str {
        &self.0.url
    }
    async fn filename(&self) -> &str {
        &self.0.filename
    }
    async fn content_type(&self) -> &str {
        &self.0.content_type
    }
    async fn size_bytes(&self) -> f64 {
        self.0.size_bytes as f64
    }
    async fn sha256(&self) -> &str {
        &self.0.sha256
    }
    async fn width(&self) -> Option<u32> {
        self.0.width
    }
    async fn height(&self) -> Option<u32> {
        self.0.height
    }
    async fn captured_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.captured_at)
    }
    async fn received_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.received_at)
    }
    async fn point(&self) -> Option<GeoPoint> {
        self.0.point.map(GeoPoint::from)
    }
    async fn capture_lat(&self) -> Option<f64> {
        self.0.point.map(|point| point.lat)
    }
    async fn capture_lng(&self) -> Option<f64> {
        self.0.point.map(|point| point.lng)
    }
    async fn captured_by(&self) -> &str {
        &self.0.captured_by
    }
    async fn source(&self) -> Result<AttachmentSource, Failure> {
        word(&self.0.source)
    }
    async fn added_after_completion(&self) -> bool {
        self.0.added_after_completion
    }
    async fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }
}

/// A link to upload one file with PUT. Without its query, the link is the `url` for `addAttachment`.
#[derive(SimpleObject)]
pub struct AttachmentLink {
    url: String,
}

#[derive(InputObject)]
pub struct RequestAttachmentLinkInput {
    delivery_id: String,
    filename: String,
}

#[derive(InputObject)]
pub struct AddAttachmentInput {
    delivery_id: String,
    url: String,
    kind: AttachmentKind,
    item_number: Option<String>,
    captured_at: Option<DateTime>,
    point: Option<GeoPointInput>,
    note: Option<String>,
    /// The attempt that the file proves. Null means the current one.
    attempt: Option<u32>,
}
