//! Proof of an outcome: attachments, and the delivery form.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures::StreamExt;
use kit::blob::LINK_TTL;
use kit::gate::Gate;
use kit::input::limits::FILENAME;
use kit::principal::{Principal, Role, principal};
use kit::{Error, Kind as ErrorKind, Result};
use proto::common::v1::BatchGetRequest;
use proto::deliveries::v1::proof_service_server::ProofService;
use proto::deliveries::v1::*;
use ring::digest::{SHA256, digest};
use tokio::task::spawn_blocking;
use tonic::{Request, Response, Status};

use super::{admit, bounded};
use crate::Context;
use crate::attachments::file_type::{self, Examined};
use crate::attachments::storage;
use crate::commands::{add_attachment, restore_removed};
use crate::domain::actor::Actor;
use crate::domain::allowed::{self, Action};
use crate::domain::attachment::{Kind, download_name, plain_name, shown_name};
use crate::domain::clocks::Clocks;
use crate::domain::driver::require_own;
use crate::domain::state::Place;
use crate::domain::text;
use crate::entity::delivery;
use crate::form::picture::{self, Picture};
use crate::form::{self, Fonts, Form, ShownKind, Successor, Unshown, Without, code, content};
use crate::queries::deliveries;
use crate::queries::forms::{self, Heading, Issued};
use crate::tables::attachment_links::{self, Link};
use crate::tables::drivers;
use crate::{queries, tables};

/// Maximum number of files checked at the same time: each is in memory as a whole.
const READING: usize = 4;
/// Maximum number of files checked at the same time for download links: a page of pictures requests a link
/// for each.
const SHOWING: usize = 8;
const SHOWING_WAITING: usize = 1_024;
/// Maximum number of pictures of one form that are fetched at the same time.
const FETCHING: usize = 3;
/// Maximum number of requests that wait to check a file, and of those that wait to print a form.
const WAITING: usize = 64;

pub struct Service {
    context: Context,
    fonts: Arc<Fonts>,
    reading: Gate,
    showing: Gate,
    printing: Gate,
    /// Counts shares of memory, not pictures.
    converting: Gate,
}

impl Service {
    pub fn new(context: Context) -> Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            context,
            fonts: Arc::new(Fonts::new()?),
            reading: Gate::new("attachments_in", READING, WAITING),
            showing: Gate::new("attachments_out", SHOWING, SHOWING_WAITING),
            printing: Gate::new("forms", cores, WAITING),
            // Few wait, because only forms that are being printed have pictures.
            converting: Gate::new("pictures", picture::SHARES, usize::MAX),
        })
    }
}

#[tonic::async_trait]
impl ProofService for Service {
    async fn request_attachment_link(
        &self,
        request: Request<RequestAttachmentLinkRequest>,
    ) -> Result<Response<RequestAttachmentLinkResponse>, Status> {
        let who = principal(&request)?.clone();
        let actor = admit(&who, Role::EDITORS)?;
        let RequestAttachmentLinkRequest { delivery_id, filename } = request.into_inner();
        if filename.trim().is_empty() || filename.chars().count() > FILENAME {
            let text = format!("Filename must have 1 to {FILENAME} characters");
            return Err(Error::invalid_field("filename", text).into());
        }
        let delivery = self.delivery(&delivery_id, &actor).await?;
        drivers::require_permitted(self.context.db.read(), &actor).await?;
        require_own(&delivery_id, delivery.driver_id.as_deref(), &actor)?;
        allowed::require(Action::AddEvidence, &delivery.id, &delivery, &actor)?;
        let rules = self.context.rules();
        let key = storage::new_key(&plain_name(&filename))?;
        let link = Link { object_key: key.as_str(), delivery_key: &delivery.id_key, by: &who.id() };
        attachment_links::add(&self.context.db, link, &shown_name(&filename), rules.max_open_uploads).await?;
        let url = self.context.blob.presign_put(&key, LINK_TTL, rules.max_attachment_bytes).await?;
        Ok(Response::new(RequestAttachmentLinkResponse { url }))
    }

    async fn add_attachment(
        &self,
        request: Request<AddAttachmentRequest>,
    ) -> Result<Response<Attachment>, Status> {
        let who = principal(&request)?.clone();
        let actor = admit(&who, Role::EDITORS)?;
        Ok(Response::new(self.add(request.into_inner(), &who, actor).await?))
    }

    async fn batch_get_attachments(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetAttachmentsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = queries::attachments::by_deliveries(&self.context.db, &ids).await?;
        let shown = rows.into_iter().map(|row| storage::to_wire(&self.context.blob, row));
        let attachments = shown.collect::<Result<_>>()?;
        Ok(Response::new(BatchGetAttachmentsResponse { attachments }))
    }

    async fn presign_attachment(
        &self,
        request: Request<PresignAttachmentRequest>,
    ) -> Result<Response<PresignAttachmentResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let unknown = || Error::not_found("ATTACHMENT_NOT_FOUND", "There is no such attachment");
        let key = storage::uploaded(&self.context.blob, &request.into_inner().url).ok_or_else(unknown)?;
        let row = tables::attachments::by_object(self.context.db.read(), key.as_str())
            .await?
            .ok_or_else(unknown)?;
        let turn = self.showing.enter().await.ok_or_else(busy)?;
        // The browser reads the file directly by the link, so check it for damage now.
        let size_bytes = row.size_bytes.unsigned_abs();
        let (key, _) = storage::find(&self.context.blob, &key, &row.sha256, size_bytes).await?;
        drop(turn);
        let name = download_name(&row.filename, &row.content_type);
        let presigned_url = self.context.blob.presign_get(&key, &name, LINK_TTL).await?;
        Ok(Response::new(PresignAttachmentResponse { presigned_url, delivery_id: row.delivery_id }))
    }

    async fn get_form(&self, request: Request<GetFormRequest>) -> Result<Response<DeliveryForm>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let request = request.into_inner();
        let without = without(request.without());
        let issued = self.issued(&request.delivery_id, request.form_version).await?;
        let description = form::describe(&self.form(&issued, without).await?);
        let Issued { heading, content, successor } = issued;
        let superseded_by = successor.map(|next| next.form_version.unsigned_abs());
        let heading = self.heading(heading, superseded_by);
        let form = DeliveryForm { content: Some(content), description: Some(description), ..heading };
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
        for heading in forms::headings(&self.context.db, &ids).await? {
            // Rows are newest first, so the version that replaced this one is the row before.
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
    async fn add(&self, request: AddAttachmentRequest, who: &Principal, actor: Actor) -> Result<Attachment> {
        let AddAttachmentRequest { delivery_id, url, kind, item_number, captured_at, point, note, attempt } =
            request;
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
            return Err(Error::invalid_field("point", Place::NOT_ON_EARTH));
        }
        let not_uploaded = || Error::invalid_field("url", "The file was not uploaded. Upload it again.");
        let key = storage::uploaded(&self.context.blob, &url).ok_or_else(not_uploaded)?;
        let known = tables::attachments::by_object(self.context.db.read(), key.as_str()).await?;
        // Check for a repetition before ownership: the driver may have been unassigned since.
        if let Some(known) = &known
            && add_attachment::is_repeated(known, &delivery_id, &actor)
        {
            return storage::to_wire(&self.context.blob, known.clone());
        }
        let delivery = self.delivery(&delivery_id, &actor).await?;
        // Check before the file is read, which takes a while; the check is repeated when the row is written.
        require_own(&delivery_id, delivery.driver_id.as_deref(), &actor)?;
        if let Some(known) = known {
            let known = add_attachment::of_delivery(known, &delivery.id_key)?;
            return storage::to_wire(&self.context.blob, known);
        }
        let captured_at = captured_at.map(|at| self.captured_at(at, &delivery)).transpose()?;
        let link = Link { object_key: key.as_str(), delivery_key: &delivery.id_key, by: &who.id() };
        let Some(link) = attachment_links::recent(self.context.db.read(), link).await? else {
            return Err(not_uploaded());
        };

        let most = self.context.rules().max_attachment_bytes;
        let turn = self.reading.enter().await.ok_or_else(busy)?;
        let bytes = self.context.blob.get(&key, most).await.map_err(|error| match error.reason.as_str() {
            "OBJECT_NOT_FOUND" => not_uploaded(),
            "OBJECT_TOO_LARGE" => {
                let text = format!("The file is larger than {} MB. Choose a smaller one.", most >> 20);
                Error::invalid("FILE_TOO_LARGE", text.clone()).field("url", text)
            }
            _ => error,
        })?;
        let looked_at = spawn_blocking(move || {
            let _turn = turn;
            let Examined { content_type, size } = file_type::examine(&bytes, kind)?;
            let sha256 = digest(&SHA256, &bytes).as_ref().to_vec();
            Ok::<_, Error>((content_type, size, bytes, sha256))
        });
        let (content_type, size, bytes, sha256) = looked_at.await.map_err(Error::internal)??;
        let size_bytes = bytes.len();
        if !storage::keep(&self.context.blob, &key, bytes).await? {
            return Err(not_uploaded());
        }

        // The release before records links without names.
        let of_key = || key.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        let filename = link.filename.unwrap_or_else(of_key);
        let new = add_attachment::New {
            object_key: key.into(),
            uploaded_by: who.id(),
            attempt,
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
        let added = add_attachment::add(&self.context, &delivery_id, &new).await?;
        storage::to_wire(&self.context.blob, added)
    }

    /// Returns when a file counts as made, from the time of its device. The bounds are those of outcomes.
    fn captured_at(&self, at: DateTime<Utc>, delivery: &delivery::Model) -> Result<DateTime<Utc>> {
        let clocks = Clocks { occurred_at: at, received_at: self.context.clock.now() };
        let since = delivery.created_at.min(delivery.scheduledatetime);
        clocks.require_credible("capturedAt", since, self.context.zone())?;
        Ok(clocks.processed_at())
    }

    /// Returns the delivery that a file is added to. Restores one that an undo removed, because files are
    /// sent before their outcome.
    async fn delivery(&self, id: &str, actor: &Actor) -> Result<delivery::Model> {
        match deliveries::get(&self.context.db, id).await {
            Err(error) if error.kind == ErrorKind::NotFound => {
                restore_removed::restore(&self.context, id, actor).await?;
                deliveries::get(&self.context.db, id).await
            }
            found => found,
        }
    }

    async fn issued(&self, delivery_id: &str, form_version: u32) -> Result<Issued> {
        forms::get(&self.context.db, &self.context.blob, delivery_id, form_version).await
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
            description: None,
        }
    }

    async fn render(&self, request: RenderFormRequest) -> Result<RenderFormResponse> {
        let paper = match request.paper() {
            Paper::Unspecified | Paper::A4 => form::Paper::A4,
            Paper::Letter => form::Paper::Letter,
        };
        let turn = self.printing.enter().await.ok_or_else(busy)?;
        let issued = self.issued(&request.delivery_id, request.form_version).await?;
        let mut form = self.form(&issued, without(request.without())).await?;
        form.organization.logo = self.context.logo().await;
        self.read_pictures(&mut form, &issued.content).await?;
        let fonts = self.fonts.clone();
        let printed = spawn_blocking(move || {
            // Held until the work is done, even if the caller has gone.
            let _turn = turn;
            form::pdf(&form, &fonts, paper)
        });
        let pdf = printed.await.map_err(Error::internal)??;
        let Heading { delivery_id, form_version, .. } = issued.heading;
        Ok(RenderFormResponse { pdf, filename: format!("delivery-form-{delivery_id}-v{form_version}.pdf") })
    }

    /// Returns a version's content, without its pictures.
    async fn form(&self, issued: &Issued, without: Without) -> Result<Form> {
        let Issued { heading, content, successor } = issued;
        let mut content = content.clone();
        if content.driver_name.is_none() {
            // Forms of older releases do not contain the driver's name, so use the current name.
            let driver_id = content.delivery.as_ref().and_then(|it| it.driver_id.as_deref());
            content.driver_name = drivers::name(self.context.db.read(), driver_id).await?;
        }
        let verification_code = self.code(heading);
        let (id, version) = (&heading.delivery_id, heading.form_version);
        let issued = content::Issued {
            form_version: version,
            issued_at: heading.issued_at,
            superseded_by: successor.as_ref().map(|next| Successor {
                form_version: next.form_version,
                issued_at: next.issued_at,
                attempt: next.attempt.unsigned_abs(),
            }),
            url: code::address(&self.context.public_url, id, version, &verification_code),
            verification_code,
            content_hash: hex::encode(&heading.content_hash),
        };
        content::form(content, issued, self.context.issuer(), self.context.zone(), without)
    }

    /// Reads and shrinks the pictures that the form shows, a few at a time, so that few originals are in
    /// memory together.
    async fn read_pictures(&self, form: &mut Form, content: &FormContent) -> Result<()> {
        let words = form::describe(form);
        let signature = words.signature.into_iter().filter_map(|it| it.picture);
        let photos = words.photos.into_iter().flat_map(|it| it.pictures);
        let shown: HashSet<String> = signature.chain(photos).map(|it| it.attachment_id).collect();
        let shown = content.attachments.iter().filter(|it| shown.contains(&it.id));
        let fetched: Vec<_> = shown.filter_map(|it| Some((it.clone(), content::shown(it)?))).collect();
        let fetched = fetched.into_iter().map(|(attachment, kind)| async move {
            let picture = self.picture(&attachment, kind).await?;
            Ok::<_, Error>((attachment.id, picture))
        });
        let mut fetched = futures::stream::iter(fetched).buffered(FETCHING);
        while let Some(picture) = fetched.next().await {
            let (id, picture) = picture?;
            if let Some(attachment) = form.pictures.iter_mut().find(|it| it.id == id) {
                attachment.picture = picture;
            }
        }
        Ok(())
    }

    async fn picture(&self, attachment: &Attachment, kind: ShownKind) -> Result<Result<Picture, Unshown>> {
        let Some(key) = storage::uploaded(&self.context.blob, &attachment.url) else {
            return Ok(Err(Unshown::Unreadable));
        };
        let sha256 = hex::decode(&attachment.sha256).map_err(Error::internal)?;
        let bytes = match storage::find(&self.context.blob, &key, &sha256, attachment.size_bytes).await {
            Ok((_, bytes)) => bytes,
            Err(error) if error.reason == "OBJECT_DAMAGED" => return Ok(Err(Unshown::Changed)),
            Err(error) if error.reason == "OBJECT_NOT_FOUND" => return Ok(Err(Unshown::Unreadable)),
            // Fail: a form without pictures that cannot be fetched right now would be incomplete.
            Err(error) => return Err(error),
        };
        let looked_at = spawn_blocking(move || (picture::shares(&bytes), bytes));
        let (shares, bytes) = looked_at.await.map_err(Error::internal)?;
        let Some(shares) = shares else { return Ok(Err(Unshown::Unreadable)) };
        let turn = self.converting.queue_of(shares).ok_or_else(busy)?.turn().await;
        let made = spawn_blocking(move || {
            // Held until the work is done, even if the caller has gone.
            let _turn = turn;
            let made = match kind {
                ShownKind::Signature => picture::signature(&bytes),
                ShownKind::Photo => picture::photo(&bytes),
            };
            made.ok_or(Unshown::Unreadable)
        });
        made.await.map_err(Error::internal)
    }
}

/// Returns the parts that a copy omits.
fn without(parts: impl Iterator<Item = FormPart>) -> Without {
    let mut without = Without::default();
    for part in parts {
        match part {
            FormPart::Unspecified => {}
            FormPart::Photos => without.photos = true,
            FormPart::Distance => without.distance = true,
            FormPart::Notes => without.notes = true,
        }
    }
    without
}

fn busy() -> Error {
    Error::unavailable(
        "FORMS_BUSY",
        "Too many files and forms are being processed right now. Try again in a moment.",
    )
}

#[cfg(test)]
#[path = "proof_files_tests.rs"]
mod files_tests;
#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
