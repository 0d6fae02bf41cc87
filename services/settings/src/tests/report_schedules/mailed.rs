//! Mails that have left when a schedule is paused or deleted, or can no longer be sent.

use super::*;

store::on_both!(mails_that_have_left_are_recorded_once_whatever_follows, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = setting(&world).await.id;
    let made = save(&world, &id, 0, daily()).await;
    move_to(&world, "2026-11-21T23:30:00Z");
    let key = due(&world).await.pop().unwrap();
    let paused = pause(&world, user(Role::Admin), &made, true).await;
    for _ in 0..2 {
        note(&world, &key, ReportResult::Sent, 19, "ben: too late").await;
    }
    let now = get(&world, &id).await.unwrap();
    assert_eq!((now.sent_at, now.sent_count), (stamp("2026-11-21T23:30:00Z"), 19));
    assert_eq!((now.skipped.as_str(), now.paused, now.next_at), ("ben: too late", true, None));

    pause(&world, user(Role::Admin), &paused, false).await;
    move_to(&world, "2026-11-22T23:30:00Z");
    let key = due(&world).await.pop().unwrap();
    note(&world, &key, ReportResult::Paused, 18, "The owner is gone.").await;
    let now = get(&world, &id).await.unwrap();
    assert_eq!(
        (now.paused_reason.as_str(), now.sent_count, now.skipped.as_str()),
        ("The owner is gone.", 18, "")
    );

    pause(&world, user(Role::Admin), &now, false).await;
    move_to(&world, "2026-11-23T23:30:00Z");
    let key = due(&world).await.pop().unwrap();
    note(&world, &key, ReportResult::Failed, 17, "It takes too long.").await;
    let now = get(&world, &id).await.unwrap();
    assert_eq!((now.failure.as_str(), now.sent_count), ("It takes too long.", 17));

    move_to(&world, "2026-11-24T23:30:00Z");
    let key = due(&world).await.pop().unwrap();
    let delete = DeleteReportScheduleRequest { report_setting_id: id.clone(), version: now.version };
    good(service(&world).delete_report_schedule(admin(delete)).await);
    let mailed = MailedReport { report_setting_id: id, name: "Drivers".into(), owner: "maria".into() };
    let result = RecordReportResultRequest {
        key: Some(key),
        result: ReportResult::Sent.into(),
        sent_count: 16,
        mailed: Some(mailed),
        ..Default::default()
    };
    for _ in 0..2 {
        good(service(&world).record_report_result(sender(result.clone())).await);
    }
    let acts = recorded(&world).await.into_iter().filter(|(action, _)| action == "report_mailed");
    let mut sent: Vec<u64> = acts
        .map(|(_, after)| {
            serde_json::from_str::<serde_json::Value>(&after).unwrap()["sent"].as_u64().unwrap()
        })
        .collect();
    sent.sort_unstable();
    assert_eq!(sent, [16, 17, 18, 19]);
});
