//! Exports: everything that the list has, in its order, and nothing more once the reader has gone.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use proto::deliveries::v1::ExportDeliveriesResponse;
use tokio_stream::StreamExt;

use super::lists::{filter, seeded, sort};
use super::*;
use crate::store::export;

async fn exported(db: &Db, page: &Page, items: bool) -> Vec<ExportDeliveriesResponse> {
    let stream = export::run(db.clone(), page.clone(), items).await.unwrap();
    stream.map(|chunk| chunk.unwrap()).collect().await
}

fn filters() -> impl Strategy<Value = Vec<Filter>> {
    let one = prop::sample::select(vec![
        filter("id", "contains", &["00001", "99"]),
        filter("id", "!contains", &["7"]),
        filter("deliverystatus", "equals", &["Pending", "Rejected"]),
        filter("deliverystatus", "!equals", &["Complete_No_Variance"]),
        filter("customername", "startsWith", &["b", "m"]),
        filter("customername", "contains", &["store"]),
        filter("trucker", "contains", &["express"]),
        filter("scanmode", "equals", &["Yes"]),
        filter("referencedoc", "endsWith", &["5"]),
        filter("reason", "contains", &["transit"]),
        filter("shipmentstatus", "equals", &["Partial"]),
    ]);
    prop::collection::vec(one, 0..3)
}

fn sorts() -> impl Strategy<Value = Vec<Sort>> {
    let keys = prop::sample::subsequence(
        vec!["scheduledatetime", "id", "customername", "deliverystatus", "driverId"],
        0..3,
    )
    .prop_shuffle();
    (keys, prop::collection::vec(any::<bool>(), 3)).prop_map(|(keys, descending)| {
        let directed = |(key, descending): (&str, bool)| {
            sort(key, if descending { SortDirection::Desc } else { SortDirection::Asc })
        };
        keys.into_iter().zip(descending).map(directed).collect()
    })
}

on_both!(an_export_is_the_whole_list, Migrator, |db: Db| async move {
    seeded(&db).await;
    let mut runner = TestRunner::default();
    for turn in 0..40 {
        let (r#where, sort) = match turn {
            0 => (Vec::new(), Vec::new()),
            _ => (filters(), sorts()).new_tree(&mut runner).unwrap().current(),
        };
        let mut listed = Vec::new();
        for offset in (0..).step_by(100) {
            let page = Page { r#where: r#where.clone(), sort: sort.clone(), limit: 100, offset };
            let (rows, more) = deliveries::list(&db, &page).await.unwrap();
            listed.extend(rows.into_iter().map(|row| row.id));
            if !more {
                break;
            }
        }
        let page = Page { r#where, sort, limit: 3, offset: 7 };
        let chunks = exported(&db, &page, false).await;
        assert!(chunks.iter().all(|chunk| (1..=500).contains(&chunk.deliveries.len())));
        let exported = chunks.into_iter().flat_map(|chunk| chunk.deliveries);
        let exported: Vec<String> = exported.map(|it| it.delivery.unwrap().id).collect();
        assert_eq!(exported, listed, "{page:?}; limit and offset do not count");
    }
});

on_both!(items_and_names_of_sources_come_along, Migrator, |db: Db| async move {
    let source = default_source(&db).await;
    let rows = vec![
        row(2, "DR-1", "S-1", "10", 1_000),
        row(3, "DR-1", "S-1", "2", 2_000),
        row(4, "DR-2", "S-1", "1", 3),
    ];
    import(&db, new_id(), 0, rows).await.unwrap();
    let page = Page { sort: vec![sort("id", SortDirection::Asc)], ..Page::default() };
    let with = exported(&db, &page, true).await.remove(0).deliveries;
    let numbers: Vec<Vec<&str>> =
        with.iter().map(|it| it.items.iter().map(|item| item.item_number.as_str()).collect()).collect();
    assert_eq!(numbers, [vec!["2", "10"], vec!["1"]], "in item order");
    assert!(with.iter().all(|it| it.source_name == "Default"));
    assert_eq!(with[0].delivery.as_ref().unwrap().source_id.as_ref(), Some(&source));
    let without = exported(&db, &page, false).await.remove(0).deliveries;
    assert!(without.iter().all(|it| it.items.is_empty()));
    let nothing = Page { r#where: vec![filter("id", "equals", &["none"])], ..Page::default() };
    assert!(exported(&db, &nothing, true).await.is_empty());
});

on_both!(what_makes_no_sense_is_refused_before_the_first_row, Migrator, |db: Db| async move {
    let page = Page { r#where: vec![filter("password", "equals", &["x"])], ..Page::default() };
    assert_eq!(export::run(db.clone(), page, false).await.unwrap_err().reason, "FIELD_UNKNOWN");
    let page = Page { sort: vec![sort("linecount", SortDirection::Asc)], ..Page::default() };
    assert_eq!(export::run(db, page, false).await.unwrap_err().reason, "INVALID_FIELDS");
});

on_both!(a_reader_that_goes_ends_the_export, Migrator, |db: Db| async move {
    for file in 0..4 {
        let rows = (0..1_000)
            .map(|at| row(at + 2, &format!("DR-{file}-{at}"), &format!("S-{at}"), "1", 1_000))
            .collect();
        import(&db, new_id(), 0, rows).await.unwrap();
    }
    let mut stream = export::run(db.clone(), Page::default(), false).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().deliveries.len(), 500);
    // A slow reader: two stretches wait, and no more is read meanwhile.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let waiting = stream.as_ref().len();
    assert!(waiting <= 2, "{waiting} stretches wait");
    drop(stream);
    // The connection is free again: all of them are, at once.
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let db = db.clone();
            tokio::spawn(async move { deliveries::list(&db, &Page::default()).await.unwrap() })
        })
        .collect();
    for reader in readers {
        reader.await.unwrap();
    }
});
