//! Files and forms, through the handlers.

use ::store::{Db, on_both};
use image::{DynamicImage, ImageFormat, RgbImage};
use kit::Kind as ErrorKind;
use kit::blob::Key;
use sea_orm::sea_query::Expr;
use sea_orm::{EntityTrait, PaginatorTrait};

use super::*;
use crate::Migrator;
use crate::entity::{attachment, form as form_table};
use crate::form::tests::sample::{encoded, photo};
use crate::tests::office::{
    Office, as_expected, at, by, correction, emitted, one_short, outcome, told, two_items,
};

/// An office with a delivery, and its handlers.
pub struct Desk {
    pub office: Office,
    pub service: Arc<Service>,
}

impl Desk {
    pub async fn open(db: &Db) -> Self {
        Self::with(db, kit::config::Deliveries::default()).await
    }

    pub async fn with(db: &Db, config: kit::config::Deliveries) -> Self {
        let mut office = Office::open(db);
        office.context.config = config;
        office.create("DR-1", "S-1", two_items()).await;
        let service = Arc::new(Service::new(office.context.clone()).unwrap());
        Self { office, service }
    }

    pub async fn link(&self, id: &str, filename: &str) -> Result<String> {
        let request = RequestAttachmentLinkRequest { delivery_id: id.into(), filename: filename.into() };
        let answer = self.service.request_attachment_link(by(Role::Dispatcher, request)).await;
        Ok(told(answer)?.url)
    }

    /// Returns the key of an attachment's copy.
    pub fn kept(&self, url: &str) -> Key {
        storage::kept(&self.office.context.blob.key_of(url).unwrap()).unwrap()
    }

    /// Uploads a file like the browser; returns its address.
    pub async fn uploaded(&self, id: &str, filename: &str, bytes: Vec<u8>) -> String {
        let link = self.link(id, filename).await.unwrap();
        let url = link.split('?').next().unwrap().to_owned();
        let key = self.office.context.blob.key_of(&url).unwrap();
        self.office.context.blob.put(&key, bytes.into()).await.unwrap();
        url
    }

    pub async fn add(&self, request: AddAttachmentRequest) -> Result<Attachment> {
        told(self.service.add_attachment(by(Role::Dispatcher, request)).await)
    }

    pub async fn added(&self, id: &str, kind: &str, bytes: Vec<u8>) -> Attachment {
        let url = self.uploaded(id, "IMG_2041.JPG", bytes).await;
        self.add(new(id, &url, kind)).await.unwrap()
    }

    pub async fn attachments(&self, id: &str) -> Vec<Attachment> {
        let request = by(Role::Viewer, BatchGetRequest { ids: vec![id.into()] });
        self.service.batch_get_attachments(request).await.unwrap().into_inner().attachments
    }

    pub async fn presigned(&self, url: &str) -> Result<String> {
        let request = PresignAttachmentRequest { url: url.into() };
        Ok(told(self.service.presign_attachment(by(Role::Viewer, request)).await)?.presigned_url)
    }

    pub async fn form(&self, id: &str, form_version: u32) -> Result<DeliveryForm> {
        let request = GetFormRequest { delivery_id: id.into(), form_version, ..Default::default() };
        told(self.service.get_form(by(Role::Viewer, request)).await)
    }

    async fn forms(&self, ids: &[&str]) -> Vec<DeliveryForm> {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let request = by(Role::Viewer, BatchGetRequest { ids });
        self.service.batch_get_forms(request).await.unwrap().into_inner().forms
    }

    pub async fn printed(&self, form_version: u32, paper: Paper) -> Result<RenderFormResponse> {
        let request = RenderFormRequest {
            delivery_id: "dr-1".into(),
            form_version,
            paper: paper.into(),
            ..Default::default()
        };
        told(self.service.render_form(by(Role::Viewer, request)).await)
    }

    pub async fn record(&self) -> Delivery {
        self.office.record(Role::Dispatcher, outcome("DR-1", None, one_short())).await.unwrap()
    }
}

pub fn new(id: &str, url: &str, kind: &str) -> AddAttachmentRequest {
    AddAttachmentRequest { delivery_id: id.into(), url: url.into(), kind: kind.into(), ..Default::default() }
}

pub fn png() -> Vec<u8> {
    encoded(DynamicImage::from(RgbImage::new(60, 40)), ImageFormat::Png)
}

on_both!(a_file_is_uploaded_added_and_looked_at, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let bytes = photo(320, 200, 1);
    let url = desk.uploaded("dr-1", "../Foto vom Hof (1).JPG", bytes.clone()).await;
    assert!(url.starts_with("/objects/proof/") && url.ends_with("/foto-vom-hof-1.jpg"), "{url}");
    desk.office.later(5);
    let point = GeoPoint { lat: 14.5, lng: 121.0, accuracy: Some(7.5) };
    let request = AddAttachmentRequest {
        item_number: Some(" 2 ".into()),
        captured_at: Some(proto::timestamp(at(3))),
        point: Some(point),
        note: Some(" At the gate ".into()),
        ..new("dr-1", &url, "photo")
    };
    let added = desk.add(request).await.unwrap();
    let sha256 = hex::encode(digest(&SHA256, &bytes));
    let expected = Attachment {
        id: added.id.clone(),
        delivery_id: "DR-1".into(),
        attempt: 1,
        item_number: Some("2".into()),
        kind: "photo".into(),
        url: url.clone(),
        filename: "Foto vom Hof (1).JPG".into(),
        content_type: "image/jpeg".into(),
        size_bytes: bytes.len() as u64,
        sha256,
        width: Some(320),
        height: Some(200),
        captured_at: Some(proto::timestamp(at(3))),
        received_at: Some(proto::timestamp(at(5))),
        point: Some(point),
        captured_by: "dispatcher.office".into(),
        source: "office".into(),
        added_after_completion: false,
        note: Some("At the gate".into()),
    };
    assert_eq!(added, expected);
    assert_eq!(desk.attachments("DR-1").await, [added]);
    assert_eq!(emitted(&db).await.last().unwrap().change, "evidence_added");
    let link = desk.presigned(&url).await.unwrap();
    let address = url.replace("/proof/", "/attachments/");
    assert!(link.starts_with(&format!("{address}?")) && link.contains("method=GET"), "{link}");
});

on_both!(one_file_added_many_times_at_once_is_one_attachment, Migrator, |db: Db| async move {
    let desk = Arc::new(Desk::open(&db).await);
    desk.office.create("DR-2", "S-1", two_items()).await;
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    let adds = (0..16).map(|at| {
        let (desk, url) = (desk.clone(), url.clone());
        // Every fourth request names the other delivery.
        let id = if at % 4 == 3 { "DR-2" } else { "DR-1" };
        tokio::spawn(async move { (id, desk.add(new(id, &url, "photo")).await) })
    });
    let mut kept = Vec::new();
    let mut refused = 0;
    for add in adds.collect::<Vec<_>>() {
        match add.await.unwrap() {
            (id, Ok(attachment)) => {
                assert_eq!((id, attachment.delivery_id.as_str()), ("DR-1", "DR-1"));
                kept.push(attachment);
            }
            (id, Err(error)) => {
                assert_eq!(id, "DR-2", "{error}");
                assert!(error.fields.contains_key("url"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(kept.iter().all(|it| *it == kept[0]), "{kept:?}");
    assert_eq!((kept.len(), refused), (12, 4));
    // Once the file is an attachment, adding it to another delivery fails for that reason.
    let error = desk.add(new("DR-2", &url, "photo")).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (ErrorKind::AlreadyExists, "ATTACHMENT_EXISTS"));
    assert_eq!(attachment::Entity::find().count(db.read()).await.unwrap(), 1);
    let told = emitted(&db).await.into_iter().filter(|it| it.change == "evidence_added").count();
    assert_eq!(told, 1);
});

on_both!(an_attempt_has_so_many_files_and_no_more, Migrator, |db: Db| async move {
    let config = kit::config::Deliveries { max_attachments: 3, ..Default::default() };
    let desk = Arc::new(Desk::with(&db, config).await);
    let mut urls = Vec::new();
    for _ in 0..8 {
        urls.push(desk.uploaded("DR-1", "a.png", png()).await);
    }
    let adds = urls.iter().cloned().map(|url| {
        let desk = desk.clone();
        tokio::spawn(async move { desk.add(new("DR-1", &url, "photo")).await.map_err(|error| error.reason) })
    });
    let mut answers = Vec::new();
    for add in adds.collect::<Vec<_>>() {
        answers.push(add.await.unwrap());
    }
    let full =
        answers.iter().filter(|it| it.as_ref().is_err_and(|reason| reason == "ATTACHMENTS_FULL")).count();
    assert_eq!((full, desk.attachments("DR-1").await.len()), (5, 3));
    // Existing attachments are still found, and the next attempt has room again.
    let known = answers.iter().flatten().next().unwrap();
    assert_eq!(desk.add(new("DR-1", &known.url, "photo")).await.unwrap(), *known);
    let failed = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    desk.office.record(Role::Dispatcher, failed).await.unwrap();
    desk.office.reschedule(Role::Dispatcher, "DR-1", at(2_000)).await.unwrap();
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    assert_eq!(desk.add(new("DR-1", &url, "photo")).await.unwrap().attempt, 2);
});

on_both!(what_is_no_proof_is_refused, Migrator, |db: Db| async move {
    let config = kit::config::Deliveries { max_attachment_bytes: 2 << 20, ..Default::default() };
    let desk = Desk::with(&db, config).await;
    let jpeg = photo(200, 200, 1);
    let mut bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x06\0\0\0".to_vec();
    bomb.extend(crate::form::tests::sample::crc(&bomb[12..]).to_be_bytes());
    bomb.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82");
    for (filename, bytes) in [
        ("bomb.png", bomb),
        ("half.jpg", jpeg[..jpeg.len() / 2].to_vec()),
        ("drawing.png", b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()),
        ("paper.jpg", b"%PDF-1.7\n%%EOF".to_vec()),
        ("empty.jpg", Vec::new()),
    ] {
        let url = desk.uploaded("DR-1", filename, bytes).await;
        let error = desk.add(new("DR-1", &url, "photo")).await.unwrap_err();
        assert_eq!(
            (error.kind, error.message.as_str()),
            (ErrorKind::InvalidInput, "Invalid file"),
            "{filename}"
        );
    }
    let url = desk.uploaded("DR-1", "large.jpg", vec![0; (2 << 20) + 1]).await;
    let error = desk.add(new("DR-1", &url, "photo")).await.unwrap_err();
    assert_eq!(error.reason, "FILE_TOO_LARGE");
    assert!(error.fields["url"][0].contains("2 MB"), "{error}");

    // Objects that are not proof, and addresses to which nothing was uploaded.
    let key = Key::parse("imports/a.csv").unwrap();
    desk.office.context.blob.put(&key, png().into()).await.unwrap();
    let missing = desk.link("DR-1", "a.png").await.unwrap();
    for url in [
        "",
        "https://elsewhere.example/proof/a.png",
        "/objects/imports/a.csv",
        "/objects/proof/../imports/a.csv",
        missing.split('?').next().unwrap(),
        &missing,
    ] {
        let error = desk.add(new("DR-1", url, "photo")).await.unwrap_err();
        assert!(error.fields["url"][0].starts_with("The file was not uploaded"), "{url}: {error}");
    }
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    let good = || new("DR-1", &url, "photo");
    let nowhere = GeoPoint { lat: 91.0, lng: 0.0, accuracy: None };
    let mut never = proto::timestamp(at(0));
    never.seconds = i64::MAX;
    for (field, request) in [
        ("kind", AddAttachmentRequest { kind: "film".into(), ..good() }),
        ("itemNumber", AddAttachmentRequest { item_number: Some("77".into()), ..good() }),
        ("note", AddAttachmentRequest { note: Some("x".repeat(2_001)), ..good() }),
        ("point", AddAttachmentRequest { point: Some(nowhere), ..good() }),
        ("capturedAt", AddAttachmentRequest { captured_at: Some(never), ..good() }),
    ] {
        let error = desk.add(request).await.unwrap_err();
        assert!(
            error.kind == ErrorKind::InvalidInput && error.fields.contains_key(field),
            "{field}: {error}"
        );
    }
    let error = desk.add(new("DR-9", &url, "photo")).await.unwrap_err();
    assert_eq!(error.reason, "DELIVERY_NOT_FOUND");
    assert_eq!(desk.link("DR-9", "a.png").await.unwrap_err().reason, "DELIVERY_NOT_FOUND");
    for filename in [" ", &"x".repeat(256)] {
        assert!(desk.link("DR-1", filename).await.unwrap_err().fields.contains_key("filename"));
    }
    for url in ["/objects/imports/a.csv", &url, "nonsense"] {
        assert_eq!(desk.presigned(url).await.unwrap_err().reason, "ATTACHMENT_NOT_FOUND", "{url}");
    }
    assert_eq!(desk.attachments("DR-1").await, []);
    assert!(desk.add(good()).await.is_ok());
});

on_both!(who_only_looks_adds_nothing, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    for role in [Role::Viewer, Role::Driver] {
        let link = RequestAttachmentLinkRequest { delivery_id: "DR-1".into(), filename: "a.png".into() };
        let answers = [
            told(desk.service.request_attachment_link(by(role, link)).await).map(|_| ()),
            told(desk.service.add_attachment(by(role, new("DR-1", &url, "photo"))).await).map(|_| ()),
        ];
        assert!(answers.into_iter().all(|answer| answer.unwrap_err().kind == ErrorKind::Forbidden), "{role}");
    }
    let driver = desk.service.render_form(by(Role::Driver, RenderFormRequest::default())).await;
    assert_eq!(told(driver).unwrap_err().kind, ErrorKind::Forbidden);
});

on_both!(proof_is_asked_for_and_found, Migrator, |db: Db| async move {
    use kit::config::Proof;
    let pod_requirement = vec![Proof::Signature, Proof::Photo];
    let desk = Desk::with(&db, kit::config::Deliveries { pod_requirement, ..Default::default() }).await;
    let record = || desk.office.record(Role::Dispatcher, outcome("DR-1", None, as_expected()));
    let missing = |error: Error| error.fields.into_keys().collect::<Vec<_>>();
    assert_eq!(missing(record().await.unwrap_err()), ["photos", "signature"]);
    desk.added("DR-1", "signature", png()).await;
    desk.added("DR-1", "document", png()).await;
    assert_eq!(missing(record().await.unwrap_err()), ["photos"]);
    desk.added("DR-1", "photo", png()).await;
    record().await.unwrap();
});

on_both!(a_form_is_frozen_and_attachments_that_come_later_are_marked, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let error = desk.form("dr-1", 0).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (ErrorKind::NotFound, "FORM_NOT_FOUND"));
    assert_eq!(error.message, "DR-1 has no form yet: one is issued with its outcome");
    assert_eq!(desk.form("DR-9", 0).await.unwrap_err().reason, "DELIVERY_NOT_FOUND");
    let before = desk.added("DR-1", "photo", png()).await;
    desk.office.later(60);
    desk.record().await;
    let form = desk.form("dr-1", 0).await.unwrap();
    assert_eq!(
        (form.form_version, form.attempt, form.status()),
        (1, 1, DeliveryStatus::CompleteWithVariance)
    );
    assert_eq!(
        (form.issued_by.as_str(), form.issued_at),
        ("dispatcher.office", Some(proto::timestamp(at(60))))
    );
    let content = form.content.clone().unwrap();
    assert_eq!(content.attachments, std::slice::from_ref(&before));
    assert_eq!((content.items.len(), content.variances.len()), (2, 1));
    let frozen = content.delivery.unwrap();
    assert!(frozen.allowed_actions.is_empty());
    assert_eq!(frozen.received_by.as_deref(), Some("Nena"));

    desk.office.later(1);
    let later = desk.added("DR-1", "photo", photo(40, 40, 1)).await;
    assert!(later.added_after_completion && !before.added_after_completion);
    let again = desk.form("DR-1", 1).await.unwrap();
    assert_eq!(again.content.as_ref().unwrap().attachments, [before.clone(), later.clone()]);
    assert_eq!(again.content_hash, form.content_hash);
    assert_eq!(again.verification_code, form.verification_code);

    // A correction freezes the current state, and leaves the first version unchanged.
    desk.office.later(1);
    desk.office.correct(Role::Admin, correction("DR-1", None, as_expected())).await.unwrap();
    let second = desk.form("DR-1", 0).await.unwrap();
    assert_eq!((second.form_version, second.superseded_by), (2, None));
    assert_eq!(second.status(), DeliveryStatus::CompleteNoVariance);
    let content = second.content.unwrap();
    assert_eq!(content.attachments, [before, later]);
    assert_eq!(content.correction_reason.as_deref(), Some("Counted again"));
    let first = desk.form("DR-1", 1).await.unwrap();
    assert_eq!((first.superseded_by, &first.content_hash), (Some(2), &form.content_hash));
    assert_eq!(first.status(), DeliveryStatus::CompleteWithVariance);
    assert_ne!(first.verification_code, second.verification_code);
    let error = desk.form("DR-1", 3).await.unwrap_err();
    assert_eq!(error.message, "The form of DR-1 has no version 3; its newest is 2");
    assert_eq!(desk.form("DR-1", u32::MAX).await.unwrap_err().reason, "FORM_NOT_FOUND");

    desk.office.create("DR-2", "S-1", vec![]).await;
    let failed = outcome("DR-2", Some(DeliveryStatus::Undelivered), vec![]);
    desk.office.record(Role::Dispatcher, failed).await.unwrap();
    let all = desk.forms(&["dr-2", "DR-9", "DR-1"]).await;
    let all: Vec<_> =
        all.iter().map(|it| (it.delivery_id.as_str(), it.form_version, it.superseded_by)).collect();
    assert_eq!(all, [("DR-1", 2, None), ("DR-1", 1, Some(2)), ("DR-2", 1, None)]);
    assert!(desk.forms(&["DR-1"]).await.iter().all(|it| it.content.is_none()));
    assert_eq!(desk.forms(&["DR-1"]).await[0].verification_code, second.verification_code);
});

on_both!(a_form_is_printed_on_both_papers, Migrator, |db: Db| async move {
    let mut desk = Desk::open(&db).await;
    assert_eq!(desk.printed(0, Paper::A4).await.unwrap_err().reason, "FORM_NOT_FOUND");
    desk.added("DR-1", "signature", png()).await;
    desk.added("DR-1", "photo", photo(400, 300, 1)).await;
    desk.record().await;
    let a4 = desk.printed(0, Paper::Unspecified).await.unwrap();
    assert!(a4.pdf.starts_with(b"%PDF-") && a4.filename == "delivery-form-DR-1-v1.pdf");
    assert_eq!(desk.printed(1, Paper::A4).await.unwrap(), a4, "the same form is the same file");
    let letter = desk.printed(0, Paper::Letter).await.unwrap();
    assert!(letter.pdf.starts_with(b"%PDF-") && letter.pdf != a4.pdf);
    // Requests are refused as busy when there is no capacity.
    for (forms, pictures) in [(0, 9), (1, 0)] {
        let (printing, converting) = (Gate::new("forms", forms, 0), Gate::new("pictures", pictures, 0));
        let service = Service::new(desk.office.context.clone()).unwrap();
        desk.service = Arc::new(Service { printing, converting, ..service });
        assert_eq!(desk.printed(0, Paper::A4).await.unwrap_err().reason, "FORMS_BUSY");
    }
});

on_both!(a_picture_that_is_gone_or_another_one_is_not_shown, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let mut all = Vec::new();
    for seed in 1..=4 {
        all.push(desk.added("DR-1", "photo", photo(60, 40, seed)).await);
    }
    let heic = b"\0\0\0\x10ftypheic\0\0\0\0\0\0\0\x10meta\0\0\0\0\0\0\0\0".to_vec();
    all.push(desk.added("DR-1", "photo", heic).await);
    desk.record().await;
    let blob = &desk.office.context.blob;
    let key = |at: usize| desk.kept(&all[at].url);
    let uploaded = |at: usize| blob.key_of(&all[at].url).unwrap();
    blob.delete(&uploaded(1)).await.unwrap();
    blob.delete(&key(1)).await.unwrap();
    blob.put(&key(2), photo(60, 40, 9).into()).await.unwrap();
    blob.put(&key(3), photo(600, 400, 9).into()).await.unwrap();
    let issued = desk.service.issued("DR-1", 0).await.unwrap();
    let mut form = desk.service.form(&issued, Without::default()).await.unwrap();
    desk.service.read_pictures(&mut form, &issued.content).await.unwrap();
    let of = |id: &str| form.pictures.iter().find(|it| it.id == id).unwrap();
    let shown: Vec<_> = all.iter().map(|it| of(&it.id).picture.as_ref().err().copied()).collect();
    let (gone, changed) = (Some(Unshown::Unreadable), Some(Unshown::Changed));
    assert_eq!(shown, [None, gone, changed, changed, gone]);
    assert!(desk.printed(0, Paper::A4).await.is_ok());
});

on_both!(proof_is_never_changed_or_deleted, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    desk.added("DR-1", "photo", png()).await;
    desk.record().await;
    let tx = db.begin().await.unwrap();
    let note = Expr::value("never");
    let update = attachment::Entity::update_many().col_expr(attachment::Column::Note, note);
    let error = update.exec(&*tx).await.unwrap_err();
    assert!(error.to_string().contains("never changed or deleted"), "{error}");
    drop(tx);
    let tx = db.begin().await.unwrap();
    let by = Expr::value("nobody");
    let update = form_table::Entity::update_many().col_expr(form_table::Column::IssuedBy, by);
    let error = update.exec(&*tx).await.unwrap_err();
    assert!(error.to_string().contains("never changed or deleted"), "{error}");
    drop(tx);
    let tx = db.begin().await.unwrap();
    let error = attachment::Entity::delete_many().exec(&*tx).await.unwrap_err();
    assert!(error.to_string().contains("never changed or deleted"), "{error}");
    drop(tx);
    let tx = db.begin().await.unwrap();
    let error = form_table::Entity::delete_many().exec(&*tx).await.unwrap_err();
    assert!(error.to_string().contains("never changed or deleted"), "{error}");
});
