//! Exports: they contain everything in the list, in its order, and read nothing more once the reader has
//! gone.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use proto::deliveries::v1::ExportDeliveriesResponse;
use tokio_stream::StreamExt;

use sea_orm::ConnectionTrait;

use super::lists::{filter, seeded, sort};
use super::*;
use crate::queries::export;

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
            let (rows, more) = queries::deliveries::list(&db, &page).await.unwrap();
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

on_both!(items_names_and_labels_come_along, Migrator, |db: Db| async move {
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
    assert!(without.iter().all(|it| it.items.is_empty() && it.variance_reason_labels.is_empty()));
    assert!(with.iter().all(|it| it.driver_name.is_empty() && it.outcome_reason_label.is_empty()));

    office::Office::open(&db).hears("DRV-1", "active", 1).await.unwrap();
    let tx = db.begin().await.unwrap();
    for sql in [
        "UPDATE delivery SET driver_id = 'drv-1', driver_id_key = 'drv-1', deliverystatus = 'Undelivered', \
         outcome_reason = 'site_closed' WHERE id = 'DR-1'",
        "UPDATE delivery_item SET variance_reason = 'short_shipped' WHERE item_number = '10'",
        "UPDATE reason SET label = 'Gate was closed' WHERE code = 'site_closed'",
    ] {
        tx.execute_unprepared(sql).await.unwrap();
    }
    tx.commit().await.unwrap();
    let with = exported(&db, &page, true).await.remove(0).deliveries;
    let [first, second] = <[_; 2]>::try_from(with).unwrap();
    assert_eq!((first.driver_name.as_str(), second.driver_name.as_str()), ("DRV-1 who drives", ""));
    assert_eq!(first.outcome_reason_label, "Gate was closed", "as the administrator calls it");
    assert_eq!(first.variance_reason_labels, ["", "Short shipped"], "in item order");
    let nothing = Page { r#where: vec![filter("id", "equals", &["none"])], ..Page::default() };
    assert!(exported(&db, &nothing, true).await.is_empty());
});

on_both!(what_makes_no_sense_is_refused_before_the_first_row, Migrator, |db: Db| async move {
    let page = Page { r#where: vec![filter("password", "equals", &["x"])], ..Page::default() };
    assert_eq!(export::run(db.clone(), page, false).await.unwrap_err().reason, "FIELD_UNKNOWN");
    let page = Page { sort: vec![sort("linecount", SortDirection::Asc)], ..Page::default() };
    assert_eq!(export::run(db, page, false).await.unwrap_err().reason, "INVALID_FIELDS");
});

async fn until(what: &str, so: impl Fn() -> bool) {
    let waiting = async {
        while !so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap_or_else(|_| panic!("never: {what}"));
}

on_both!(a_reader_that_goes_ends_the_export, Migrator, |db: Db| async move {
    for file in 0..4 {
        let rows = (0..1_000)
            .map(|at| row(at + 2, &format!("DR-{file}-{at}"), &format!("S-{at}"), "1", 1_000))
            .collect();
        import(&db, new_id(), 0, rows).await.unwrap();
    }
    let mut stream = export::run(db.clone(), Page::default(), false).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().deliveries.len(), 500);
    // A slow reader: two chunks wait, and there is no room for more.
    until("two stretches wait", || stream.as_ref().len() == 2).await;
    assert_eq!(stream.as_ref().max_capacity(), 2);
    assert!(stream.as_ref().sender_strong_count() > 0, "the export waits for its reader");
    stream.close();
    until("the export has ended", || stream.as_ref().sender_strong_count() == 0).await;
    // The stream still has what the export had read, and at most one chunk that it was about to send.
    let mut left = 0;
    while stream.next().await.is_some() {
        left += 1;
    }
    assert!(left <= 3, "{left}");
});

// More items than one statement reads: all of them are in the file.
on_both!(an_export_has_every_item_however_many, Migrator, |db: Db| async move {
    let rows = (0..500).map(|at| row(at + 2, &format!("DR-{at:03}"), "S-1", "1", 1_000)).collect();
    import(&db, new_id(), 0, rows).await.unwrap();
    let tx = db.begin().await.unwrap();
    let more = "INSERT INTO delivery_item (delivery_key, item_key, item_number, quantity, delivered, rejected, condition) \
                WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 250) \
                SELECT id_key, CAST(n AS text), CAST(n AS text), 1000, 0, 0, 'ok' FROM delivery, numbers";
    tx.execute_unprepared(more).await.unwrap();
    tx.execute_unprepared("UPDATE delivery SET linecount = 250").await.unwrap();
    tx.commit().await.unwrap();

    let messages = exported(&db, &Page::default(), true).await;
    let counts = |it: &ExportDeliveriesResponse| it.deliveries.iter().map(|it| it.items.len()).sum::<usize>();
    assert_eq!(messages.iter().map(counts).sum::<usize>(), 125_000);
    assert!(
        messages.iter().all(|message| counts(message) <= 5_000),
        "no message is too large to be received"
    );
    assert_eq!(messages.iter().map(|it| it.deliveries.len()).sum::<usize>(), 500);

    // A request whose single response would be too large is refused; the response is not truncated.
    let ids: Vec<String> = (0..500).map(|at| format!("DR-{at:03}")).collect();
    assert_eq!(items::by_deliveries(&db, &ids).await.unwrap_err().reason, "TOO_MANY_ROWS");
    assert_eq!(items::by_deliveries(&db, &ids[..400]).await.unwrap().len(), 100_000);
});
