//! Which acts are sent to the audit log.

use proto::settings::v1::report_settings_service_server::ReportSettingsService;
use proto::settings::v1::settings_service_server::SettingsService;
use proto::settings::v1::*;
use sea_orm::ConnectionTrait;
use store::testing::acts;

use super::office::*;
use super::*;
use crate::tests::announcements::{content, create, edit, service};
use proto::settings::v1::announcements_service_server::AnnouncementsService;

/// Returns the acts since the last call: action, id, and the values before and after.
async fn new(world: &World, seen: &mut usize) -> Vec<[String; 4]> {
    let all = acts(world.db()).await;
    let new = all[*seen..].iter().map(|(envelope, it)| {
        assert_eq!(envelope.subject, "waybill.settings.audit.recorded.v1");
        assert_eq!((envelope.actor.as_str(), it.address.as_str()), ("admin-1", "192.0.2.7"));
        assert_eq!(envelope.occurred_at, Some(proto::timestamp(world.clock.now())));
        assert_eq!((envelope.aggregate_id.as_str(), it.entity_id.is_empty()), (it.entity_id.as_str(), false));
        let what = format!("{} {} {}", it.action, it.entity, it.entity_name);
        [what, it.entity_id.clone(), it.before_json.clone(), it.after_json.clone()]
    });
    let new = new.collect();
    *seen = all.len();
    new
}

async fn set(world: &World, id: &str, value: &str) {
    let request = UpdateSettingRequest { id: id.into(), value: value.into(), version: None };
    good(world.settings.update_setting(admin(request)).await);
}

fn texts(of: [&str; 4]) -> [String; 4] {
    of.map(str::to_owned)
}

store::on_both!(each_change_of_a_setting_is_one_act, Migrator, |db: Db| async move {
    let (world, mut seen) = (World::start(db).await, 0);
    let id = "delivery-max-attempts";
    set(&world, id, "4").await;
    let name = acts(world.db()).await[0].1.entity_name.clone();
    let what = format!("setting.updated setting {name}");
    let expected = texts([&what, id, r#"{"value":"3"}"#, r#"{"value":"4"}"#]);
    assert_eq!(new(&world, &mut seen).await, [expected]);
    set(&world, id, "4").await;
    let bad = UpdateSettingRequest { id: id.into(), value: "many".into(), version: None };
    refused(world.settings.update_setting(admin(bad)).await);
    assert!(new(&world, &mut seen).await.is_empty(), "nothing changed");
    // For a secret, the entry contains no values, only that it changed.
    let tx = world.db().begin().await.unwrap();
    tx.execute_unprepared("UPDATE setting SET type = 'password' WHERE id = 'organization-name'")
        .await
        .unwrap();
    tx.commit().await.unwrap();
    set(&world, "organization-name", "hunter2").await;
    let act = &new(&world, &mut seen).await[0];
    assert_eq!((act[2].as_str(), act[3].as_str()), ("", r#"{"value":"changed"}"#));
    assert!(!format!("{:?}", acts(world.db()).await).contains("hunter2"));
});

store::on_both!(each_change_of_an_announcement_is_one_act, Migrator, |db: Db| async move {
    let (world, mut seen) = (start(db).await, 0);
    let world = &*world;
    let made = create(world, content(world, "Gate 3")).await;
    let act = new(world, &mut seen).await.pop().unwrap();
    assert_eq!((act[0].as_str(), &act[1]), ("announcement.created announcement Gate 3", &made.id));
    assert_eq!(act[2], "");
    assert_eq!(
        act[3],
        r#"{"audienceRoles":[],"audienceUsers":[],"dismissible":true,"isActive":true,"message":"What Gate 3 is about.","severity":"info","startsAt":"2026-11-21T07:00:00Z","title":"Gate 3"}"#
    );
    let edited = edit(world, &made, |it| it.title = "Gate 4".into()).await;
    let expected = [
        "announcement.updated announcement Gate 4",
        &made.id,
        r#"{"title":"Gate 3"}"#,
        r#"{"title":"Gate 4"}"#,
    ];
    assert_eq!(new(world, &mut seen).await, [texts(expected)]);
    // An edit that changes nothing leaves no entry.
    let edited = edit(world, &edited, |_| {}).await;
    assert!(new(world, &mut seen).await.is_empty());
    for _ in 0..2 {
        let request = DeleteAnnouncementRequest { id: made.id.clone(), version: edited.version };
        good(service(world).delete_announcement(admin(request)).await);
    }
    let act = new(world, &mut seen).await;
    assert_eq!((act.len(), act[0][0].as_str()), (1, "announcement.deleted announcement Gate 4"));
    assert!(act[0][2].contains("Gate 4") && act[0][3].is_empty());
});

store::on_both!(each_change_of_a_report_setting_is_one_act, Migrator, |db: Db| async move {
    let (world, mut seen) = (World::start(db).await, 0);
    let service = crate::rpc::report_settings::Service { shared: Shared { context: world.context.clone() } };
    let content = ReportSettingInput {
        name: "By driver".into(),
        report_key: "drivers".into(),
        columns: vec![ReportColumn {
            member: "Driver.driverName".into(),
            visible: true,
            ..Default::default()
        }],
        range_days: 30,
        format: ReportFormat::Pdf.into(),
        is_active: true,
        ..Default::default()
    };
    let request = CreateReportSettingRequest {
        creation_id: kit::clock::new_id().to_string(),
        content: Some(content.clone()),
    };
    let made = good(service.create_report_setting(admin(request.clone())).await);
    good(service.create_report_setting(admin(request)).await);
    let act = new(&world, &mut seen).await;
    assert_eq!((act.len(), act[0][0].as_str()), (1, "report_setting.created report_setting By driver"));
    let content = ReportSettingInput { range_days: 7, ..content };
    let request =
        UpdateReportSettingRequest { id: made.id.clone(), version: 1, content: Some(content.clone()) };
    good(service.update_report_setting(admin(request)).await);
    let what = "report_setting.updated report_setting By driver";
    let expected = texts([what, &made.id, r#"{"rangeDays":30}"#, r#"{"rangeDays":7}"#]);
    assert_eq!(new(&world, &mut seen).await, [expected]);
    let request = UpdateReportSettingRequest { id: made.id.clone(), version: 2, content: Some(content) };
    good(service.update_report_setting(admin(request)).await);
    assert!(new(&world, &mut seen).await.is_empty(), "saved as it was");
    let request = DeleteReportSettingRequest { id: made.id.clone(), version: 3 };
    good(service.delete_report_setting(admin(request)).await);
    let act = new(&world, &mut seen).await;
    assert_eq!((act.len(), act[0][0].as_str()), (1, "report_setting.deleted report_setting By driver"));
});
