//! Schedules of reports: who changes them, when they are due, and what results do to them.

use proto::settings::v1::report_schedules_service_server::ReportSchedulesService;
use proto::settings::v1::report_settings_service_server::ReportSettingsService;
use proto::settings::v1::*;
use store::testing::acts;

use super::office::*;
use super::*;

mod mailed;

fn service(world: &World) -> crate::rpc::report_schedules::Service {
    crate::rpc::report_schedules::Service { shared: Shared { context: world.context.clone() } }
}

fn settings(world: &World) -> crate::rpc::report_settings::Service {
    crate::rpc::report_settings::Service { shared: Shared { context: world.context.clone() } }
}

/// Returns one of the report settings that are there to begin with.
async fn setting(world: &World) -> ReportSetting {
    let all = settings(world).list_report_settings(admin(ListReportSettingsRequest::default())).await;
    good(all).report_settings.into_iter().find(|it| it.content.as_ref().unwrap().name == "Drivers").unwrap()
}

/// Every day at 07:30 in Manila, which is 23:30 UTC. The world starts at 2026-11-21T08:00:00Z.
fn daily() -> ReportScheduleInput {
    ReportScheduleInput {
        cadence: ReportCadence::Daily.into(),
        time: "07:30".into(),
        zone: "Asia/Manila".into(),
        recipients: vec!["maria".into()],
        format: ReportFormat::Csv.into(),
        ..Default::default()
    }
}

async fn save_as(
    world: &World,
    who: Principal,
    setting: &str,
    version: u64,
    content: ReportScheduleInput,
) -> Result<ReportSchedule, Error> {
    let request =
        SaveReportScheduleRequest { report_setting_id: setting.into(), version, content: Some(content) };
    service(world).save_report_schedule(by(who, request)).await.map(Response::into_inner).map_err(Error::from)
}

async fn save(world: &World, setting: &str, version: u64, content: ReportScheduleInput) -> ReportSchedule {
    save_as(world, user(Role::Admin), setting, version, content).await.unwrap()
}

async fn get(world: &World, setting: &str) -> Result<ReportSchedule, Error> {
    let request = GetReportScheduleRequest { report_setting_id: setting.into() };
    service(world).get_report_schedule(admin(request)).await.map(Response::into_inner).map_err(Error::from)
}

async fn pause(world: &World, who: Principal, it: &ReportSchedule, paused: bool) -> ReportSchedule {
    let request = PauseReportScheduleRequest {
        report_setting_id: it.report_setting_id.clone(),
        version: it.version,
        paused,
    };
    good(service(world).pause_report_schedule(by(who, request)).await)
}

async fn send(world: &World, setting: &str, id: &str) -> Result<ReportSchedule, Error> {
    let request = SendReportRequest { report_setting_id: setting.into(), request_id: id.into() };
    service(world).send_report(admin(request)).await.map(Response::into_inner).map_err(Error::from)
}

fn sender<T>(message: T) -> Request<T> {
    by(Principal::Service { name: "analytics".into() }, message)
}

async fn due(world: &World) -> Vec<DueReportKey> {
    good(service(world).list_due_reports(sender(ListDueReportsRequest {})).await).due
}

async fn occurrences(world: &World) -> Vec<String> {
    due(world).await.into_iter().map(|it| it.occurrence).collect()
}

async fn report(world: &World, key: &DueReportKey) -> Result<DueReport, Error> {
    let request = GetDueReportRequest { key: Some(key.clone()) };
    service(world).get_due_report(sender(request)).await.map(Response::into_inner).map_err(Error::from)
}

async fn note(world: &World, key: &DueReportKey, result: ReportResult, sent_count: u32, text: &str) {
    let request = RecordReportResultRequest {
        key: Some(key.clone()),
        result: result.into(),
        sent_count,
        text: text.into(),
        ..Default::default()
    };
    good(service(world).record_report_result(sender(request)).await);
}

/// Reports that nobody may get the report of this version of the schedule; returns whether that is outdated.
async fn note_paused(world: &World, key: &DueReportKey, version: u64) -> bool {
    let request = RecordReportResultRequest {
        key: Some(key.clone()),
        result: ReportResult::Paused.into(),
        text: "The owner is gone.".into(),
        version,
        ..Default::default()
    };
    good(service(world).record_report_result(sender(request)).await).outdated
}

/// Switches a report setting on or off, or only saves it.
async fn switch(world: &World, it: &ReportSetting, is_active: bool) -> ReportSetting {
    let content = ReportSettingInput { is_active, ..it.content.clone().unwrap() };
    let request =
        UpdateReportSettingRequest { id: it.id.clone(), version: it.version, content: Some(content) };
    good(settings(world).update_report_setting(admin(request)).await)
}

/// Returns the acts on schedules, with their values after.
async fn recorded(world: &World) -> Vec<(String, String)> {
    let all = acts(world.db()).await.into_iter().map(|(_, it)| it);
    let of_schedules = all.filter(|it| it.action.starts_with("report_schedule."));
    of_schedules
        .map(|it| {
            assert_eq!((it.entity.as_str(), it.entity_name.as_str()), ("report_setting", "Drivers"));
            (it.action.trim_start_matches("report_schedule.").to_owned(), it.after_json)
        })
        .collect()
}

/// Returns the acts on schedules in alphabetical order: ids of mailed reports do not follow the time.
async fn actions(world: &World) -> Vec<String> {
    let mut names: Vec<_> = recorded(world).await.into_iter().map(|it| it.0).collect();
    names.sort();
    names
}

fn move_to(world: &World, text: &str) {
    world.clock.advance(at(text) - world.clock.now());
}

fn stamp(text: &str) -> Option<prost_types::Timestamp> {
    Some(proto::timestamp(at(text)))
}

store::on_both!(a_schedule_is_kept_changed_and_deleted, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = setting(&world).await.id;
    assert_eq!(get(&world, &id).await.unwrap_err().reason, "REPORT_SCHEDULE_NOT_FOUND");
    let made = save(&world, &id, 0, daily()).await;
    assert_eq!((made.content.as_ref().unwrap(), made.version, made.paused), (&daily(), 1, false));
    assert_eq!((made.owner.as_str(), made.next_at), ("admin-1", stamp("2026-11-21T23:30:00Z")));
    assert_eq!(get(&world, &id).await.unwrap(), made);
    assert_eq!(save(&world, &id, 0, daily()).await, made, "a repeated request");
    let weekly = ReportScheduleInput { cadence: ReportCadence::Weekly.into(), weekday: 1, ..daily() };
    let error = save_as(&world, user(Role::Admin), &id, 0, weekly.clone()).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "REPORT_SCHEDULE_CHANGED"));
    let saved = save(&world, &id, 1, weekly.clone()).await;
    assert_eq!((saved.version, saved.next_at), (2, stamp("2026-11-22T23:30:00Z")));
    let request = |version| admin(DeleteReportScheduleRequest { report_setting_id: id.clone(), version });
    assert_eq!(
        refused(service(&world).delete_report_schedule(request(1)).await).reason,
        "REPORT_SCHEDULE_CHANGED"
    );
    for _ in 0..2 {
        good(service(&world).delete_report_schedule(request(2)).await);
    }
    let error = save_as(&world, user(Role::Admin), &id, 2, weekly).await.unwrap_err();
    assert_eq!(error.reason, "REPORT_SCHEDULE_NOT_FOUND");
    let actions: Vec<_> = recorded(&world).await.into_iter().map(|(action, _)| action).collect();
    assert_eq!(actions, ["created", "updated", "deleted"]);
});

store::on_both!(a_schedule_goes_with_its_report_setting, Migrator, |db: Db| async move {
    let world = start(db).await;
    let setting = setting(&world).await;
    save(&world, &setting.id, 0, daily()).await;
    let request = DeleteReportSettingRequest { id: setting.id.clone(), version: setting.version };
    good(settings(&world).delete_report_setting(admin(request)).await);
    world.clock.advance(Duration::days(2));
    assert_eq!(due(&world).await, []);
    let error = save_as(&world, user(Role::Admin), &setting.id, 0, daily()).await.unwrap_err();
    assert_eq!(error.reason, "REPORT_SETTING_NOT_FOUND");
});

store::on_both!(it_is_due_at_its_time_and_once, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = setting(&world).await.id;
    save(&world, &id, 0, daily()).await;
    assert_eq!(due(&world).await, []);
    move_to(&world, "2026-11-21T23:30:00Z");
    let key = due(&world).await.pop().unwrap();
    assert_eq!(key.occurrence, "2026-11-21T23:30:00Z");
    let found = report(&world, &key).await.unwrap();
    assert_eq!(found.setting.unwrap().content.unwrap().name, "Drivers");
    assert_eq!((found.at, found.missed), (stamp("2026-11-21T23:30:00Z"), 0));
    assert_eq!(
        (found.owner.as_str(), found.recipients.as_slice()),
        ("admin-1", ["maria".to_owned()].as_slice())
    );
    note(&world, &key, ReportResult::Sent, 1, "ben: no address").await;
    // A repeated result, for instance after a restart, has no effect.
    note(&world, &key, ReportResult::Failed, 0, "again").await;
    assert_eq!(due(&world).await, []);
    assert_eq!(report(&world, &key).await.unwrap_err().reason, "REPORT_NOT_DUE");
    let now = get(&world, &id).await.unwrap();
    assert_eq!((now.sent_count, now.skipped.as_str(), now.failed_at), (1, "ben: no address", None));
    assert_eq!((now.next_at, now.version), (stamp("2026-11-22T23:30:00Z"), 1));
    assert_eq!(actions(&world).await, ["created", "report_mailed"]);
});

store::on_both!(of_missed_occurrences_only_the_newest_is_sent, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = setting(&world).await.id;
    save(&world, &id, 0, daily()).await;
    move_to(&world, "2026-11-21T23:31:00Z");
    let old = due(&world).await.pop().unwrap();
    move_to(&world, "2026-11-25T12:00:00Z");
    let key = due(&world).await.pop().unwrap();
    assert_eq!(key.occurrence, "2026-11-24T23:30:00Z");
    assert_eq!(report(&world, &key).await.unwrap().missed, 3);
    assert_eq!(report(&world, &old).await.unwrap_err().reason, "REPORT_NOT_DUE");
    note(&world, &key, ReportResult::Failed, 0, "The query takes too long.").await;
    let now = get(&world, &id).await.unwrap();
    assert_eq!(
        (now.failure.as_str(), now.failed_at),
        ("The query takes too long.", stamp("2026-11-25T12:00:00Z"))
    );
    assert_eq!(now.next_at, stamp("2026-11-25T23:30:00Z"));
    assert_eq!(recorded(&world).await.len(), 1, "a failure sent nothing to anybody");
});

store::on_both!(what_is_due_stays_due_unless_its_times_change, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = setting(&world).await.id;
    save(&world, &id, 0, daily()).await;
    move_to(&world, "2026-11-22T00:30:00Z");
    let key = due(&world).await.pop().unwrap();
    let more = ReportScheduleInput { recipients: vec!["maria".into(), "ben".into()], ..daily() };
    save(&world, &id, 1, more.clone()).await;
    assert_eq!(occurrences(&world).await, [key.occurrence.as_str()]);
    assert_eq!(report(&world, &key).await.unwrap().recipients, ["maria", "ben"]);
    let saved = save(&world, &id, 2, ReportScheduleInput { time: "07:00".into(), ..more }).await;
    assert_eq!((due(&world).await, saved.next_at), (vec![], stamp("2026-11-22T23:00:00Z")));
});

store::on_both!(a_time_planned_by_a_clock_that_was_ahead_is_planned_anew, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = setting(&world).await.id;
    save(&world, &id, 0, daily()).await;
    for is_saved in [false, true] {
        move_to(&world, "2027-11-21T23:30:00Z");
        let key = due(&world).await.pop().unwrap();
        note(&world, &key, ReportResult::Sent, 1, "").await;
        assert_eq!(get(&world, &id).await.unwrap().next_at, stamp("2027-11-22T23:30:00Z"));
        // The clock is set right.
        move_to(&world, "2026-11-21T09:00:00Z");
        match is_saved {
            true => drop(save(&world, &id, 1, daily()).await),
            false => assert_eq!(due(&world).await, []),
        }
        assert_eq!(get(&world, &id).await.unwrap().next_at, stamp("2026-11-21T23:30:00Z"));
    }
    // A clock that is a little behind sends nothing twice.
    move_to(&world, "2026-11-21T23:30:00Z");
    let key = due(&world).await.pop().unwrap();
    note(&world, &key, ReportResult::Sent, 1, "").await;
    for behind in ["2026-11-21T23:29:00Z", "2026-11-20T09:00:00Z"] {
        move_to(&world, behind);
        assert_eq!(due(&world).await, []);
        assert_eq!(get(&world, &id).await.unwrap().next_at, stamp("2026-11-22T23:30:00Z"), "{behind}");
    }
});

store::on_both!(a_paused_schedule_is_not_due_until_somebody_resumes_it, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = setting(&world).await.id;
    let made = save(&world, &id, 0, daily()).await;
    let paused = pause(&world, user(Role::Admin), &made, true).await;
    assert_eq!((paused.paused, paused.next_at, paused.version), (true, None, 2));
    world.clock.advance(Duration::days(2));
    assert_eq!(due(&world).await, []);
    let other = person("Olga", &[Role::Admin]);
    let resumed = pause(&world, other.clone(), &paused, false).await;
    assert_eq!((resumed.owner.as_str(), resumed.next_at), ("Olga", stamp("2026-11-23T23:30:00Z")));
    assert_eq!(pause(&world, other.clone(), &paused, false).await, resumed, "a repeated request");
    // The product pauses it by itself when nobody may get it.
    world.clock.advance(Duration::days(1));
    let key = due(&world).await.pop().unwrap();
    note(&world, &key, ReportResult::Paused, 0, "No recipient is left.").await;
    let now = get(&world, &id).await.unwrap();
    assert_eq!((now.paused, now.paused_reason.as_str(), now.next_at), (true, "No recipient is left.", None));
    assert_eq!(due(&world).await, []);
    let again = pause(&world, other, &now, false).await;
    assert_eq!((again.paused_reason.as_str(), again.paused), ("", false));
    let acts = recorded(&world).await;
    let names: Vec<_> = acts.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(names, ["created", "paused", "resumed", "schedule_paused", "resumed"]);
    assert_eq!(acts[2].1, r#"{"owner":"Olga","paused":false}"#);
});

store::on_both!(a_request_is_sent_once_also_while_the_schedule_is_paused, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = setting(&world).await.id;
    let made = save(&world, &id, 0, daily()).await;
    pause(&world, user(Role::Admin), &made, true).await;
    let (one, two) = (new_id().to_string(), new_id().to_string());
    assert!(send(&world, &id, &one).await.unwrap().sending);
    assert!(send(&world, &id, &one).await.unwrap().sending);
    let error = send(&world, &id, &two).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "REPORT_BEING_SENT"));
    let key = due(&world).await.pop().unwrap();
    assert_eq!(key.occurrence, format!("now:{one}"));
    assert_eq!(report(&world, &key).await.unwrap().at, stamp("2026-11-21T08:00:00Z"));
    note(&world, &key, ReportResult::Sent, 1, "").await;
    let now = send(&world, &id, &one).await.unwrap();
    assert_eq!((now.sending, now.sent_at), (false, stamp("2026-11-21T08:00:00Z")));
    assert_eq!(due(&world).await, [], "a repeated request sends nothing");
    send(&world, &id, &two).await.unwrap();
    assert_eq!(occurrences(&world).await, [format!("now:{two}")]);
    assert_eq!(
        send(&world, &id, "no id").await.unwrap_err().fields.keys().collect::<Vec<_>>(),
        ["requestId"]
    );
    let names = ["created", "paused", "report_mailed", "send_requested", "send_requested"];
    assert_eq!(actions(&world).await, names);
});

store::on_both!(a_disabled_report_setting_sends_nothing_by_its_schedule, Migrator, |db: Db| async move {
    let world = start(db).await;
    let it = setting(&world).await;
    save(&world, &it.id, 0, daily()).await;
    switch(&world, &it, false).await;
    world.clock.advance(Duration::days(1));
    assert_eq!(due(&world).await, []);
    let request = new_id().to_string();
    send(&world, &it.id, &request).await.unwrap();
    assert_eq!(occurrences(&world).await, [format!("now:{request}")], "somebody wants to see it");
});

store::on_both!(times_that_pass_while_a_report_is_off_are_skipped, Migrator, |db: Db| async move {
    let world = start(db).await;
    let it = setting(&world).await;
    save(&world, &it.id, 0, daily()).await;
    let off = switch(&world, &it, false).await;
    move_to(&world, "2026-11-24T12:00:00Z");
    // Saved while it is off, after times have passed.
    let off = switch(&world, &off, false).await;
    move_to(&world, "2026-11-24T12:01:00Z");
    switch(&world, &off, true).await;
    assert_eq!(due(&world).await, []);
    let now = get(&world, &it.id).await.unwrap();
    assert_eq!((now.next_at, now.version), (stamp("2026-11-24T23:30:00Z"), 1));
    move_to(&world, "2026-11-24T23:30:00Z");
    let key = due(&world).await.pop().unwrap();
    assert_eq!(report(&world, &key).await.unwrap().missed, 0);
});

store::on_both!(what_was_due_before_a_report_was_switched_off_stays_due, Migrator, |db: Db| async move {
    let world = start(db).await;
    let it = setting(&world).await;
    save(&world, &it.id, 0, daily()).await;
    move_to(&world, "2026-11-21T23:31:00Z");
    let key = due(&world).await.pop().unwrap();
    // It is being sent meanwhile.
    let off = switch(&world, &it, false).await;
    assert_eq!(due(&world).await, []);
    world.clock.advance(Duration::minutes(1));
    let on = switch(&world, &off, true).await;
    assert_eq!(occurrences(&world).await, [key.occurrence.as_str()]);
    // Once a newer time has passed while it was off, nothing is sent late.
    let off = switch(&world, &on, false).await;
    world.clock.advance(Duration::days(2));
    switch(&world, &off, true).await;
    assert_eq!(due(&world).await, []);
    assert_eq!(get(&world, &it.id).await.unwrap().next_at, stamp("2026-11-24T23:30:00Z"));
});

store::on_both!(a_paused_schedule_gets_no_time_when_its_report_is_enabled, Migrator, |db: Db| async move {
    let world = start(db).await;
    let it = setting(&world).await;
    let made = save(&world, &it.id, 0, daily()).await;
    let off = switch(&world, &it, false).await;
    let paused = pause(&world, user(Role::Admin), &made, true).await;
    world.clock.advance(Duration::days(2));
    switch(&world, &off, true).await;
    assert_eq!(get(&world, &it.id).await.unwrap(), paused);
});

store::on_both!(
    a_schedule_that_was_changed_is_not_paused_for_its_former_owner,
    Migrator,
    |db: Db| async move {
        let world = start(db).await;
        let id = setting(&world).await.id;
        save(&world, &id, 0, daily()).await;
        move_to(&world, "2026-11-21T23:30:00Z");
        let key = due(&world).await.pop().unwrap();
        let former = report(&world, &key).await.unwrap();
        let saved = save_as(&world, person("Olga", &[Role::Admin]), &id, 1, daily()).await.unwrap();
        assert!(note_paused(&world, &key, former.version).await);
        assert_eq!(get(&world, &id).await.unwrap(), saved);
        let again = report(&world, &key).await.unwrap();
        assert_eq!((again.owner.as_str(), again.version), ("Olga", 2));
        assert!(!note_paused(&world, &key, again.version).await);
        assert!(get(&world, &id).await.unwrap().paused);
        assert!(!note_paused(&world, &key, former.version).await, "it has a result already");
    }
);

store::on_both!(administrators_manage_and_analytics_sends, Migrator, |db: Db| async move {
    let world = start(db).await;
    let service = service(&world);
    for who in others() {
        let kinds = [
            refused(service.get_report_schedule(by(who.clone(), Default::default())).await).kind,
            refused(service.save_report_schedule(by(who.clone(), Default::default())).await).kind,
            refused(service.pause_report_schedule(by(who.clone(), Default::default())).await).kind,
            refused(service.delete_report_schedule(by(who.clone(), Default::default())).await).kind,
            refused(service.send_report(by(who.clone(), Default::default())).await).kind,
            refused(service.list_due_reports(by(who.clone(), Default::default())).await).kind,
            refused(service.get_due_report(by(who.clone(), Default::default())).await).kind,
            refused(service.record_report_result(by(who.clone(), Default::default())).await).kind,
        ];
        assert_eq!(kinds, [Kind::Forbidden; 8], "{who:?}");
    }
    assert_eq!(refused(service.list_due_reports(admin(Default::default())).await).kind, Kind::Forbidden);
    let request = sender(SendReportRequest::default());
    assert_eq!(refused(service.send_report(request).await).kind, Kind::Forbidden);
});
