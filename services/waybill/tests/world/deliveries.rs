//! A delivery that several people work on: they watch it live, export it, and import it again.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::browser::Browser;
use crate::harness::World;
use crate::in_both_shapes;

const FILE: &str = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Description,Quantity\n\
    DR-1,S-1,Aling Nena Store,2026-11-20 08:00,1,RICE-25,Rice 25 kg,10\n\
    DR-1,S-1,Aling Nena Store,2026-11-20 08:00,2,OIL-1,\"Oil, \"\"extra\"\"\",2.5\n\
    DR 2/ñ,S-1,=SUM(A1:A9) Trading,2026-11-20 09:30:00.25,10,,@home -1,0.125\n\
    DR-3,-S9,+63 Hardware,2026-11-21 00:00,001,'QUOTED,Line,7\n";

pub type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

/// Opens the live socket of a signed-in screen.
pub async fn connected(browser: &Browser) -> Socket {
    let address = browser.base.replacen("http", "ws", 1);
    let mut request = format!("{address}/graphql").into_client_request().unwrap();
    request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().unwrap());
    let (mut socket, _) = connect_async(request).await.unwrap();
    let authorization = format!("Bearer {}", browser.token.as_deref().unwrap());
    say(&mut socket, json!({ "type": "connection_init", "payload": { "authorization": authorization } }))
        .await;
    assert_eq!(hear(&mut socket).await["type"], "connection_ack");
    socket
}

/// Opens a screen that watches one delivery.
async fn watching(browser: &Browser, id: &str) -> Socket {
    let mut socket = connected(browser).await;
    let query = "subscription S($ids: [String!]) { deliveryChanged(ids: $ids) \
                 { id delivery { version deliverystatus receivedBy } } }";
    let payload = json!({ "query": query, "variables": { "ids": [id] } });
    say(&mut socket, json!({ "type": "subscribe", "id": "1", "payload": payload })).await;
    // Messages are processed in order, so after this response the subscription is active.
    say(&mut socket, json!({ "type": "ping" })).await;
    assert_eq!(hear(&mut socket).await["type"], "pong");
    socket
}

pub async fn say(socket: &mut Socket, message: Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

pub async fn hear(socket: &mut Socket) -> Value {
    let next = async {
        loop {
            if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), next).await.expect("nothing came")
}

async fn record_undelivered(browser: &Browser, id: &str, event: &str) {
    let record =
        "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { deliverystatus version } }";
    let input = json!({
        "deliveryId": id, "clientEventId": event, "status": "Undelivered",
        "outcomeReason": "recipient_absent", "outcomeNote": "Gate was closed",
    });
    let answer = browser.data(record, json!({ "input": input })).await["recordOutcome"].clone();
    assert_eq!(answer["deliverystatus"], "Undelivered");
}

in_both_shapes!(an_open_view_is_told_what_somebody_else_recorded, |world: World| async move {
    let admin = world.admin().await;
    assert_eq!(admin.import("a.csv", FILE).await.created, 4);
    let viewer = admin.signed_in_user("lara", &["viewer"]).await;
    let mut screen = watching(&viewer, "DR 2/ñ").await;
    record_undelivered(&admin, "DR-1", "5a0e0ef4-6a5e-4a0b-8f5e-0a1b2c3d4e01").await;
    record_undelivered(&admin, "dr 2/Ñ", "5a0e0ef4-6a5e-4a0b-8f5e-0a1b2c3d4e02").await;
    let of = |version: i32, status: &str| {
        let delivery = json!({ "version": version, "deliverystatus": status, "receivedBy": null });
        json!({ "id": "DR 2/ñ", "delivery": delivery })
    };
    let mut told = hear(&mut screen).await["payload"]["data"]["deliveryChanged"].clone();
    // Between separate processes, the event of the import may come only now.
    if told == of(1, "Pending") {
        told = hear(&mut screen).await["payload"]["data"]["deliveryChanged"].clone();
    }
    assert_eq!(told, of(2, "Undelivered"), "of the one it shows, and no other");
    world
});

in_both_shapes!(an_export_imported_again_changes_nothing, |world: World| async move {
    let admin = world.admin().await;
    assert_eq!(admin.import("a.csv", FILE).await.created, 4);
    // A delivery that is no longer Pending may be imported again, too, if the file repeats its current data.
    record_undelivered(&admin, "DR-1", "5a0e0ef4-6a5e-4a0b-8f5e-0a1b2c3d4e03").await;
    let before = everything(&admin).await;
    assert!(before.to_string().contains("2026-11-20T01:30:00.250Z"), "a time with a fraction");
    for format in ["csv", "xlsx"] {
        let file = export(&admin, format).await;
        let again = admin.import(&format!("again.{format}"), file).await;
        assert_eq!(
            (again.status.as_str(), again.total, again.skipped, again.created + again.updated + again.failed),
            ("imported", 4, 4, 0),
            "{format}: {again:?}"
        );
        assert_eq!(everything(&admin).await, before, "{format}");
    }
    world
});

async fn export(browser: &Browser, format: &str) -> Vec<u8> {
    let response = browser
        .http
        .get(format!("{}/export/deliveries?format={format}", browser.base))
        .header(AUTHORIZATION, format!("Bearer {}", browser.token.as_deref().unwrap()))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    response.bytes().await.unwrap().to_vec()
}

/// Returns everything that an import could have changed.
async fn everything(browser: &Browser) -> Value {
    let query = "query { deliveries(page: { sort: [{ key: \"id\", direction: asc }] }) { id version deliverystatus \
                 shipmentnumber customername scheduledatetime linecount updatedAt \
                 items { itemNumber sku description quantity } history { toStatus occurredAt } } \
                 customers { customerName } }";
    browser.data(query, json!({})).await
}
