//! Schedules of reports in GraphQL.

use kit::Role;
use proto::settings::v1 as contract;
use serde_json::{Value, json};

use crate::world::{World, first_error};

const ALL: &str = "id reportSettingId cadence weekday monthDay time timeZone recipients format isPaused pausedReason \
                   owner nextAt isSending sentAt sentCount skipped failedAt failure createdAt createdBy updatedAt \
                   updatedBy version";

async fn ask(world: &World, role: Role, query: &str, variables: Value) -> Value {
    let ask = json!({ "query": query, "variables": variables });
    world.graphql(&world.token(role), ask).await.json()
}

#[tokio::test]
async fn a_schedule_comes_out_whole_or_null() {
    let world = World::new();
    let query = format!(
        "{{ a: reportSchedule(reportSettingId: \"r-1\") {{ {ALL} }} b: reportSchedule(reportSettingId: \"r-2\") {{ id }} }}"
    );
    let answer = ask(&world, Role::Admin, &query, json!({})).await;
    assert_eq!(
        answer["data"],
        json!({
            "a": { "id": "s-1", "reportSettingId": "r-1", "cadence": "weekly", "weekday": "friday", "monthDay": null,
                "time": "07:30", "timeZone": "Asia/Manila", "recipients": ["ana", "ben"], "format": "xlsx",
                "isPaused": false, "pausedReason": null, "owner": "maria", "nextAt": "1970-01-01T00:00:03Z",
                "isSending": false, "sentAt": "1970-01-01T00:00:04Z", "sentCount": 2, "skipped": "ben: no account",
                "failedAt": null, "failure": null, "createdAt": "1970-01-01T00:00:01Z", "createdBy": "maria",
                "updatedAt": "1970-01-01T00:00:02Z", "updatedBy": "ana", "version": 7 },
            "b": null,
        })
    );
}

#[tokio::test]
async fn what_is_entered_reaches_the_service() {
    let world = World::new();
    world.stage.turn_mail_on();
    let save = "mutation M($input: SaveReportScheduleInput!) { saveReportSchedule(input: $input) { cadence monthDay } }";
    let form = json!({ "cadence": "monthly", "monthDay": 31, "weekday": "sunday", "time": "06:00", "timeZone": "Etc/UTC",
        "recipients": ["ana"], "format": "csv" });
    let input = json!({ "reportSettingId": "r-1", "version": 7, "schedule": form });
    let answer = ask(&world, Role::Admin, save, json!({ "input": input })).await;
    assert_eq!(
        answer["data"]["saveReportSchedule"],
        json!({ "cadence": "monthly", "monthDay": 31 }),
        "{answer}"
    );
    let content = contract::ReportScheduleInput {
        cadence: contract::ReportCadence::Monthly.into(),
        weekday: 7,
        month_day: 31,
        time: "06:00".into(),
        zone: "Etc/UTC".into(),
        recipients: vec!["ana".into()],
        format: contract::ReportFormat::Csv.into(),
    };
    let asked = world.stage.asked::<contract::SaveReportScheduleRequest>();
    assert_eq!((asked.report_setting_id.as_str(), asked.version, asked.content), ("r-1", 7, Some(content)));

    let pause = "mutation { pauseReportSchedule(input: { reportSettingId: \"r-1\", version: 7, paused: true }) { isPaused nextAt } }";
    let answer = ask(&world, Role::Admin, pause, json!({})).await;
    assert_eq!(answer["data"]["pauseReportSchedule"], json!({ "isPaused": true, "nextAt": null }));
    let send =
        "mutation { sendReport(input: { reportSettingId: \"r-1\", requestId: \"q-1\" }) { isSending } }";
    let answer = ask(&world, Role::Admin, send, json!({})).await;
    assert_eq!(answer["data"]["sendReport"], json!({ "isSending": true }));
    assert_eq!(world.stage.asked::<contract::SendReportRequest>().request_id, "q-1");
    let delete = "mutation { deleteReportSchedule(input: { reportSettingId: \"r-1\", version: 7 }) }";
    let answer = ask(&world, Role::Admin, delete, json!({})).await;
    assert_eq!(answer, json!({ "data": { "deleteReportSchedule": "r-1" } }));
    assert_eq!(world.stage.asked::<contract::DeleteReportScheduleRequest>().version, 7);
}

#[tokio::test]
async fn without_mail_nothing_is_scheduled_or_sent() {
    let world = World::new();
    let send =
        "mutation { sendReport(input: { reportSettingId: \"r-1\", requestId: \"q-1\" }) { isSending } }";
    let save = "mutation { saveReportSchedule(input: { reportSettingId: \"r-1\", version: 0, schedule: { cadence: daily, \
                time: \"07:30\", timeZone: \"Etc/UTC\", recipients: [\"ana\"], format: csv } }) { id } }";
    let resume = "mutation { pauseReportSchedule(input: { reportSettingId: \"r-1\", version: 7, paused: false }) { id } }";
    for query in [send, save, resume] {
        let answer = ask(&world, Role::Admin, query, json!({})).await;
        let (code, text) = first_error(&answer);
        assert_eq!(text, "Email isn't set up for this organization, so reports can't be sent.", "{answer}");
        assert_eq!(answer["errors"][0]["extensions"]["reason"], "MAIL_OFF", "{code}");
        assert_eq!(first_error(&ask(&world, Role::Dispatcher, query, json!({})).await).0, "FORBIDDEN");
    }
    assert!(world.stage.calls("schedule").is_empty());
    let pause = "mutation { pauseReportSchedule(input: { reportSettingId: \"r-1\", version: 7, paused: true }) { id } }";
    assert!(
        ask(&world, Role::Admin, pause, json!({})).await["errors"].is_null(),
        "stopping is always possible"
    );
}
