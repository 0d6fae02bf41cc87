//! Import modes for existing deliveries, and dry runs.

use ::store::{Db, on_both};
use kit::clock::new_id;
use proto::deliveries::v1::*;
use uuid::Uuid;

use super::invariants::holds;
use super::office::*;
use super::{batch, default_source, row};
use crate::Migrator;
use crate::commands::import::{self, Batch};
use crate::domain::row::Row;
use crate::queries::deliveries;

on_both!(modes_say_what_becomes_of_deliveries_that_are_there, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let source_id = default_source(&db).await;
    let first = batch(new_id(), 0, source_id.clone(), vec![row(2, "DR-1", "S-1", "1", 1_000)]);
    import::run(&office.context, first).await.unwrap();
    let rows = || vec![row(2, "DR-1", "S-1", "1", 2_000), row(3, "DR-2", "S-1", "1", 2_000)];
    let run = async |upload: Uuid, number: i32, mode: ImportMode, dry_run: bool, rows: Vec<Row>| {
        let batch = Batch { mode, dry_run, ..batch(upload, number, source_id.clone(), rows) };
        import::run(&office.context, batch).await.unwrap()
    };
    use ImportAction::{Created, Refused, Skipped, Updated};
    let actions =
        |answer: &ImportDeliveriesResponse| answer.rows.iter().map(|it| it.action()).collect::<Vec<_>>();

    // A dry run reports what would happen, and changes nothing.
    let dry = run(new_id(), 0, ImportMode::Upsert, true, rows()).await;
    assert_eq!((actions(&dry), dry.deliveries_created), (vec![Updated, Created], 1));
    let change = dry.changes[0].change.clone().unwrap();
    assert_eq!((dry.changes[0].delivery_id.as_str(), change.field.as_str()), ("DR-1", "quantity"));
    assert_eq!((change.before.as_deref(), change.after.as_deref()), (Some("1"), Some("2")));
    assert!(deliveries::get(&db, "DR-2").await.is_err());
    assert_eq!(office.get("DR-1").await.version, 1);

    let upload = new_id();
    let only = run(upload, 0, ImportMode::CreateOnly, false, rows()).await;
    assert_eq!((actions(&only), only.rows[0].code.as_str()), (vec![Refused, Created], "DELIVERY_EXISTS"));
    // A later batch may add items to a delivery that an earlier batch of the same file created.
    let more = run(upload, 1, ImportMode::CreateOnly, false, vec![row(4, "DR-2", "S-1", "2", 1_000)]).await;
    assert_eq!(actions(&more), [Created]);
    let skip = run(new_id(), 0, ImportMode::SkipExisting, false, rows()).await;
    assert_eq!(actions(&skip), [Skipped, Skipped]);
    assert_eq!(office.get("DR-1").await.version, 1);
    holds(&db, "DR-2").await;
});
