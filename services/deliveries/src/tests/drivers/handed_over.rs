//! Outcomes and files of deliveries that went to another driver in between.

use super::*;

on_both!(a_repeated_outcome_of_a_lost_delivery_gets_only_what_it_recorded, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let failed = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    let done = office.told_by("D-1", failed.clone()).await.unwrap();
    // The same outcome as another event, which changes nothing.
    let unchanged = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    office.told_by("D-1", unchanged.clone()).await.unwrap();

    office.later(60);
    let again = office.reschedule(Role::Dispatcher, "DR-1", at(120)).await.unwrap();
    let moved = DeliveryHead {
        customeraddress: "7 Rizal Ave, Taguig".into(),
        contact_phone: Some("+63 917 555 0100".into()),
        instructions: Some("Ring twice".into()),
        driver_id: Some("D-2".into()),
        scheduledatetime: again.scheduledatetime,
        ..head("S-1")
    };
    let request = UpdateDeliveryRequest { id: "DR-1".into(), version: again.version, head: Some(moved) };
    told(office.service().update_delivery(by(Role::Dispatcher, request)).await).unwrap();

    let receipt = Delivery {
        id: "DR-1".into(),
        deliverystatus: DeliveryStatus::Undelivered.into(),
        attempt: 1,
        max_attempts: done.max_attempts,
        version: done.version,
        deliverydatetime: Some(proto::timestamp(at(0))),
        scheduledatetime: Some(proto::timestamp(at(0))),
        priority: Priority::Normal.into(),
        scanmode: ScanMode::No.into(),
        ..Delivery::default()
    };
    for event in [&failed, &unchanged] {
        assert_eq!(office.told_by("D-1", event.clone()).await.unwrap(), receipt);
    }
    let new = outcome("DR-1", None, as_expected());
    assert_eq!(of(office.told_by("D-1", new).await), not_yours());
    holds(&db, "DR-1").await;
    // The delivery is shown again when it comes back.
    assert!(office.hand_over(&["DR-1"], "D-1").await.unwrap().results[0].ok);
    let shown = office.told_by("D-1", failed).await.unwrap();
    assert_eq!((shown.attempt, shown.customeraddress.as_str()), (2, "7 Rizal Ave, Taguig"));
});

on_both!(a_repeated_file_of_a_lost_delivery_is_the_same_attachment, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let url = office.upload_photo("D-1", "DR-1").await;
    let added = office.add_photo("D-1", "DR-1", &url).await.unwrap();
    office.hand_over(&["DR-1"], "D-2").await.unwrap();
    assert_eq!(office.add_photo("D-1", "DR-1", &url).await.unwrap(), added);
    assert_eq!(of(office.add_photo("D-3", "DR-1", &url).await), not_yours());
});
