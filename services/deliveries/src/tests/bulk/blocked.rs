//! Bulk assignments to a driver who is blocked after they were started, and undos for a driver who is blocked since.

use super::*;

on_both!(a_driver_who_was_blocked_meanwhile_gets_nothing, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(2).await;
    office.hears("D-2", "active", 1).await.unwrap();
    let id = new_id();
    office.begin(Role::Dispatcher, &id.to_string(), false, to("D-2")).await.unwrap();
    office.hears("D-2", "blocked", 2).await.unwrap();
    let failed = office.ended(Role::Dispatcher, &id.to_string()).await;
    assert_eq!((failed.state.as_str(), failed.done, counts(&failed)), ("failed", 0, (2, 0, 0)));
    let job = ::store::jobs::get(&db, id).await.unwrap();
    assert_eq!(job.failure_code.as_deref(), Some("DRIVER_BLOCKED"));
    for id in ["DR-000", "DR-001"] {
        assert_eq!(office.get(id).await.driver_id.as_deref(), Some("D-1"));
    }
});

on_both!(an_undo_gives_nothing_to_a_driver_who_was_blocked_meanwhile, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(2).await;
    let unknown = AssignDriverRequest {
        delivery_ids: vec!["DR-001".into()],
        driver_id: Some("D-9".into()),
        ..Default::default()
    };
    told(office.service().assign_driver(by(Role::Dispatcher, unknown)).await).unwrap();
    office.hears("D-1", "active", 1).await.unwrap();
    office.hears("D-2", "active", 1).await.unwrap();
    let moved = office.change_all(Role::Dispatcher, to("D-2")).await;
    assert_eq!(counts(&moved), (2, 2, 0));
    office.hears("D-1", "blocked", 2).await.unwrap();
    let back = office.undo_all(Role::Dispatcher, &moved.id).await.unwrap();
    assert_eq!((counts(&back), left_out(&back)), ((2, 1, 0), BTreeMap::from([("driver_blocked", 1)])));
    assert_eq!(office.get("DR-000").await.driver_id.as_deref(), Some("D-2"));
    // The office keeps no driver D-9, as before the change.
    assert_eq!(office.get("DR-001").await.driver_id.as_deref(), Some("D-9"));
    for id in ["DR-000", "DR-001"] {
        holds(&db, id).await;
    }
});
