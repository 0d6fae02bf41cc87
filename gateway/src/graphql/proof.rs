//! What proves an outcome: attachments, links to their files, and the delivery form.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use kit::Error;
use proto::deliveries::v1 as contract;

use super::deliveries::{Delivery, DeliveryStatus};
use super::error::{Failure, found};
use super::form_description::{FormDescription, FormPart};
use super::items::DeliveryItem;
use super::outcomes::Variance;
use super::page;
use super::proof;
use super::value::{DateTime, GeoPoint, GeoPointInput, known, set_time, spelling, wire, word};

#[derive(Default)]
pub struct ProofQuery;

#[Object]
impl ProofQuery {
    /// Its description leaves out the parts in `without`, and says so.
    async fn delivery_form(
        &self,
        ctx: &Context<'_>,
        delivery_id: String,
        form_version: Option<u32>,
        without: Option<Vec<FormPart>>,
    ) -> Result<Option<DeliveryForm>, Failure> {
        // The contract reads 0 as the newest; nobody ever saw a form of that number.
        if form_version == Some(0) {
            return Ok(None);
        }
        let without =
            without.unwrap_or_default().into_iter().map(|part| contract::FormPart::from(part).into());
        let without = without.collect();
        let ask = contract::GetFormRequest { delivery_id, form_version: form_version.unwrap_or(0), without };
        let answer = proof(ctx)?.get_form(ask).await;
        Ok(found(answer)?.map(DeliveryForm))
    }
}

#[derive(Default)]
pub struct ProofMutation;

#[Object]
impl ProofMutation {
    async fn request_attachment_link(
        &self,
        ctx: &Context<'_>,
        input: RequestAttachmentLinkInput,
    ) -> Result<AttachmentLink, Failure> {
        let RequestAttachmentLinkInput { delivery_id, filename } = input;
        let ask = contract::RequestAttachmentLinkRequest { delivery_id, filename };
        let answer = proof(ctx)?.request_attachment_link(ask).await?;
        Ok(AttachmentLink { url: answer.into_inner().url })
    }

    async fn add_attachment(
        &self,
        ctx: &Context<'_>,
        input: AddAttachmentInput,
    ) -> Result<Attachment, Failure> {
        let AddAttachmentInput { delivery_id, url, kind, item_number, captured_at, point, note } = input;
        let ask = contract::AddAttachmentRequest {
            delivery_id,
            url,
            kind: spelling(kind).to_owned(),
            item_number,
            captured_at: wire(captured_at),
            point: point.map(Into::into),
            note,
        };
        Ok(Attachment(proof(ctx)?.add_attachment(ask).await?.into_inner()))
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
    /// Of the object, without query; mutatePresignedUrl makes it one to look at.
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

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum AttachmentKind {
    Signature,
    Photo,
    Document,
    BarcodeImage,
    IdCheck,
    Other,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum AttachmentSource {
    DriverApp,
    Office,
    Import,
    Api,
}

pub struct DeliveryForm(pub contract::DeliveryForm);

#[Object]
impl DeliveryForm {
    async fn delivery_id(&self) -> &str {
        &self.0.delivery_id
    }
    async fn form_version(&self) -> u32 {
        self.0.form_version
    }
    async fn attempt(&self) -> u32 {
        self.0.attempt
    }
    async fn status(&self) -> Result<DeliveryStatus, Failure> {
        known::<contract::DeliveryStatus, _>(self.0.status)
    }
    async fn issued_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.issued_at)
    }
    async fn issued_by(&self) -> &str {
        &self.0.issued_by
    }
    async fn content_hash(&self) -> &str {
        &self.0.content_hash
    }
    async fn verification_code(&self) -> &str {
        &self.0.verification_code
    }
    async fn superseded_by(&self) -> Option<u32> {
        self.0.superseded_by
    }
    /// Null in lists of versions.
    async fn content(&self) -> Option<FormContent> {
        self.0.content.clone().map(FormContent)
    }
    /// What the form says, in words. Null in lists of versions.
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn description(&self) -> Result<Option<FormDescription>, Failure> {
        self.0.description.clone().map(FormDescription::of).transpose()
    }
}

pub struct FormContent(contract::FormContent);

#[Object]
impl FormContent {
    /// As it was when the form was issued; fields that are looked up are as they are now.
    async fn delivery(&self) -> Result<Delivery, Failure> {
        let delivery = self.0.delivery.clone();
        delivery.map(Delivery).ok_or_else(|| Error::internal("a form came without its delivery").into())
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn items(&self) -> Vec<DeliveryItem> {
        self.0.items.iter().cloned().map(DeliveryItem).collect()
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn variances(&self) -> Vec<Variance> {
        self.0.variances.iter().cloned().map(Variance).collect()
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn attachments(&self) -> Vec<Attachment> {
        self.0.attachments.iter().cloned().map(Attachment).collect()
    }
    /// Label of the outcome's reason.
    async fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }
    /// Why this version replaces the one before it.
    async fn correction_reason(&self) -> Option<&str> {
        self.0.correction_reason.as_deref()
    }
}

/// A link to PUT one file to. Without its query it is the url of addAttachment.
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
}
