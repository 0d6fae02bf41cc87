//! Files that are uploaded too often, for another delivery, by another person, or that are changed
//! afterwards.

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use chrono::TimeDelta;
use kit::Kind as ErrorKind;
use kit::principal::Principal;
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait, PaginatorTrait};

use super::tests::{Desk, new, png};
use super::*;
use crate::Migrator;
use crate::entity::attachment_link;
use crate::form::tests::sample::photo;
use crate::tests::office::{sent, told, two_items};

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
