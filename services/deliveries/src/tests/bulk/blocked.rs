//! Bulk assignments to a driver who is blocked after they were started.

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
