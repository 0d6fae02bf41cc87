//! Tests of the service on both databases. This file is about imports that are repeated, concurrent, or from
//! a disabled source. Each file beside it has another topic.

mod bulk;
mod clocks;
mod drivers;
mod edits;
mod export;
mod import_files;
mod intake;
pub mod invariants;
mod large;
mod late;
mod lists;
mod matching;
mod modes;
mod names;
pub mod office;
mod outbound;
mod outcomes;
mod parties;
mod plans;
mod reimports;
mod sequences;
mod settings;
mod snapshots;
mod together;
mod transitions;
mod undo;
mod unstorable;

use std::time::Duration;

use ::store::filter::fold;
use ::store::{Db, counter, on_both};
use kit::clock::{Clock, new_id};
use kit::{Kind, Result};
use proto::deliveries::v1::{ImportAction, ImportDeliveriesResponse, ImportMode};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use sea_orm_migration::MigratorTrait;
use uuid::Uuid;

use crate::commands::import::{self, Batch};
use crate::commands::sources;
use crate::domain::document::Item;
use crate::domain::head::Texts;
use crate::domain::row::Row;
use crate::entity::{customer, delivery, history, item, shipment, source};
use crate::queries::items;
use crate::{Context, Migrator};
use crate::{queries, tables};

fn context(db: &Db) -> Context {
    Context { clock: Clock::system(), ..office::Office::open(db).context }
}

fn row(line: u32, delivery: &str, shipment: &str, item: &str, quantity: i64) -> Row {
    Row {
        line,
        id: delivery.into(),
        shipmentnumber: shipment.into(),
        customername: "Aling Nena Store".into(),
        customer_email: None,
        scheduledatetime: chrono::DateTime::from_timestamp(1_795_000_000, 0).unwrap(),
        trucker: Some("Isla Express".into()),
        customeraddress: None,
        texts: Texts::default(),
        priority: None,
        time_window_start: None,
        time_window_end: None,
        item: Some(Item {
            item_number: item.into(),
            sku: Some("RICE-25".into()),
            description: None,
            unit: None,
            quantity,
            weight_grams: None,
            barcode: None,
        }),
        item_number_given: true,
        document_incomplete: false,
        refused: None,
    }
}

async fn default_source(db: &Db) -> String {
    sources::ensure_default(db, &Clock::system()).await.unwrap();
    source::Entity::find().one(db.read()).await.unwrap().unwrap().id.to_string()
}

fn batch(upload: Uuid, number: i32, source_id: String, rows: Vec<Row>) -> Batch {
    Batch {
        upload,
        number,
        source_id,
        actor: "maria".into(),
        rows,
        refuse_unknown_drivers: false,
        whole_documents: false,
        mode: ImportMode::Upsert,
        dry_run: false,
    }
}

async fn import(db: &Db, upload: Uuid, number: i32, rows: Vec<Row>) -> Result<ImportDeliveriesResponse> {
    let source_id = default_source(db).await;
    import::run(&context(db), batch(upload, number, source_id, rows)).await
}

/// Imports rows, retrying as the upload service does.
async fn patiently(db: &Db, upload: Uuid, rows: Vec<Row>) -> ImportDeliveriesResponse {
    for _ in 0..50 {
        match import(db, upload, 0, rows.clone()).await {
            Ok(answer) => return answer,
            Err(error) if matches!(error.kind, Kind::AlreadyExists | Kind::Unavailable) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the import never went through");
}

fn actions(answer: &ImportDeliveriesResponse) -> Vec<ImportAction> {
    answer.rows.iter().map(|row| row.action()).collect()
}

on_both!(a_batch_that_is_sent_again_gets_the_first_answer, Migrator, |db: Db| async move {
    let upload = new_id();
    let rows = vec![row(2, "DR-1", "S-1", "1", 5_000), row(3, "DR-1", "S-1", "2", 7_000)];
    let first = import(&db, upload, 0, rows.clone()).await.unwrap();
    let again = import(&db, upload, 0, rows).await.unwrap();
    assert_eq!(first, again);
    assert_eq!(actions(&first), [ImportAction::Created, ImportAction::Created]);
    assert_eq!((first.deliveries_created, first.items_created), (1, 2));
    assert_eq!(
        ::store::outbox::waiting(&db).await.unwrap(),
        2,
        "of the source and of the batch, which has one"
    );
    assert_eq!(queries::deliveries::get(&db, " dr-1 ").await.unwrap().version, 1);
});

on_both!(a_file_that_contradicts_itself_changes_nothing_the_second_time, Migrator, |db: Db| async move {
    let mut other = row(3, "DR-1", "S-1", "1", 5_000);
    other.customername = "Another Store".into();
    let lines = || vec![row(2, "DR-1", "S-1", "1", 5_000), other.clone(), row(4, "DR-1", "S-1", "1", 6_000)];
    let first = import(&db, new_id(), 0, lines()).await.unwrap();
    use ImportAction::{Created, Refused, Skipped};
    assert_eq!(actions(&first), [Created, Refused, Refused]);
    let customers = customer::Entity::find().all(db.read()).await.unwrap();
    assert_eq!(customers.len(), 1, "a refused line makes no customer");
    // The same lines again in one batch, and then the contradicting line in a batch of its own.
    let again = import(&db, new_id(), 0, lines()).await.unwrap();
    assert_eq!(actions(&again), [Skipped, Refused, Refused]);
    assert_eq!(queries::deliveries::get(&db, "DR-1").await.unwrap().version, 1);
    let upload = new_id();
    let head = import(&db, upload, 0, vec![row(2, "DR-1", "S-1", "1", 5_000)]).await.unwrap();
    let tail = import(&db, upload, 1, lines()[1..].to_vec()).await.unwrap();
    assert_eq!((actions(&head), actions(&tail)), (vec![Skipped], vec![Refused, Refused]));
    let delivery = queries::deliveries::get(&db, "DR-1").await.unwrap();
    assert_eq!(
        (delivery.customername.as_str(), delivery.incomplete_upload_id),
        ("Aling Nena Store", Some(upload))
    );
});

on_both!(imports_at_once_lose_nothing_and_double_nothing, Migrator, |db: Db| async move {
    default_source(&db).await;
    // Eight files with the same deliveries, each with its own item, in two shipments.
    let files = (0..8).map(|file| {
        let db = db.clone();
        tokio::spawn(async move {
            let rows = (0..40)
                .map(|at| {
                    row(at + 2, &format!("DR-{at}"), &format!("S-{}", at % 2), &file.to_string(), 1_000)
                })
                .collect();
            patiently(&db, new_id(), rows).await
        })
    });
    let mut created = 0;
    for file in files.collect::<Vec<_>>() {
        created += file.await.unwrap().deliveries_created;
    }
    assert_eq!(created, 40);
    assert_eq!(delivery::Entity::find().count(db.read()).await.unwrap(), 40);
    assert_eq!(item::Entity::find().count(db.read()).await.unwrap(), 320);
    assert_eq!(history::Entity::find().count(db.read()).await.unwrap(), 40);
    assert_eq!(counter::get(db.read(), tables::deliveries::COUNTER).await.unwrap(), 40);
    for row in delivery::Entity::find().all(db.read()).await.unwrap() {
        assert_eq!((row.linecount, row.version), (8, 8), "{}", row.id);
    }
    for row in shipment::Entity::find().all(db.read()).await.unwrap() {
        assert_eq!((row.delivery_count, row.open_count, row.completed_count), (20, 20, 0));
    }
});

on_both!(a_closed_source_takes_nothing, Migrator, |db: Db| async move {
    default_source(&db).await;
    let tx = db.begin().await.unwrap();
    source::Entity::update_many()
        .col_expr(source::Column::IsActive, Expr::value(false))
        .filter(source::Column::NameKey.eq(fold(sources::DEFAULT)))
        .exec(&*tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let error = import(&db, new_id(), 0, vec![row(2, "DR-1", "S-1", "1", 1)]).await.unwrap_err();
    assert_eq!(error.reason, "SOURCE_DISABLED");
    assert_eq!(delivery::Entity::find().count(db.read()).await.unwrap(), 0);
});

on_both!(the_default_source_is_made_once, Migrator, |db: Db| async move {
    let starts = (0..6).map(|_| {
        let db = db.clone();
        tokio::spawn(async move { sources::ensure_default(&db, &Clock::system()).await.unwrap() })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap();
    }
    let all = source::Entity::find().all(db.read()).await.unwrap();
    assert_eq!(all.len(), 1);
    assert!(all[0].is_active && all[0].name == "Default");
});

on_both!(migrations_go_down_and_up_again, Migrator, |db: Db| async move {
    import(&db, new_id(), 0, vec![row(2, "DR-0", "S-0", "1", 1)]).await.unwrap();
    // Goes back to the tables from before outcomes existed.
    let own = Migrator::migrations().len() - ::store::migrate::migrations().len();
    for _ in 1..own {
        ::store::testing::down_one::<Migrator>(&db).await;
    }
    let error = ::store::migrate::require_current::<Migrator>(&db, "deliveries").await.unwrap_err();
    assert_eq!(error.reason, "MIGRATIONS_PENDING");
    ::store::migrate::up::<Migrator>(&db).await.unwrap();
    let kept = queries::deliveries::get(&db, "DR-0").await.unwrap();
    assert_eq!((kept.form_version, kept.late, kept.conflict), (0, false, false));
    let items = items::by_deliveries(&db, &["DR-0".to_owned()]).await.unwrap();
    assert_eq!((items[0].delivered, items[0].condition.as_str()), (0, "ok"));
    import(&db, new_id(), 0, vec![row(2, "DR-1", "S-1", "1", 1)]).await.unwrap();
});

on_both!(a_page_deep_in_the_list_is_the_same_page, Migrator, |db: Db| async move {
    use proto::common::v1::Page;
    for file in 0..3 {
        let rows = (0..800)
            .map(|at| row(at + 2, &format!("DR-{file}-{at}"), &format!("S-{at}"), "1", 1_000))
            .collect();
        import(&db, new_id(), 0, rows).await.unwrap();
    }
    // From offset 1,000 on, a list finds the keys of a page first and then fetches their rows. Compare pages
    // from both sides of that offset.
    let page = |offset, limit| Page { offset, limit, ..Page::default() };
    let (ahead, _) = queries::deliveries::list(&db, &page(995, 10)).await.unwrap();
    let (deep, more) = queries::deliveries::list(&db, &page(1_000, 5)).await.unwrap();
    assert!(more);
    assert_eq!(ahead[5..], deep[..]);
    let (last, more) = queries::deliveries::list(&db, &page(2_395, 25)).await.unwrap();
    assert_eq!((last.len(), more), (5, false));
});
