//! Changes of chosen rows that are sent again under the same id because their answer was lost: an undo restores
//! the values from before the first request.

use super::*;

on_both!(an_undo_restores_the_driver_from_before_the_first_choice, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(2).await;
    let undo_id = new_id().to_string();
    let assign = async |ids: &[&str], driver: &str, undo_id: &str| {
        let request = AssignDriverRequest {
            delivery_ids: ids.iter().map(|&id| id.to_owned()).collect(),
            driver_id: Some(driver.into()),
            undo_id: undo_id.into(),
        };
        told(office.service().assign_driver(by(Role::Dispatcher, request)).await).unwrap();
    };
    assign(&["DR-000", "DR-001"], "D-2", &undo_id).await;
    // A change under another id lies between the two choices for DR-001.
    assign(&["DR-001"], "D-5", "").await;
    for driver in ["D-3", "D-4", "D-4"] {
        assign(&["DR-000", "DR-001"], driver, &undo_id).await;
    }
    let back = office.undo_all(Role::Dispatcher, &undo_id).await.unwrap();
    assert_eq!(counts(&back), (2, 2, 0));
    assert_eq!(office.get("DR-000").await.driver_id.as_deref(), Some("D-1"));
    assert_eq!(office.get("DR-001").await.driver_id.as_deref(), Some("D-5"));
});

on_both!(dispatch_times_can_be_changed_again_from_the_version_seen_first, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(1).await;
    let undo_id = new_id().to_string();
    let change = async |minutes: i64| {
        let change = DispatchTimeChange {
            delivery_id: "DR-000".into(),
            version: Some(1),
            scheduledatetime: Some(proto::timestamp(at(minutes))),
        };
        let request = ChangeDispatchTimesRequest { changes: vec![change], undo_id: undo_id.clone() };
        let answer = office.service().change_dispatch_times(by(Role::Dispatcher, request)).await;
        let code = told(answer).unwrap().results.remove(0).code;
        (code, office.get("DR-000").await.version)
    };
    for (minutes, version) in [(700, 2), (700, 2), (800, 3), (900, 4)] {
        assert_eq!(change(minutes).await, (String::new(), version), "{minutes}");
    }
    let back = office.undo_all(Role::Dispatcher, &undo_id).await.unwrap();
    assert_eq!(counts(&back), (1, 1, 0));
    assert_eq!(office.get("DR-000").await.scheduledatetime, Some(proto::timestamp(at(0))));
    // The undo changed the delivery, so the version seen first is outdated.
    assert_eq!(change(950).await, ("DELIVERY_CHANGED".to_owned(), 5));
});
