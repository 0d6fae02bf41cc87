//! Names of files; files that are uploaded too often, for another delivery or attempt, by another person, with an
//! impossible time, or that are changed or moved afterwards.

use std::path::Path;

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use chrono::TimeDelta;
use kit::Kind as ErrorKind;
use kit::blob::{Blob, LocalBlob, LocalConfig};
use kit::principal::Principal;
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait, PaginatorTrait};

use super::tests::{Desk, new, png};
use super::*;
use crate::Migrator;
use crate::entity::attachment_link;
use crate::form::tests::sample::photo;
use crate::tests::office::{as_expected, at, correction, outcome, sent, told, two_items};

impl Desk {
    /// Makes the links older instead of moving a clock: the database's clock decides, and tests cannot change
    /// it.
    async fn later(&self, minutes: i64) {
        let tx = self.office.context.db.begin().await.unwrap();
        for row in attachment_link::Entity::find().all(&*tx).await.unwrap() {
            let created_at = Set(row.created_at - TimeDelta::minutes(minutes));
            attachment_link::ActiveModel { created_at, ..row.into() }.update(&*tx).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    async fn sweep(&self) -> u64 {
        storage::sweep(&self.office.context.db, &self.office.context.blob, &Doubts::default()).await.unwrap()
    }

    async fn is_there(&self, key: &kit::blob::Key) -> bool {
        self.office.context.blob.head(key).await.unwrap().is_some()
    }

    /// Serves the files below `root` at another address, as after a change of the configuration.
    fn serve(&mut self, root: &Path, public_url: &str) {
        let config = LocalConfig {
            root: root.to_owned(),
            public_url: Some(public_url.to_owned()),
            secret: "0123456789abcdef0123456789abcdef".to_owned().into(),
        };
        let context = &mut self.office.context;
        context.blob = Blob::Local(LocalBlob::new(config, context.clock.clone()).unwrap());
        self.service = Arc::new(Service::new(context.clone()).unwrap());
    }
}

fn somebody(id: &str) -> Principal {
    Principal::User {
        id: id.to_owned(),
        username: format!("{id}.name"),
        roles: vec![Role::Dispatcher],
        session: "s".to_owned(),
        driver_id: None,
    }
}

// A link is valid only for its delivery and its person: otherwise anybody who sees the address could use the
// picture as proof of another delivery.
on_both!(a_file_is_of_the_delivery_and_the_person_it_was_asked_for, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    desk.office.create("DR-2", "S-1", two_items()).await;
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    let error = desk.add(new("DR-2", &url, "photo")).await.unwrap_err();
    assert!(error.fields["url"][0].starts_with("The file was not uploaded"), "{error}");
    let other = sent(somebody("other"), new("DR-1", &url, "photo"));
    let error = told(desk.service.add_attachment(other).await).unwrap_err();
    assert!(error.fields["url"][0].starts_with("The file was not uploaded"), "{error}");
    assert_eq!((desk.attachments("DR-1").await.len(), desk.attachments("DR-2").await.len()), (0, 0));
    // The person who uploaded the file can add it; afterwards everybody with access to the delivery can read
    // it.
    let added = desk.add(new("DR-1", &url, "photo")).await.unwrap();
    let again = sent(somebody("other"), new("DR-1", &url, "photo"));
    assert_eq!(told(desk.service.add_attachment(again).await).unwrap(), added);
});

// An added file never changes, even if its upload does: in a bucket, the link can overwrite the upload for
// some minutes.
on_both!(what_was_added_cannot_be_replaced_by_its_link, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let blob = &desk.office.context.blob;
    let bytes = photo(60, 40, 1);
    let url = desk.uploaded("DR-1", "a.jpg", bytes.clone()).await;
    desk.add(new("DR-1", &url, "photo")).await.unwrap();
    let uploaded = blob.key_of(&url).unwrap();
    blob.put(&uploaded, b"<script>alert(1)</script>".to_vec().into()).await.unwrap();
    desk.presigned(&url).await.unwrap();
    assert_eq!(blob.get(&desk.kept(&url), 1 << 20).await.unwrap(), bytes);
    // The sweep removes the upload with its link, and nothing else.
    desk.later(240).await;
    assert_eq!(desk.sweep().await, 1);
    assert!(!desk.is_there(&uploaded).await);
    desk.presigned(&url).await.unwrap();
    assert_eq!(desk.sweep().await, 0);
});

// As after days in which the program did not run. An added file has a copy, so nothing is lost with its upload.
on_both!(an_added_upload_goes_also_while_unused_ones_are_held_back, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    desk.add(new("DR-1", &url, "photo")).await.unwrap();
    for _ in 0..21 {
        desk.uploaded("DR-1", "b.png", png()).await;
    }
    desk.later(3 * 24 * 60).await;
    assert_eq!(desk.sweep().await, 1);
    assert!(!desk.is_there(&desk.office.context.blob.key_of(&url).unwrap()).await);
    desk.presigned(&url).await.unwrap();
    assert_eq!(attachment_link::Entity::find().count(db.read()).await.unwrap(), 21);
});

// In a bucket, the link can replace an upload while two requests add it. The copy that was made first stays.
on_both!(a_copy_is_never_replaced, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let blob = &desk.office.context.blob;
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    let mut changed = png();
    changed[20] ^= 1;
    for other in [changed, photo(60, 40, 1)] {
        blob.put(&desk.kept(&url), other.clone().into()).await.unwrap();
        let error = desk.add(new("DR-1", &url, "photo")).await.unwrap_err();
        assert!(error.fields["url"][0].starts_with("The file was not uploaded"), "{error}");
        assert_eq!(blob.get(&desk.kept(&url), 1 << 20).await.unwrap(), other);
    }
    // A copy of the same bytes is left if adding the file was interrupted.
    blob.put(&desk.kept(&url), png().into()).await.unwrap();
    desk.add(new("DR-1", &url, "photo")).await.unwrap();
});

// The product or its bucket can get another host, which the URLs in rows and frozen forms do not know.
on_both!(files_are_found_after_their_host_changed, Migrator, |db: Db| async move {
    let root = tempfile::tempdir().unwrap();
    let mut desk = Desk::open(&db).await;
    desk.serve(root.path(), "http://old.example");
    desk.added("DR-1", "photo", photo(60, 40, 1)).await;
    desk.record().await;
    desk.office.later(1);
    desk.added("DR-1", "signature", png()).await;
    let before = desk.form("DR-1", 1).await.unwrap();
    let printed = desk.printed(1, Paper::A4).await.unwrap();

    desk.serve(root.path(), "https://new.example");
    let shown = desk.attachments("DR-1").await;
    assert_eq!(shown.len(), 2);
    for attachment in &shown {
        assert!(attachment.url.starts_with("https://new.example/objects/proof/"), "{}", attachment.url);
        let link = desk.presigned(&attachment.url).await.unwrap();
        assert!(link.starts_with("https://new.example/objects/attachments/"), "{link}");
    }
    let after = desk.form("DR-1", 1).await.unwrap();
    assert_eq!(after.content.unwrap().attachments, shown);
    assert_eq!(after.description.unwrap().photos.unwrap().pictures[0].url, shown[0].url);
    assert!(desk.printed(1, Paper::A4).await.unwrap() == printed, "with the same pictures");
    assert_eq!(after.content_hash, before.content_hash);
    assert_eq!(after.verification_code, before.verification_code);
});

// A phone that was offline sends the file of the attempt that it knows, and the office has started the next.
on_both!(a_late_file_is_of_the_attempt_that_it_names, Migrator, |db: Db| async move {
    let pod_requirement = vec![kit::config::Proof::Photo];
    let config = kit::config::Deliveries { pod_requirement, ..Default::default() };
    let desk = Desk::with(&db, config).await;
    let failed = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    desk.office.record(Role::Dispatcher, failed).await.unwrap();
    desk.office.reschedule(Role::Dispatcher, "DR-1", at(2_000)).await.unwrap();
    let url = desk.uploaded("DR-1", "gate.png", png()).await;
    let of = |attempt| AddAttachmentRequest { attempt: Some(attempt), ..new("DR-1", &url, "photo") };
    for attempt in [0, 3, u32::MAX] {
        let error = desk.add(of(attempt)).await.unwrap_err();
        assert_eq!(error.fields["attempt"], ["Attempt must be between 1 and 2"]);
    }
    let late = desk.add(of(1)).await.unwrap();
    assert_eq!((late.attempt, late.added_after_completion), (1, true));
    let form = desk.form("DR-1", 1).await.unwrap();
    assert_eq!(form.content.unwrap().attachments, [late]);
    // It proves nothing about the present attempt.
    let complete = || desk.office.record(Role::Dispatcher, outcome("DR-1", None, as_expected()));
    let error = complete().await.unwrap_err();
    assert!(error.fields.contains_key("photos"), "{error}");
    let url = desk.uploaded("DR-1", "goods.png", png()).await;
    let request = AddAttachmentRequest { attempt: Some(2), ..new("DR-1", &url, "photo") };
    let present = desk.add(request).await.unwrap();
    assert_eq!((present.attempt, present.added_after_completion), (2, false));
    complete().await.unwrap();
});

// A correction to Pending stays in the attempt, so the next recipient's signature is of the same attempt.
on_both!(a_replaced_form_keeps_the_attachments_of_its_time, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let first = desk.added("DR-1", "signature", png()).await;
    desk.record().await;
    desk.office.later(60);
    let pending = correction("DR-1", Some(DeliveryStatus::Pending), vec![]);
    desk.office.correct(Role::Admin, pending).await.unwrap();
    desk.office.later(60);
    let second = desk.added("DR-1", "signature", photo(40, 40, 1)).await;
    desk.record().await;
    let shown = async |version| {
        let content = desk.form("DR-1", version).await.unwrap().content.unwrap();
        content.attachments.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(shown(1).await, std::slice::from_ref(&first.id));
    assert_eq!(shown(3).await, [first.id, second.id]);
});

// A file that is damaged on disk is reported, and not shown as proof.
on_both!(a_damaged_file_is_not_shown, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let blob = &desk.office.context.blob;
    let bytes = photo(60, 40, 1);
    let url = desk.uploaded("DR-1", "a.jpg", bytes.clone()).await;
    desk.add(new("DR-1", &url, "photo")).await.unwrap();
    for at in (0..bytes.len()).step_by(bytes.len() / 20) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        blob.put(&desk.kept(&url), damaged.into()).await.unwrap();
        let error = desk.presigned(&url).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (ErrorKind::FailedPrecondition, "OBJECT_DAMAGED"));
    }
    blob.put(&desk.kept(&url), bytes.into()).await.unwrap();
    desk.presigned(&url).await.unwrap();
});

// Files that earlier releases added stay where they were uploaded.
on_both!(what_an_earlier_release_added_is_shown_and_kept, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let url = desk.uploaded("DR-1", "a.jpg", png()).await;
    desk.add(new("DR-1", &url, "photo")).await.unwrap();
    desk.office.context.blob.delete(&desk.kept(&url)).await.unwrap();
    let link = desk.presigned(&url).await.unwrap();
    assert!(link.starts_with(&format!("{url}?")), "{link}");
    desk.later(240).await;
    assert_eq!(desk.sweep().await, 1);
    assert_eq!(desk.presigned(&url).await.unwrap().split('?').next(), Some(url.as_str()));
});

// One account cannot fill the disk: unused uploads are limited, and removed after some hours.
on_both!(one_person_has_so_many_unused_uploads_and_no_more, Migrator, |db: Db| async move {
    let config = kit::config::Deliveries { max_open_uploads: 5, ..Default::default() };
    let desk = Arc::new(Desk::with(&db, config).await);
    let first = desk.uploaded("DR-1", "a.png", png()).await;
    desk.later(60).await;
    // Sixteen requests at the same time get no more links than sequential ones.
    let asks = (0..16).map(|_| {
        let desk = desk.clone();
        tokio::spawn(async move { desk.link("DR-1", "a.png").await })
    });
    let mut given = Vec::new();
    for ask in asks.collect::<Vec<_>>() {
        match ask.await.unwrap() {
            Ok(link) => given.push(link),
            Err(error) => {
                assert_eq!((error.kind, error.reason.as_str()), (ErrorKind::RateLimited, "TOO_MANY_UPLOADS"));
                assert!(error.message.ends_with("try again in 120 minutes."), "{error}");
                assert!(error.retry_after.unwrap() <= std::time::Duration::from_secs(7_200));
            }
        }
    }
    assert_eq!(given.len(), 4);
    let link = || RequestAttachmentLinkRequest { delivery_id: "DR-1".into(), filename: "a.png".into() };
    assert!(desk.service.request_attachment_link(sent(somebody("other"), link())).await.is_ok());
    // Adding a file makes room for another upload.
    desk.add(new("DR-1", &first, "photo")).await.unwrap();
    assert!(desk.link("DR-1", "a.png").await.is_ok());
    assert!(desk.link("DR-1", "a.png").await.is_err());
    // Links stop counting once they are old, and the sweep later removes their unused files.
    let stale = given[0].split('?').next().unwrap().to_owned();
    let stale = desk.office.context.blob.key_of(&stale).unwrap();
    desk.office.context.blob.put(&stale, png().into()).await.unwrap();
    desk.later(181).await;
    assert!(desk.link("DR-1", "a.png").await.is_ok());
    assert!(desk.is_there(&stale).await, "whoever is adding it may finish");
    desk.later(20).await;
    assert_eq!(desk.sweep().await, 7);
    assert!(!desk.is_there(&stale).await);
    assert_eq!(attachment_link::Entity::find().count(db.read()).await.unwrap(), 1);
    assert_eq!(desk.attachments("DR-1").await.len(), 1);
    desk.presigned(&first).await.unwrap();
});

// If adding a file fails after the copy was made, the sweep removes both the upload and the copy.
on_both!(a_copy_that_nothing_refers_to_goes_with_its_link, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    let request = AddAttachmentRequest { item_number: Some("77".into()), ..new("DR-1", &url, "photo") };
    desk.add(request).await.unwrap_err();
    assert!(desk.is_there(&desk.kept(&url)).await);
    desk.later(240).await;
    let error = desk.add(new("DR-1", &url, "photo")).await.unwrap_err();
    assert!(error.fields.contains_key("url"), "it is too late: {error}");
    assert_eq!(desk.sweep().await, 1);
    assert!(!desk.is_there(&desk.kept(&url)).await);
    assert!(!desk.is_there(&desk.office.context.blob.key_of(&url).unwrap()).await);
});

on_both!(the_time_of_a_file_has_the_bounds_of_outcomes, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let url = desk.uploaded("DR-1", "a.png", png()).await;
    let taken =
        |captured_at| AddAttachmentRequest { captured_at: Some(captured_at), ..new("DR-1", &url, "photo") };
    let on = |day: &str| proto::timestamp(day.parse().unwrap());
    // The clock of a phone that was never set. Without a time, or with a right one, the same file is taken.
    let error = desk.add(taken(on("0001-01-01T00:00:00Z"))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidInput);
    assert!(error.fields["capturedAt"][0].contains("this delivery is newer"), "{error}");
    let added = desk.add(taken(proto::timestamp(at(-60 * 24 * 30)))).await.unwrap();
    assert_eq!(added.captured_at, Some(proto::timestamp(at(-60 * 24 * 30))));

    let url = desk.uploaded("DR-1", "b.png", png()).await;
    let ahead =
        AddAttachmentRequest { captured_at: Some(on("9999-12-31T00:00:00Z")), ..new("DR-1", &url, "photo") };
    let added = desk.add(ahead).await.unwrap();
    assert_eq!(added.captured_at, Some(proto::timestamp(at(2))), "as an outcome is");
});

on_both!(an_attachment_has_the_name_of_its_file, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let pdf = b"%PDF-1.7\n%%EOF";
    for (filename, key, shown, saved) in [
        ("Договор.pdf", "/pdf", "Договор.pdf", "%D0%94%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80.pdf"),
        ("C:\\scans\\漢字", "/c-scans", "漢字", "%E6%BC%A2%E5%AD%97.pdf"),
        ("a\"\r\n;b\u{202e}fdp.html", "/a-b-fdp.html", "a\";bfdp.html", "a%22%3Bbfdp.html.pdf"),
    ] {
        let url = desk.uploaded("DR-1", filename, pdf.to_vec()).await;
        assert!(url.ends_with(key), "{url}");
        desk.office.later(1);
        let added = desk.add(new("DR-1", &url, "document")).await.unwrap();
        assert_eq!(added.filename, shown);
        let link = desk.presigned(&url).await.unwrap();
        assert!(link.contains(&format!("&name={saved}&name_signature=")), "{link}");
    }
    let shown: Vec<_> = desk.attachments("DR-1").await.into_iter().map(|it| it.filename).collect();
    assert_eq!(shown, ["Договор.pdf", "漢字", "a\";bfdp.html"]);
    desk.record().await;
    let files = desk.form("DR-1", 0).await.unwrap().description.unwrap().files.unwrap().files;
    assert!(files.iter().map(|it| &it.text).eq(&shown), "{files:?}");
    assert!(desk.printed(0, Paper::A4).await.is_ok());
});

// Programs of the release before record such links during a roll-out.
on_both!(a_file_of_a_link_without_a_name_has_the_name_of_its_key, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let url = desk.uploaded("DR-1", "Foto vom Hof (1).PNG", png()).await;
    let tx = db.begin().await.unwrap();
    for row in attachment_link::Entity::find().all(&*tx).await.unwrap() {
        attachment_link::ActiveModel { filename: Set(None), ..row.into() }.update(&*tx).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(desk.add(new("DR-1", &url, "photo")).await.unwrap().filename, "foto-vom-hof-1.png");
    let link = desk.presigned(&url).await.unwrap();
    assert!(link.contains("&name=foto-vom-hof-1.png&"), "{link}");
});
