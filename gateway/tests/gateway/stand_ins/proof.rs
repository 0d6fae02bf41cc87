//! The stand-in for proof and forms.

use kit::Error;
use proto::common::v1::BatchGetRequest;
use proto::deliveries::v1::proof_service_server::ProofService;
use proto::deliveries::v1::*;
use tonic::{Request, Response};

use super::deliveries::delivery;
use super::{Answer, Deliveries, note, prost_at};

fn attachment(id: &str, url: &str) -> Attachment {
    Attachment {
        id: format!("a-{id}"),
        delivery_id: id.to_owned(),
        attempt: 1,
        kind: "barcode_image".into(),
        url: url.to_owned(),
        filename: "a b.png".into(),
        content_type: "image/png".into(),
        size_bytes: 5_000_000_000,
        captured_at: Some(prost_at(1)),
        received_at: Some(prost_at(2)),
        source: "driver_app".into(),
        ..Attachment::default()
    }
}

fn form(id: &str, form_version: u32) -> DeliveryForm {
    DeliveryForm {
        delivery_id: id.to_owned(),
        form_version,
        attempt: 1,
        status: DeliveryStatus::Rejected.into(),
        issued_at: Some(prost_at(3)),
        issued_by: "maria".into(),
        content_hash: "00".into(),
        verification_code: "ABCD-EFGH".into(),
        superseded_by: Some(3).filter(|_| form_version < 3),
        content: None,
        description: None,
    }
}

#[tonic::async_trait]
impl ProofService for Deliveries {
    async fn request_attachment_link(
        &self,
        request: Request<RequestAttachmentLinkRequest>,
    ) -> Answer<RequestAttachmentLinkResponse> {
        self.0.teller(&request, "link").await?;
        self.0.keep(&request);
        Ok(Response::new(RequestAttachmentLinkResponse { url: "/objects/proof/x?expires=1".into() }))
    }

    async fn add_attachment(&self, request: Request<AddAttachmentRequest>) -> Answer<Attachment> {
        self.0.teller(&request, "attachment").await?;
        self.0.keep(&request);
        let AddAttachmentRequest { delivery_id, url, .. } = request.into_inner();
        Ok(Response::new(attachment(&delivery_id, &url)))
    }

    async fn batch_get_attachments(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Answer<BatchGetAttachmentsResponse> {
        self.0.staff(&request, note("attachments", &request.get_ref().ids)).await?;
        let attachments = request.get_ref().ids.iter().map(|id| attachment(id, "/objects/proof/x"));
        Ok(Response::new(BatchGetAttachmentsResponse { attachments: attachments.collect() }))
    }

    async fn presign_attachment(
        &self,
        request: Request<PresignAttachmentRequest>,
    ) -> Answer<PresignAttachmentResponse> {
        self.0.staff(&request, format!("presign {}", request.get_ref().url)).await?;
        let presigned_url = format!("{}?signature=s", request.get_ref().url);
        Ok(Response::new(PresignAttachmentResponse { presigned_url, delivery_id: "D-1".into() }))
    }

    async fn get_form(&self, request: Request<GetFormRequest>) -> Answer<DeliveryForm> {
        self.0.staff(&request, "form").await?;
        self.0.keep(&request);
        let GetFormRequest { delivery_id, form_version, .. } = request.into_inner();
        if delivery_id != "D-1" {
            return Err(Error::not_found("FORM_NOT_FOUND", "There is no such form.").into());
        }
        let content = FormContent {
            delivery: Some(Delivery { received_by: Some("As it was".into()), ..delivery(1) }),
            items: vec![DeliveryItem { condition: Condition::Ok.into(), ..DeliveryItem::default() }],
            attachments: vec![attachment("D-1", "/objects/proof/x")],
            correction_reason: Some("Counted again".into()),
            ..FormContent::default()
        };
        let form_version = if form_version == 0 { 3 } else { form_version };
        let items = FormTable {
            columns: vec![FormColumn { kind: FormColumnKind::Quantity.into(), title: "Expected".into() }],
            rows: vec![FormRow { cells: vec!["40".into()], ..FormRow::default() }],
            ..FormTable::default()
        };
        let description = FormDescription {
            title: "Delivery form".into(),
            sections: vec![FormSection { facts: vec![FormFact::default()], ..FormSection::default() }],
            items: Some(items),
            ..FormDescription::default()
        };
        let form = form(&delivery_id, form_version);
        Ok(Response::new(DeliveryForm { content: Some(content), description: Some(description), ..form }))
    }

    async fn batch_get_forms(&self, request: Request<BatchGetRequest>) -> Answer<BatchGetFormsResponse> {
        self.0.staff(&request, note("forms", &request.get_ref().ids)).await?;
        let forms = request.get_ref().ids.iter().flat_map(|id| [form(id, 3), form(id, 2)]).collect();
        Ok(Response::new(BatchGetFormsResponse { forms }))
    }

    async fn render_form(&self, request: Request<RenderFormRequest>) -> Answer<RenderFormResponse> {
        self.0.staff(&request, "render").await?;
        self.0.keep(&request);
        if request.get_ref().delivery_id == "none" {
            return Err(Error::not_found("FORM_NOT_FOUND", "There is no such form.").into());
        }
        let pdf = [b"%PDF-1.7\n".as_slice(), &vec![b'x'; 6 << 20]].concat();
        let filename = format!("form-{}.pdf", request.get_ref().delivery_id);
        Ok(Response::new(RenderFormResponse { pdf, filename }))
    }
}
