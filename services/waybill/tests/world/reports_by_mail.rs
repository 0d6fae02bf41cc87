//! A saved report is scheduled, and arrives in the mailbox of its recipients with its file.

use kit::clock::new_id;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{PUBLIC_URL, Settings, World, until};
use crate::in_both_shapes;
use crate::resets::mailed_user;

const SCHEDULE: &str = "query Q($id: String!) { reportSchedule(reportSettingId: $id) { isPaused pausedReason owner \
                        isSending sentAt sentCount skipped failure nextAt version } }";

async fn schedule(admin: &Browser, id: &Value) -> Value {
    admin.data(SCHEDULE, json!({ "id": id })).await["reportSchedule"].clone()
}

async fn act(browser: &Browser, name: &str, input: Value) -> Value {
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let mutation = format!("mutation M($input: {kind}!) {{ {name}(input: $input) {{ version }} }}");
    browser.graphql(&mutation, json!({ "input": input })).await
}

/// Creates a delivery and a report that counts deliveries by customer; returns the report setting's id.
async fn report(world: &World, admin: &Browser) -> Value {
    let create = "mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }";
    let at = world.clock.now().to_rfc3339();
    let input = json!({ "id": "DR-1", "shipmentnumber": "S-1", "customername": "Åsa & Söhne", "scheduledatetime": at,
                        "items": [{ "itemNumber": "1", "quantity": 5.0 }] });
    admin.data(create, json!({ "input": input })).await;
    let column = |member: &str| json!({ "member": member, "label": "", "visible": true });
    let form = json!({ "name": "Lieferungen nach Größe", "reportKey": "deliveries", "format": "csv", "isActive": true,
                       "rangeDays": 7, "defaultFilters": [], "groupBy": [], "sort": [],
                       "columns": [column("CustomerReport.customername"), column("Delivery.count")] });
    let create =
        "mutation M($input: CreateReportSettingInput!) { createReportSetting(input: $input) { id } }";
    let input = json!({ "creationId": new_id(), "reportSetting": form });
    let id = admin.data(create, json!({ "input": input })).await["createReportSetting"]["id"].clone();
    // Analytics has the delivery before the report is sent.
    let load = json!({ "query": { "measures": ["Delivery.count"] } });
    until("the delivery is counted", || async {
        let answer = admin.post("/cubejs-api/v1/load", load.clone()).await;
        let answer: Value = answer.json().await.unwrap();
        answer["data"][0]["Delivery.count"] == "1"
    })
    .await;
    id
}

in_both_shapes!(
    a_report_arrives_by_mail_with_its_file,
    |it: &mut Settings| {
        it.hold_time();
        it.send_mail();
    },
    |world: World| async move {
        let admin = world.admin().await;
        let vera = mailed_user(&world, &admin, "vera", &["viewer"]).await;
        mailed_user(&world, &admin, "olga", &[]).await;
        let id = report(&world, &admin).await;
        let form = json!({ "cadence": "daily", "time": "07:30", "timeZone": "Asia/Manila", "format": "csv",
                           "recipients": ["Vera", "olga"] });
        let input = json!({ "reportSettingId": id, "version": 0, "schedule": form });
        assert_eq!(
            act(&vera, "saveReportSchedule", input.clone()).await["errors"][0]["extensions"]["code"],
            "FORBIDDEN"
        );
        assert!(act(&admin, "saveReportSchedule", input).await["errors"].is_null());

        let before = world.mailbox.letters().len();
        let send = json!({ "reportSettingId": id, "requestId": new_id() });
        for _ in 0..2 {
            assert!(act(&admin, "sendReport", send.clone()).await["errors"].is_null());
        }
        let letter = world.mailbox.wait_for(before + 1).await[before].clone();
        assert_eq!(letter.to, "vera@example.ph");
        let id_text = id.as_str().unwrap();
        assert!(letter.text.contains(&format!("{PUBLIC_URL}/report?setting={id_text}\n")), "{}", letter.text);
        let (name, file) = letter.attachment();
        assert!(name.starts_with("filename*0*=utf-8''Lieferungen%20nach%20Gr%C3%B6%C3%9Fe"), "{name}");
        let file = String::from_utf8(file).unwrap();
        assert_eq!(file, "\u{feff}Customer Name,Deliveries\r\nÅsa & Söhne,1\r\n");
        until("the result is noted", || async { schedule(&admin, &id).await["isSending"] == false }).await;
        let now = schedule(&admin, &id).await;
        assert_eq!((&now["sentCount"], &now["owner"]), (&json!(1), &json!("admin")), "{now}");
        assert!(now["skipped"].as_str().unwrap().starts_with("olga: no active account"), "{now}");

        // The planned time comes, and again while nobody looked for days: one mail.
        world.clock.advance(chrono::Duration::days(3));
        let letters = world.mailbox.wait_for(before + 2).await;
        assert!(
            letters[before + 1].text.contains("2 earlier times were skipped"),
            "{}",
            letters[before + 1].text
        );
        world.settle().await;
        assert_eq!(world.mailbox.letters().len(), before + 2, "the repeated request sent nothing");
        world
    }
);

in_both_shapes!(without_mail_nothing_can_be_scheduled, |world: World| async move {
    let admin = world.admin().await;
    let form = json!({ "cadence": "daily", "time": "07:30", "timeZone": "Asia/Manila", "format": "csv",
                       "recipients": ["admin"] });
    let id = admin.data("{ reportSettings { id } }", json!({})).await["reportSettings"][0]["id"].clone();
    let input = json!({ "reportSettingId": id, "version": 0, "schedule": form });
    assert_eq!(
        act(&admin, "saveReportSchedule", input).await["errors"][0]["extensions"]["reason"],
        "MAIL_OFF"
    );
    world
});
