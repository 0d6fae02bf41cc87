//! What proves an outcome: attachments, and the delivery form.

use std::sync::Arc;

use futures::StreamExt;
use kit::blob::{Key, LINK_TTL};
use kit::principal::{Role, principal};
use kit::{Error, Result};
use proto::common::v1::BatchGetRequest;
use proto::deliveries::v1::proof_service_server::ProofService;
use proto::deliveries::v1::*;
use ring::digest::{SHA256, digest};
use tokio::task::spawn_blocking;
use tonic::{Request, Response, Status};

use super::{admit, bounded};
use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::allowed::{self, Action};
use crate::domain::attachment::{Kind, plain_name};
use crate::domain::driver::require_own;
use crate::domain::state::Place;
use crate::domain::text;
use crate::evidence::{self, Examined};
use crate::form::content::{self, Pictures};
use crate::form::picture::{self, Picture};
use crate::form::{self, EvidenceKind, Fonts, MAX_PHOTOS, Successor, Unshown, code};
use crate::places::Places;
use crate::store::proof::{self, Heading, Issued};
use crate::store::{deliveries, drivers};

/// Objects that prove something lie under this prefix.
const PREFIX: &str = "proof/";
const MAX_FILENAME: usize = 255;
/// Files that are looked at at once: each is in memory as a whole.
const READING: usize = 4;
/// Pictures of one form that are fetched at once.
const FETCHING: usize = 3;
/// What may wait for either.
const WAITING: usize = 64;

pub struct Service {
    context: Context,
    fonts: Arc<Fonts>,
    reading: Places,
    printing: Places,
}

impl Service {
    pub fn new(context: Context) -> Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            context,
            fonts: Arc::new(Fonts::new()?),
            reading: Places::new(READING, WAITING),
            printing: Places::new(cores, WAITING),
        })
    }
}

#[tonic::async_trait]
impl ProofService for Service {
    async fn request_attachment_link(
        &self,
        request: Request<RequestAttachmentLinkRequest>,
    ) -> Result<Response<RequestAttachmentLinkResponse>, Status> {
        let actor = admit(principal(&request)?, Role::EDITORS)?;
        let RequestAttachmentLinkRequest { delivery_id, filename } = request.into_inner();
        if filename.trim().is_empty() || filename.chars().count() > MAX_FILENAME {
            let text = format!("Filename must have 1 to {MAX_FILENAME} characters");
            return Err(Error::invalid_field("filename", text).into());
        }
        let delivery = deliveries::get(&self.context.db, &delivery_id).await?;
        drivers::require_permitted(self.context.db.read(), &actor).await?;
        require_own(&delivery.id, delivery.driver_id.as_deref(), &actor)?;
        allowed::require(Action::AddEvidence, &delivery.id, &delivery, &actor)?;
        // Nobody guesses the key, and it is fresh: whoever has the link can write there while it lives.
        let key = Key::parse(&format!("{PREFIX}{}/{}", random_id()?, plain_name(&filename)))?;
        let url = self.context.blob.presign_put(&key, LINK_TTL).await?;
        Ok(Response::new(RequestAttachmentLinkResponse { url }))
    }

    async fn add_attachment(
        &self,
        request: Request<AddAttachmentRequest>,
    ) -> Result<Response<Attachment>, Status> {
        let actor = admit(principal(&request)?, Role::EDITORS)?;
        Ok(Response::new(self.add(request.into_inner(), actor).await?))
    }

    async fn batch_get_attachments(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetAttachmentsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = proof::attachments(&self.context.db, &ids).await?;
        let attachments = rows.into_iter().map(Into::into).collect();
        Ok(Response::new(BatchGetAttachmentsResponse { attachments }))
    }

    async fn presign_attachment(
        &self,
        request: Request<PresignAttachmentRequest>,
    ) -> Result<Response<PresignAttachmentResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let unknown = || Error::not_found("ATTACHMENT_NOT_FOUND", "There is no such attachment");
        let key = self.key_of(&request.into_inner().url).ok_or_else(unknown)?;
        let row = proof::by_object(self.context.db.read(), key.as_str()).await?.ok_or_else(unknown)?;
        let presigned_url = self.context.blob.presign_get(&key, LINK_TTL).await?;
        Ok(Response::new(PresignAttachmentResponse { presigned_url, delivery_id: row.delivery_id }))
    }

    async fn get_form(&self, request: Request<GetFormRequest>) -> Result<Response<DeliveryForm>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let GetFormRequest { delivery_id, form_version } = request.into_inner();
        let Issued { heading, content, successor } =
            proof::form(&self.context.db, &delivery_id, form_version).await?;
        let superseded_by = successor.map(|next| next.form_version.unsigned_abs());
        let form = DeliveryForm { content: Some(content), ..self.heading(heading, superseded_by) };
        Ok(Response::new(form))
    }

    async fn batch_get_forms(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetFormsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let mut forms = Vec::new();
        let mut newer: Option<(String, u32)> = None;
        for heading in proof::headings(&self.context.db, &ids).await? {
            // Newest first: what replaced a version stands right before it.
            let key = heading.delivery_key.clone();
            let superseded_by = newer.filter(|(of, _)| *of == key).map(|(_, version)| version);
            newer = Some((key, heading.form_version.unsigned_abs()));
            forms.push(self.heading(heading, superseded_by));
        }
        Ok(Response::new(BatchGetFormsResponse { forms }))
    }

    async fn render_form(
        &self,
        request: Request<RenderFormRequest>,
    ) -> Result<Response<RenderFormResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        Ok(Response::new(self.render(request.into_inner()).await?))
    }
}

impl Service {
    async fn add(&self, request: AddAttachmentRequest, actor: Actor) -> Result<Attachment> {
        let AddAttachmentRequest { delivery_id, url, kind, item_number, captured_at, point, note } = request;
        let kind: Kind = kind.parse()?;
        let invalid = |field: &'static str| move |text: String| Error::invalid_field(field, text);
        let note = text::note("Note", note.as_deref()).map_err(invalid("note"))?;
        let item_number = text::code("Item", item_number.as_deref()).map_err(invalid("itemNumber"))?;
        let captured_at = match captured_at {
            Some(at) => Some(
                proto::instant(at)
                    .ok_or_else(|| Error::invalid_field("capturedAt", "Time of the picture is not valid"))?,
            ),
            None => None,
        };
        let place = point.map(Place::from);
        if place.is_some_and(|place| !place.is_on_earth()) {
            return Err(Error::invalid_field("point", "Place is not valid"));
        }
        let not_uploaded = || Error::invalid_field("url", "The file was not uploaded. Upload it again.");
        let key = self.key_of(&url).ok_or_else(not_uploaded)?;
        let delivery = deliveries::get(&self.context.db, &delivery_id).await?;
        // Before the file is read, which takes a while; it counts when it is written.
        require_own(&delivery.id, delivery.driver_id.as_deref(), &actor)?;
        if let Some(known) = proof::by_object(self.context.db.read(), key.as_str()).await? {
            return Ok(proof::of_delivery(known, &delivery.id_key)?.into());
        }

        let most = self.context.rules().max_attachment_bytes;
        let place_to_read = self.reading.take().await?;
        let bytes = self.context.blob.get(&key, most).await.map_err(|error| match error.reason.as_str() {
            "OBJECT_NOT_FOUND" => not_uploaded(),
            "OBJECT_TOO_LARGE" => {
                let text = format!("The file has more than {} MB. Choose a smaller one.", most >> 20);
                Error::invalid("FILE_TOO_LARGE", text.clone()).field("url", text)
            }
            _ => error,
        })?;
        let looked_at = spawn_blocking(move || {
            let _place = place_to_read;
            let Examined { content_type, size } = evidence::examine(&bytes, kind)?;
            let sha256 = digest(&SHA256, &bytes).as_ref().to_vec();
            Ok::<_, Error>((content_type, size, bytes.len(), sha256))
        });
        let (content_type, size, size_bytes, sha256) = looked_at.await.map_err(Error::internal)??;

        let filename = key.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        let new = proof::New {
            object_key: key.into(),
            url,
            filename,
            content_type,
            size_bytes,
            sha256,
            size,
            kind,
            item_number,
            captured_at,
            place,
            note,
            actor,
        };
        Ok(proof::add(&self.context, &delivery_id, &new).await?.into())
    }

    /// The key of an object that may prove something.
    fn key_of(&self, url: &str) -> Option<Key> {
        self.context.blob.key_of(url).ok().filter(|key| key.as_str().starts_with(PREFIX))
    }

    fn code(&self, heading: &Heading) -> String {
        self.context.seal.code(&heading.delivery_id, heading.form_version, &heading.content_hash)
    }

    fn heading(&self, heading: Heading, superseded_by: Option<u32>) -> DeliveryForm {
        let verification_code = self.code(&heading);
        let Heading {
            delivery_key: _,
            form_version,
            delivery_id,
            attempt,
            status,
            issued_at,
            issued_by,
            content_hash,
        } = heading;
        DeliveryForm {
            delivery_id,
            form_version: form_version.unsigned_abs(),
            attempt: attempt.unsigned_abs(),
            status: DeliveryStatus::from(status).into(),
            issued_at: Some(proto::timestamp(issued_at)),
            issued_by,
            content_hash: hex::encode(content_hash),
            verification_code,
            superseded_by,
            content: None,
        }
    }

    async fn render(&self, request: RenderFormRequest) -> Result<RenderFormResponse> {
        let paper = match request.paper() {
            Paper::Unspecified | Paper::A4 => form::Paper::A4,
            Paper::Letter => form::Paper::Letter,
        };
        let place = self.printing.take().await?;
        let Issued { heading, content, successor } =
            proof::form(&self.context.db, &request.delivery_id, request.form_version).await?;
        let pictures = self.pictures(&content).await?;
        let verification_code = self.code(&heading);
        let url = code::address(
            &self.context.public_url,
            &heading.delivery_id,
            heading.form_version,
            &verification_code,
        );
        let issued = content::Issued {
            form_version: heading.form_version,
            issued_at: heading.issued_at,
            superseded_by: successor.map(|next| Successor {
                form_version: next.form_version,
                issued_at: next.issued_at,
                attempt: next.attempt.unsigned_abs(),
            }),
            verification_code,
            url,
        };
        let (issuer, zone) = (self.context.issuer().await, self.context.zone());
        let form = content::form(content, issued, pictures, issuer, zone)?;
        let fonts = self.fonts.clone();
        let printed = spawn_blocking(move || {
            // Kept until the work is done, even when the caller has gone.
            let _place = place;
            form::pdf(&form, &fonts, paper)
        });
        let pdf = printed.await.map_err(Error::internal)??;
        let filename =
            format!("delivery-form-{}-v{}.pdf", plain_name(&heading.delivery_id), heading.form_version);
        Ok(RenderFormResponse { pdf, filename })
    }

    /// The pictures of a form, made small one by one: what was uploaded is in memory only while it is
    /// looked at.
    async fn pictures(&self, content: &FormContent) -> Result<Pictures> {
        let shown = content.attachments.iter().filter_map(|it| Some((it.clone(), content::shown(it)?)));
        // One signature stands by itself.
        let shown: Vec<_> = shown.take(MAX_PHOTOS + 1).collect();
        let fetched = shown.into_iter().map(|(attachment, kind)| async move {
            let picture = self.picture(&attachment, kind).await?;
            Ok::<_, Error>((attachment.id, picture))
        });
        let mut fetched = futures::stream::iter(fetched).buffered(FETCHING);
        let mut pictures = Pictures::new();
        while let Some(picture) = fetched.next().await {
            let (id, picture) = picture?;
            pictures.insert(id, picture);
        }
        Ok(pictures)
    }

    async fn picture(&self, attachment: &Attachment, kind: EvidenceKind) -> Result<Result<Picture, Unshown>> {
        let Some(key) = self.key_of(&attachment.url) else { return Ok(Err(Unshown::Unreadable)) };
        let bytes = match self.context.blob.get(&key, attachment.size_bytes).await {
            Ok(bytes) => bytes,
            Err(error) if error.reason == "OBJECT_TOO_LARGE" => return Ok(Err(Unshown::Changed)),
            Err(error) if error.reason == "OBJECT_NOT_FOUND" => return Ok(Err(Unshown::Unreadable)),
            // A form that leaves out what could not be fetched just now would say too little.
            Err(error) => return Err(error),
        };
        let sha256 = attachment.sha256.clone();
        let made = spawn_blocking(move || {
            // In a bucket a link can replace its object while the link lives.
            if hex::encode(digest(&SHA256, &bytes)) != sha256 {
                return Err(Unshown::Changed);
            }
            let made = match kind {
                EvidenceKind::Signature => picture::signature(&bytes),
                EvidenceKind::Photo => picture::photo(&bytes),
            };
            made.ok_or(Unshown::Unreadable)
        });
        made.await.map_err(Error::internal)
    }
}

/// 122 random bits as a UUID.
fn random_id() -> Result<uuid::Uuid> {
    let mut bytes = [0_u8; 16];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes)
        .map_err(|_| Error::internal("no randomness"))?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid())
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
