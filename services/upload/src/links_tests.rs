//! Unused uploads: limited in number and time.

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use bytes::Bytes;
use chrono::TimeDelta;
use kit::Kind;
use kit::blob::{Blob, Key, LocalBlob, LocalConfig};
use kit::clock::{Clock, new_id};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait};

use crate::entity::upload_link;
use crate::{Migrator, store};

const MOST: usize = 3;

struct Desk {
    db: Db,
    blob: Blob,
    _objects: tempfile::TempDir,
}

impl Desk {
    fn open(db: &Db) -> Self {
        let objects = tempfile::tempdir().unwrap();
        let config = LocalConfig {
            root: objects.path().to_owned(),
            public_url: None,
            secret: "a-key-that-signs-links-of-this-test".to_owned().into(),
        };
        let blob = Blob::Local(LocalBlob::new(config, Clock::system()).unwrap());
        Self { db: db.clone(), blob, _objects: objects }
    }

    async fn uploaded(&self, user: &str, name: &str) -> kit::Result<Key> {
        let key = Key::parse(&format!("imports/{name}.csv")).unwrap();
        store::add_link(&self.db, key.as_str(), user, MOST).await?;
        self.blob.put(&key, Bytes::from_static(b"x")).await.unwrap();
        Ok(key)
    }

    async fn imported(&self, key: &Key) -> kit::Result<()> {
        let new = store::NewLog {
            object_key: key.as_str().to_owned(),
            filename: "a.csv".to_owned(),
            source_id: new_id(),
            size_bytes: 1,
            uploaded_by: "maria".to_owned(),
            uploaded_by_id: "id-of-maria".to_owned(),
            mode: crate::entity::upload_log::Mode::Upsert,
            dry_run: false,
            choose_columns: false,
            key: None,
        };
        store::create(
            &self.db,
            new,
            ::store::audit::By { actor: "maria", address: "", now: Clock::system().now() },
        )
        .await
        .map(|_| ())
    }

    async fn later(&self, minutes: i64) {
        let tx = self.db.begin().await.unwrap();
        for row in upload_link::Entity::find().all(&*tx).await.unwrap() {
            let created_at = Set(row.created_at - TimeDelta::minutes(minutes));
            upload_link::ActiveModel { created_at, ..row.into() }.update(&*tx).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    async fn is_there(&self, key: &Key) -> bool {
        self.blob.head(key).await.unwrap().is_some()
    }
}

on_both!(what_nobody_imports_goes_and_what_is_imported_stays, Migrator, |db: Db| async move {
    let desk = Desk::open(&db);
    let (imported, abandoned) =
        (desk.uploaded("maria", "a").await.unwrap(), desk.uploaded("maria", "b").await.unwrap());
    desk.imported(&imported).await.unwrap();
    desk.later(190).await;
    assert_eq!(store::sweep(&desk.db, &desk.blob, &Doubts::default()).await.unwrap(), 0);
    desk.later(50).await;
    assert_eq!(store::sweep(&desk.db, &desk.blob, &Doubts::default()).await.unwrap(), 1);
    assert!(desk.is_there(&imported).await && !desk.is_there(&abandoned).await);
    // The file of the swept upload is gone, so it cannot be imported; the other file still belongs to its
    // requester.
    assert!(desk.imported(&abandoned).await.unwrap_err().fields.contains_key("url"));
    assert!(store::has_link(&desk.db, imported.as_str(), "maria").await.unwrap());
    assert_eq!(store::sweep(&desk.db, &desk.blob, &Doubts::default()).await.unwrap(), 0);
});

on_both!(files_from_a_clock_that_was_ahead_do_not_count, Migrator, |db: Db| async move {
    let desk = Desk::open(&db);
    for at in 0..MOST {
        desk.uploaded("maria", &at.to_string()).await.unwrap();
    }
    assert!(desk.uploaded("maria", "more").await.is_err());
    // The clock was a year ahead until now.
    desk.later(-365 * 24 * 60).await;
    desk.uploaded("maria", "more").await.unwrap();
});

on_both!(one_person_has_so_many_files_that_nobody_imports, Migrator, |db: Db| async move {
    let desk = Desk::open(&db);
    let first = desk.uploaded("maria", "0").await.unwrap();
    for at in 1..MOST {
        desk.uploaded("maria", &at.to_string()).await.unwrap();
    }
    let error = desk.uploaded("maria", "more").await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::RateLimited, "TOO_MANY_UPLOADS"));
    desk.uploaded("jose", "his").await.unwrap();
    desk.imported(&first).await.unwrap();
    desk.uploaded("maria", "again").await.unwrap();
    assert!(desk.uploaded("maria", "more").await.is_err());
});
