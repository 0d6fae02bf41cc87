//! Undoing imports whose deliveries belonged to a driver who is blocked since.

use super::*;

on_both!(an_undo_assigns_nobody_who_was_blocked_meanwhile, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let with_driver = |driver: &str, line: u32, id: &str, quantity: i64| {
        let texts = Texts { driver_id: Some(driver.into()), ..Texts::default() };
        Row { texts, ..row(line, id, "S-1", "1", quantity) }
    };
    let rows = [with_driver("D-1", 2, "DR-1", 1_000), with_driver("D-1", 3, "DR-2", 1_000)];
    office.bring(new_id(), 0, rows.into()).await;
    let upload = new_id();
    let rows = [with_driver("D-2", 2, "DR-1", 2_000), with_driver("D-1", 3, "DR-2", 2_000)];
    office.bring(upload, 0, rows.into()).await;
    office.hears("D-1", "active", 1).await.unwrap();
    office.hears("D-1", "blocked", 2).await.unwrap();
    assert_eq!(office.undo(upload).await, counts(2, 0, 0));
    // An undo that leaves the driver as it is keeps a blocked one, too.
    for (id, driver) in [("DR-1", None), ("DR-2", Some("D-1"))] {
        assert_eq!(office.get(id).await.driver_id.as_deref(), driver);
        assert_eq!(office.items(id).await[0].quantity_thousandths, 1_000);
        holds(&db, id).await;
    }
    let version = office.get("DR-1").await.version as i64;
    let driver = record(&db, "DR-1").await.remove(&version).unwrap();
    let driver = driver.into_iter().find(|it| it.field == "driverId").unwrap();
    assert_eq!((driver.before.as_deref(), driver.after), (Some("D-2"), None));
    assert_eq!(handovers(&db, "DR-1").await, [("", "d-1"), ("d-1", "d-2"), ("d-2", "")].map(handover));
});
