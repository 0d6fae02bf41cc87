//! Uploads of which nothing is imported.

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use kit::blob::Key;
use kit::principal::Role;
use proto::upload::v1::CancelUploadRequest;
use proto::upload::v1::upload_service_server::UploadService;
use sea_orm::{EntityTrait, QueryFilter};
use uuid::Uuid;

use super::undo::by;
use super::world::{World, csv};
use crate::Migrator;
use crate::entity::upload_log::{Entity, Status, came_to_nothing};
use crate::store;

const DAY: i64 = 86_400;

/// A file with a refused row and a column that no field has.
fn file() -> String {
    csv(&["A,S-1,C,2026-11-23,S1,1,", "B,S-1,C,2026-11-23,S1,many,"])
}

impl World {
    /// Checks a file, or lets it wait for somebody to choose its columns.
    async fn unfinished(&self, choose_columns: bool) -> Uuid {
        let id = self.upload_as("a.csv", file().into_bytes(), true, choose_columns).await;
        assert!(self.attempt().await);
        assert!(self.log(id).await.status.waits_for_person());
        id
    }

    /// Does what the service does each hour. The links are old enough for their files to be removed.
    async fn hour(&self) {
        self.execute("UPDATE upload_link SET created_at = '2020-01-01T00:00:00+00:00'").await;
        let doubts = Doubts::default();
        store::prune_abandoned(self.db(), self.now(), &doubts).await.unwrap();
        store::sweep(self.db(), &self.context.blob, &doubts).await.unwrap();
    }

    /// Returns whether the file of an upload is there, and the numbers of its refused rows and warnings.
    async fn left(&self, id: Uuid) -> (bool, usize, usize) {
        let key = Key::parse(&self.log(id).await.object_key).unwrap();
        let file = self.context.blob.head(&key).await.unwrap();
        (file.is_some(), self.rows(id).await.len(), self.warnings(id).await.len())
    }
}

on_both!(a_canceled_check_leaves_neither_its_file_nor_its_rows, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let imported = world.upload("a.csv", &file()).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(imported).await.status, Status::ImportedWithErrors);
    let canceled = world.unfinished(false).await;
    let before = world.left(canceled).await;
    world.hour().await;
    assert_eq!(world.left(canceled).await, before, "somebody may import it");

    let request = CancelUploadRequest { id: canceled.to_string() };
    world.service().cancel_upload(by("ben", Role::Dispatcher, request)).await.unwrap();
    world.hour().await;
    assert_eq!(world.left(canceled).await, (false, 0, 0));
    let log = world.log(canceled).await;
    assert_eq!((log.rows_total, log.rows_failed, log.warnings, log.headings), (0, 0, 0, None));
    assert!(log.failure_text.unwrap().contains("Nothing was imported"));
    let (has_file, refused, _) = world.left(imported).await;
    assert!(has_file && refused == 1, "its refused row can still be corrected");
});

on_both!(a_file_that_nobody_continues_with_waits_for_a_month, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let forgotten = [world.unfinished(false).await, world.unfinished(true).await];
    let edited = world.unfinished(false).await;
    world.later(29 * DAY);
    world.hour().await;
    world.correct(edited, &[(3, 5, "7")]).await.unwrap();
    for id in forgotten {
        assert!(world.log(id).await.status.waits_for_person());
    }
    world.later(2 * DAY);
    world.hour().await;
    for id in forgotten {
        let log = world.log(id).await;
        assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("IMPORT_CANCELLED")));
        assert!(log.failure_text.unwrap().contains("30 days"));
        assert_eq!(world.left(id).await, (false, 0, 0));
    }
    assert_eq!(world.log(edited).await.status, Status::Validated);
    assert!(world.left(edited).await.0);
});

// The rule is written twice: for queries, and for a row.
on_both!(a_failed_import_came_to_nothing_or_can_be_undone, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &file()).await;
    for case in 0..32_u32 {
        let choose = |bit: u32, set, unset| if case & (1 << bit) == 0 { unset } else { set };
        let started_at = choose(0, "created_at", "NULL");
        let reading = choose(1, "'{}'", "NULL");
        let dry_run = choose(2, "true", "false");
        let job_id = choose(3, "id", "NULL");
        let rows_updated = choose(4, "1", "0");
        let row = format!(
            "started_at = {started_at}, reading = {reading}, dry_run = {dry_run}, job_id = {job_id}, \
             rows_updated = {rows_updated}"
        );
        world.execute(&format!("UPDATE upload_log SET status = 'failed', {row}")).await;
        let nothing = Entity::find_by_id(id).filter(came_to_nothing()).one(db.read()).await.unwrap();
        assert_eq!(nothing.is_none(), world.log(id).await.has_more_to_undo(), "{row}");
    }
});
