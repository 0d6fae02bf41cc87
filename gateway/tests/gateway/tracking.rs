//! Updates for an open map: which drivers moved, and never more than somebody can read.

use std::time::{Duration, Instant};

use kit::{Kind, Role};
use proto::drivers::v1::ListLocationsRequest;
use serde_json::{Value, json};

use crate::live::{Socket, plain};
use crate::world::World;

const MOVED: &str = "subscription S($ids: [String!], $after: String) { driverPositionsChanged(driverIds: $ids, after: $after) {
    locations { driverId position { lat } } cursor more } }";

/// Subscribes as an office user.
async fn subscriber(world: &World, address: &str, variables: Value) -> Socket {
    let mut socket = plain(address).await;
    socket.init(json!({ "token": world.token(Role::Viewer) })).await;
    assert_eq!(socket.next().await, Ok(json!({ "type": "connection_ack" })));
    socket.subscribe("1", MOVED, variables).await;
    socket
}

/// Returns drivers, cursor, and whether there is more, from the next message.
async fn told(socket: &mut Socket) -> (Vec<String>, String, bool) {
    let message = socket.next().await.expect("it was closed");
    assert!(message["payload"]["errors"].is_null(), "{message}");
    let moved = &message["payload"]["data"]["driverPositionsChanged"];
    let ids = moved["locations"].as_array().unwrap_or_else(|| panic!("{message}")).iter();
    let mut ids: Vec<_> = ids.map(|it| it["driverId"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    (ids, moved["cursor"].as_str().unwrap().to_owned(), moved["more"].as_bool().unwrap())
}

/// Reads up to a cursor; returns the drivers of the last message.
async fn told_up_to(socket: &mut Socket, wanted: &str) -> Vec<String> {
    loop {
        let (ids, cursor, more) = told(socket).await;
        if cursor == wanted && !more {
            return ids;
        }
    }
}

fn polls(world: &World) -> usize {
    world.stage.calls("locations for the gateway").len()
}

/// Waits until the poller has made this many requests.
async fn polled(world: &World, times: usize) {
    for _ in 0..400 {
        if polls(world) >= times {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("nobody asked");
}

/// Waits until there was no request for twice the polling interval.
async fn silence(world: &World) {
    let silent = async {
        loop {
            let before = polls(world);
            tokio::time::sleep(Duration::from_secs(2)).await;
            if polls(world) == before {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), silent).await.expect("somebody still asks");
}

/// Subscribes, and waits until the poller knows all locations, too.
async fn watching(world: &World, address: &str, variables: Value) -> Socket {
    let mut socket = subscriber(world, address, variables).await;
    told(&mut socket).await;
    polled(world, 2).await;
    socket
}

#[tokio::test]
async fn an_open_map_hears_where_all_are_and_then_who_moves() {
    let world = World::new();
    let address = world.serve().await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(polls(&world), 0, "nobody listens");

    world.stage.moves(&["A/1", "B", "C"]);
    let mut socket = subscriber(&world, &address, json!({})).await;
    assert_eq!(told(&mut socket).await, (vec!["A/1".into(), "B".into(), "C".into()], "3".into(), false));
    world.stage.moves(&["B"]);
    // Locations that were already sent may be repeated, but new ones must arrive.
    assert!(told_up_to(&mut socket, "4").await.contains(&"B".to_owned()));
    world.stage.moves(&["C", "A/1", "C"]);
    assert_eq!(told(&mut socket).await, (vec!["A/1".into(), "C".into()], "7".into(), false));

    socket.send(json!({ "type": "complete", "id": "1" })).await;
    assert_eq!(socket.next().await, Ok(json!({ "type": "complete", "id": "1" })));
    silence(&world).await;

    // The poller starts again for the next subscriber.
    world.stage.moves(&["B"]);
    let mut socket = watching(&world, &address, json!({ "after": "8" })).await;
    world.stage.moves(&["D"]);
    assert!(told_up_to(&mut socket, "9").await.contains(&"D".to_owned()));
}

#[tokio::test]
async fn many_maps_ask_no_more_than_one_and_messages_come_at_a_pace() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.moves(&["A", "B"]);
    let mut sockets = Vec::new();
    for _ in 0..5 {
        sockets.push(watching(&world, &address, json!({ "after": "2" })).await);
    }
    let (begun, before) = (Instant::now(), polls(&world));
    for n in 0..30 {
        world.stage.moves(&["A"]);
        tokio::time::sleep(Duration::from_millis(100)).await;
        if n == 29 {
            world.stage.moves(&["B"]);
        }
    }
    for socket in &mut sockets {
        let mut count = 0;
        loop {
            let (ids, ..) = told(socket).await;
            count += 1;
            if ids.contains(&"B".to_owned()) && begun.elapsed() > Duration::from_secs(3) && count > 1 {
                break;
            }
        }
        // One message per second, however busy the machine is.
        let most = begun.elapsed().as_secs() + 3;
        assert!(count <= most, "{count} messages, and {most} at most");
    }
    let seconds = begun.elapsed().as_secs() as usize + 2;
    assert!(polls(&world) - before <= seconds, "{} in {seconds} s", polls(&world) - before);
    assert_eq!(world.stage.calls("locations for staff").len(), 5, "each caught up once");
}

#[tokio::test]
async fn who_comes_back_catches_up_page_by_page_and_goes_on() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.moves(&["A", "B", "C", "D", "E"]);
    world.stage.tracker_page(2);
    let mut socket = subscriber(&world, &address, json!({ "after": "1" })).await;
    assert_eq!(told(&mut socket).await, (vec!["B".into(), "C".into()], "3".into(), true));
    assert_eq!(told(&mut socket).await, (vec!["D".into(), "E".into()], "5".into(), false));
    polled(&world, 4).await;
    world.stage.moves(&["A"]);
    // The poller of this process has read all locations, too.
    assert!(told_up_to(&mut socket, "6").await.contains(&"A".to_owned()));

    let mut again = subscriber(&world, &address, json!({ "after": "6" })).await;
    assert_eq!(told(&mut again).await, (vec![], "6".into(), false), "nothing was missed, said at once");
    world.stage.moves(&["B"]);
    assert_eq!(told(&mut again).await, (vec!["B".into()], "7".into(), false));
}

#[tokio::test]
async fn who_names_drivers_hears_of_no_others() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.moves(&["DRV/1", "B", "C"]);
    let mut socket = watching(&world, &address, json!({ "ids": [" drv/1", "c"], "after": "1" })).await;
    assert_eq!(
        world.stage.calls("locations for staff").len(),
        1,
        "what was missed is asked with the subscriber's own rights"
    );
    for _ in 0..3 {
        world.stage.moves(&["B"]);
    }
    let polls = polls(&world);
    polled(&world, polls + 2).await;
    world.stage.moves(&["Drv/1"]);
    loop {
        let (ids, cursor, _) = told(&mut socket).await;
        assert!(!ids.contains(&"B".to_owned()), "{ids:?}");
        if ids.contains(&"Drv/1".to_owned()) {
            assert_eq!(cursor, "7");
            break;
        }
    }
}

#[tokio::test]
async fn a_driver_and_nonsense_are_refused() {
    let world = World::new();
    let address = world.serve().await;
    let many: Vec<_> = (0..1_001).map(|n| n.to_string()).collect();
    for (role, variables, code) in [
        (Role::Driver, json!({}), "FORBIDDEN"),
        (Role::Viewer, json!({ "ids": many }), "BAD_USER_INPUT"),
        (Role::Viewer, json!({ "ids": [] }), "BAD_USER_INPUT"),
        (Role::Viewer, json!({ "after": "nonsense" }), "BAD_USER_INPUT"),
    ] {
        let mut socket = plain(&address).await;
        socket.init(json!({ "token": world.token(role) })).await;
        socket.next().await.unwrap();
        socket.subscribe("1", MOVED, variables).await;
        let refused = socket.next().await.unwrap();
        assert_eq!(refused["payload"]["errors"][0]["extensions"]["code"], code, "{refused}");
        assert_eq!(socket.next().await, Ok(json!({ "type": "complete", "id": "1" })));
    }
    silence(&world).await;
}

#[tokio::test]
async fn an_open_map_ends_with_its_session() {
    let world = World::new();
    let address = world.serve().await;
    let mut socket = watching(&world, &address, json!({})).await;
    world.stage.end_all();
    let code = loop {
        if let Err(code) = socket.next().await {
            break code;
        }
    };
    assert_eq!(code, 4401);
    silence(&world).await;
}

#[tokio::test]
async fn a_service_that_was_away_is_asked_again() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.moves(&["A"]);
    let mut socket = watching(&world, &address, json!({})).await;
    // A cursor that was refused is not used again.
    for (kind, cursor, id) in [(Kind::Unavailable, "2", "B"), (Kind::InvalidInput, "3", "C")] {
        let before = polls(&world);
        world.stage.tracker_fails(Some(kind));
        // Fewer failures than it takes for a map to get an error.
        polled(&world, before + 1).await;
        world.stage.tracker_fails(None);
        world.stage.moves(&[id]);
        assert!(told_up_to(&mut socket, cursor).await.contains(&id.to_owned()));
    }
    assert_eq!(
        world.stage.asked::<ListLocationsRequest>().driver_ids.len(),
        0,
        "the poller asks for everybody"
    );
}

// An open map must not look live while nobody can read where drivers are.
#[tokio::test]
async fn an_open_map_gets_an_error_while_locations_cannot_be_read() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.moves(&["A"]);
    let mut socket = watching(&world, &address, json!({})).await;
    world.stage.tracker_fails(Some(Kind::Unavailable));
    let failed = async {
        loop {
            let message = socket.next().await.expect("it was closed");
            if message["payload"]["errors"][0]["extensions"]["code"] == "UNAVAILABLE" {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), failed).await.expect("the map got no error");
}
