//! What needs the organization's time zone, before the settings service has answered for the first time.

use std::time::Duration;

use axum::body::Body;
use chrono::{DateTime, Utc};
use http::{Request, StatusCode};
use kit::Role;
use proto::drivers::v1::RecordReportsRequest;
use serde_json::json;

use crate::world::{Answer, World};

const DAY: &str = "/driver/v1/deliveries?date=2026-11-30";
const LOCAL: &str = "/?id=phone&lat=14.5&lon=121&timestamp=2026-11-21%2012:00:00";
const INSTANT: &str = "/?id=phone&lat=14.5&lon=121&timestamp=1795233540";

async fn get(world: &World, role: Role, address: &str) -> Answer {
    let bearer = format!("Bearer {}", world.token(role));
    world.get(address, &[("authorization", &bearer)]).await
}

async fn device(world: &World, target: &str) -> Answer {
    World::send_to(&world.devices, Request::get(target).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn what_needs_the_time_zone_waits_until_the_settings_service_has_answered() {
    let world = World::with(|config| config.organization.timezone = "Asia/Manila".to_owned());
    world.stage.office(|it| (it.is_away, it.timezone) = (true, "Europe/Amsterdam".to_owned()));
    let positions = "/export/driver-positions?driverId=drv%2F1&format=csv&\
        from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";
    let day = get(&world, Role::Driver, DAY).await;
    assert_eq!(day.json()["error"]["reason"], "ORGANIZATION_UNKNOWN");
    let export = get(&world, Role::Viewer, "/export/deliveries?format=csv").await;
    let positions = get(&world, Role::Viewer, positions).await;
    let local = device(&world, LOCAL).await;
    for refused in [&day, &export, &positions, &local] {
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{}", refused.text());
        assert_eq!(refused.header("retry-after"), "5");
    }
    assert!(world.stage.calls("access ").is_empty(), "a refused request is not an export");
    assert!(world.stage.calls("device positions").is_empty());
    assert_eq!(device(&world, INSTANT).await.status, StatusCode::OK);

    world.stage.office(|it| it.is_away = false);
    let mut answers = (day, local);
    for _ in 0..400 {
        answers = (get(&world, Role::Driver, DAY).await, device(&world, LOCAL).await);
        if answers.0.status == StatusCode::OK && answers.1.status == StatusCode::OK {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let (day, local) = answers;
    assert_eq!((day.status, local.status), (StatusCode::OK, StatusCode::OK));
    assert_eq!(day.json()["timezone"], json!("Europe/Amsterdam"));
    let asked: RecordReportsRequest = world.stage.asked();
    let at = proto::instant(asked.reports[0].positions[0].occurred_at.unwrap()).unwrap();
    assert_eq!(at, "2026-11-21T11:00:00Z".parse::<DateTime<Utc>>().unwrap());
}
