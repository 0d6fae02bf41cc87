//! The endpoints for Cube clients: formats of tokens, parameters and errors, and the socket.

use std::time::{Duration, Instant};

use futures::{SinkExt, StreamExt};
use http::Method;
use kit::{Kind, Role};
use proto::auth::v1::RecordAccessRequest;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::world::{Answer, World};

const BASE: &str = "/cubejs-api/v1";
const QUERY: &str = r#"{"measures":["Delivery.count"]}"#;

async fn load(world: &World, token: &str) -> Answer {
    let query = form(QUERY);
    world.get(&format!("{BASE}/load?query={query}"), &[("authorization", token)]).await
}

fn form(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    text.bytes().map(|it| if plain(it) { char::from(it).to_string() } else { format!("%{it:02X}") }).collect()
}

fn error(answer: &Answer) -> (u16, String) {
    (answer.status.as_u16(), answer.json()["error"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_query_goes_on_as_it_is_whichever_way_it_comes() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let said =
        |method: &str, query: &str, multi: bool| json!({ "method": method, "query": query, "multi": multi });
    for (path, method) in
        [("load", "load"), ("subscribe", "load"), ("dry-run", "dry-run"), ("sql", "sql"), ("meta", "meta")]
    {
        let headers = [("authorization", token.as_str())];
        let address = format!("{BASE}/{path}?query={}&queryType=multi", form(QUERY));
        let answer = world.get(&address, &headers).await;
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
        assert_eq!(answer.json(), said(method, QUERY, true), "{path}");
        // A query in a body may be an object, a list or a string. If the body is empty, the query in the
        // address is used.
        let posted = async |body: String| world.post(&format!("{BASE}/{path}"), &headers, body).await.json();
        assert_eq!(posted(format!(r#"{{"query":{QUERY}}}"#)).await, said(method, QUERY, false), "{path}");
        let list = format!("[{QUERY}]");
        assert_eq!(
            posted(format!(r#"{{"query":{list},"queryType":"multi","cache":"no-cache"}}"#)).await,
            said(method, &list, true)
        );
        let text = Value::String(QUERY.to_owned()).to_string();
        assert_eq!(posted(format!(r#"{{"query":{text}}}"#)).await, said(method, &text, false));
        assert_eq!(world.post(&address, &headers, "").await.json(), said(method, QUERY, true));
    }
    // The dropdowns of the screens send this format.
    let body = format!(r#"{{"query":{QUERY}}}"#);
    let answer = world.post("/load", &[("authorization", &format!("Bearer {token}"))], body).await;
    assert_eq!(answer.json(), said("load", QUERY, false));
}

#[tokio::test]
async fn a_token_comes_in_each_form_and_without_a_good_one_nobody_is_asked() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    for given in [token.clone(), format!("Bearer {token}"), format!("anything {token}")] {
        assert_eq!(load(&world, &given).await.status, 200, "{given}");
    }
    let own = [("authorization", "Basic of-a-proxy"), ("x-cube-authorization", token.as_str())];
    assert_eq!(world.get(&format!("{BASE}/load?query={}", form(QUERY)), &own).await.status, 200);

    let asked = world.stage.calls("analytics").len();
    for (given, text) in [
        ("null", "Authorization header isn't set"),
        ("undefined", "Authorization header isn't set"),
        ("Bearer null", "Authorization header isn't set"),
        ("made-up", "Invalid token"),
    ] {
        assert_eq!(error(&load(&world, given).await), (403, text.to_owned()), "{given}");
    }
    let without = world.get(&format!("{BASE}/load?query={}", form(QUERY)), &[]).await;
    assert_eq!(error(&without), (403, "Authorization header isn't set".to_owned()));
    // The cookie of a session is not accepted as a token here.
    let cookie = format!("session={}", world.stage.begin(Role::Admin));
    let with_cookie = world.get(&format!("{BASE}/meta"), &[("cookie", &cookie)]).await;
    assert_eq!(with_cookie.status, 403);
    world.stage.end_all();
    world.clock.advance(chrono::Duration::seconds(1));
    assert_eq!(error(&load(&world, &token).await).0, 403, "its session has ended");
    assert_eq!(world.stage.calls("analytics").len(), asked);
}

#[tokio::test]
async fn whoever_lacks_a_right_is_told_which() {
    let world = World::new();
    let driver = world.token(Role::Driver);
    for (path, scope) in [("load", "data"), ("dry-run", "data"), ("sql", "sql"), ("meta", "meta")] {
        let address = format!("{BASE}/{path}?query={}", form(QUERY));
        let answer = world.get(&address, &[("authorization", &driver)]).await;
        assert_eq!(error(&answer), (403, format!("API scope is missing: {scope}")), "{path}");
    }
}

#[tokio::test]
async fn an_error_is_a_text_with_the_status_that_clients_act_on() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let headers = [("authorization", token.as_str())];
    let ask = async |query: &str| world.get(&format!("{BASE}/load?query={}", form(query)), &headers).await;
    assert_eq!(error(&ask("").await), (400, "Query param is required".to_owned()));
    let unknown = ask(r#"{"measures":["Delivery.none"]}"#).await;
    assert_eq!(
        unknown.json(),
        json!({ "type": "UserError", "error": "'none' not found for path 'Delivery.none'" })
    );
    assert_eq!(unknown.status, 400);
    let broken = world.post(&format!("{BASE}/load"), &headers, r#"{"query":"#).await;
    assert!(error(&broken).1.starts_with("Unable to decode query param as JSON, error: "));
    assert_eq!(broken.status, 400);
    let large = world.post(&format!("{BASE}/load"), &headers, vec![b'x'; 400 * 1024]).await;
    assert_eq!(large.status, 413);
    let verb = world.call(Method::DELETE, &format!("{BASE}/load"), &headers, "").await;
    assert_eq!(verb.status, 405);

    for (kind, status, text) in [
        (Kind::FailedPrecondition, 400, "some text"),
        (Kind::RateLimited, 429, "some text"),
        (Kind::Unavailable, 503, "some text"),
        (Kind::Internal, 500, "Error: Something went wrong"),
    ] {
        let answer = ask(&format!(r#"{{"fails":"{kind:?}"}}"#)).await;
        assert_eq!(error(&answer), (status, text.to_owned()), "{kind:?}");
    }
}

#[tokio::test]
async fn a_query_of_the_lab_is_recorded_with_its_text_before_it_is_run() {
    let world = World::new();
    let token = world.token(Role::Admin);
    let long = json!({ "measures": ["Delivery.count"], "filters": [{ "member": "Delivery.trucker", "operator": "equals",
        "values": [r#"\""#.repeat(900)] }] })
    .to_string();
    let ask = async |query: &str, lab: Option<&'static str>| {
        let mut headers = vec![("authorization", token.as_str())];
        headers.extend(lab.map(|it| ("x-query-lab", it)));
        world.post(&format!("{BASE}/load"), &headers, format!(r#"{{"query":{query}}}"#)).await
    };
    let recorded = || {
        let RecordAccessRequest { action, detail_json, .. } = world.stage.asked();
        (action, serde_json::from_str::<Value>(&detail_json).unwrap())
    };
    assert_eq!(ask(QUERY, None).await.status, 200);
    assert!(world.stage.calls("access").is_empty(), "a screen that polls is not recorded");
    let answer = ask(QUERY, Some("1")).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["lab"]), (200, &json!(true)));
    assert_eq!(recorded(), ("analytics.queried".to_owned(), json!({ "query": QUERY })));
    assert_eq!(ask(&long, Some("1")).await.status, 200);
    let (_, detail) = recorded();
    assert!(long.starts_with(detail["query"].as_str().unwrap()));
    assert_eq!(detail["bytes"], long.len());

    let records = world.stage.calls("access").len();
    let again = ask(QUERY, Some("again")).await.json();
    assert_eq!(again["lab"], true, "within the limits of the lab");
    assert_eq!(world.stage.calls("access").len(), records, "and no second run");

    let asked = world.stage.calls("analytics").len();
    world.stage.lose_log(Kind::Unavailable);
    let refused = ask(QUERY, Some("1")).await;
    assert_eq!(refused.status, 503);
    assert!(error(&refused).1.starts_with("Queries are recorded in the audit log"));
    assert_eq!(world.stage.calls("analytics").len(), asked, "and not run");
}

#[tokio::test]
async fn a_saved_query_runs_as_it_is_stored_and_as_one_of_the_lab() {
    let world = World::new();
    let admin = world.token(Role::Admin);
    let ask = async |token: &str, lab: Option<&'static str>, body: Value| {
        let mut headers = vec![("authorization", token)];
        headers.extend(lab.map(|it| ("x-query-lab", it)));
        world.post(&format!("{BASE}/load"), &headers, body.to_string()).await
    };
    // Next to the id, a query sent by the browser is ignored. Without the lab's header, the result is the
    // same.
    let sent = json!({ "savedQuery": "v-1", "query": { "measures": ["Delivery.lateEventCount"] }, "queryType": "multi" });
    let stored = json!({ "method": "load", "query": QUERY, "multi": true, "lab": true });
    for lab in [None, Some("1")] {
        assert_eq!(ask(&admin, lab, sent.clone()).await.json(), stored);
        let RecordAccessRequest { action, entity_id, entity_name, detail_json } = world.stage.asked();
        let detail: Value = serde_json::from_str(&detail_json).unwrap();
        let named = (action.as_str(), entity_id.as_str(), entity_name.as_str());
        assert_eq!((named, detail), (("analytics.queried", "v-1", "By day"), json!({ "query": QUERY })));
    }
    let records = world.stage.calls("access").len();
    assert_eq!(ask(&admin, Some("again"), sent.clone()).await.json(), stored);
    assert_eq!(world.stage.calls("access").len(), records, "asking for its answer again is no second run");
    let in_address = format!("{BASE}/load?savedQuery=v-1&queryType=multi");
    let answer = world.get(&in_address, &[("authorization", admin.as_str())]).await;
    assert_eq!(answer.json(), stored);

    let asked = world.stage.calls("analytics").len();
    let gone = ask(&admin, None, json!({ "savedQuery": "v-2" })).await;
    assert_eq!(error(&gone), (400, "This query is gone.".to_owned()));
    let viewer = ask(&world.token(Role::Viewer), None, sent).await;
    assert_eq!(error(&viewer), (403, "API scope is missing: data".to_owned()));
    assert_eq!(world.stage.calls("analytics").len(), asked, "neither runs anything");
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn connect(address: &str) -> Socket {
    connect_async(format!("ws://{address}{BASE}")).await.unwrap().0
}

async fn say(socket: &mut Socket, message: Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

/// Returns the next message, or the code with which the connection was closed.
async fn hear_or_end(socket: &mut Socket) -> Result<Value, u16> {
    let hearing = async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(text.as_str()).unwrap()),
                Some(Ok(Message::Close(frame))) => return Err(frame.map_or(0, |it| it.code.into())),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(0),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), hearing).await.expect("nothing came")
}

async fn hear(socket: &mut Socket) -> Value {
    hear_or_end(socket).await.expect("the connection was closed")
}

/// Returns the answer to the message with this id.
async fn answer_to(socket: &mut Socket, id: &str) -> Value {
    loop {
        let message = hear(socket).await;
        if message["messageId"] == id {
            return message;
        }
    }
}

/// Returns the code with which the connection is closed.
async fn end(socket: &mut Socket) -> u16 {
    loop {
        if let Err(code) = hear_or_end(socket).await {
            return code;
        }
    }
}

/// Connects and signs in.
async fn signed_in(world: &World, address: &str, role: Role) -> Socket {
    let mut socket = connect(address).await;
    say(&mut socket, json!({ "authorization": world.token(role) })).await;
    assert_eq!(hear(&mut socket).await, json!({ "handshake": true }));
    socket
}

/// Returns a call of this method, with its name as id.
fn asking(method: &str) -> Value {
    json!({ "messageId": method, "method": method, "params": { "query": { "measures": ["Delivery.count"] } } })
}

#[tokio::test]
async fn over_a_socket_nothing_is_answered_before_the_token() {
    let world = World::new();
    let address = world.serve().await;
    let mut socket = connect(&address).await;
    let ask = |id: Value| json!({ "messageId": id, "method": "load", "params": { "query": { "measures": ["Delivery.count"] } } });
    say(&mut socket, ask(json!(1))).await;
    let refused = json!({ "message": { "error": "Not authorized" }, "status": 403, "messageId": 1 });
    assert_eq!(hear(&mut socket).await, refused);
    assert!(world.stage.calls("analytics").is_empty());

    say(&mut socket, json!({ "authorization": world.token(Role::Viewer) })).await;
    assert_eq!(hear(&mut socket).await, json!({ "handshake": true }));
    say(&mut socket, ask(json!("two"))).await;
    let answer = hear(&mut socket).await;
    assert_eq!((&answer["messageId"], &answer["status"]), (&json!("two"), &json!(200)));
    assert_eq!(answer["message"]["query"], QUERY);
    assert_eq!(hear(&mut socket).await, json!({ "messageProcessedId": "two" }));
}

#[tokio::test]
async fn over_a_socket_a_saved_query_runs_as_it_is_stored_and_is_recorded_once() {
    let world = World::new();
    let address = world.serve().await;
    let mut socket = signed_in(&world, &address, Role::Admin).await;
    let ask = |method: &str, id: &str| json!({ "messageId": method, "method": method, "params": { "savedQuery": id } });
    let stored = json!({ "method": "load", "query": QUERY, "multi": false, "lab": true });
    for method in ["load", "subscribe"] {
        let records = world.stage.calls("access").len();
        say(&mut socket, ask(method, "v-1")).await;
        let answer = answer_to(&mut socket, method).await;
        assert_eq!((&answer["status"], &answer["message"]), (&json!(200), &stored), "{method}");
        assert_eq!(world.stage.calls("access").len(), records + 1, "{method}");
    }
    let (asked, records) = (world.stage.calls("analytics").len(), world.stage.calls("access").len());
    world.stage.called("analytics", asked + 1).await;
    assert_eq!(world.stage.calls("access").len(), records, "a check for changes is no run of the person");
    say(&mut socket, ask("load", "v-2")).await;
    let gone = answer_to(&mut socket, "load").await;
    assert_eq!((&gone["status"], &gone["message"]["error"]), (&json!(400), &json!("This query is gone.")));
}

#[tokio::test]
async fn over_a_socket_what_is_no_message_is_refused_and_the_next_one_answered() {
    let world = World::new();
    let address = world.serve().await;
    let mut socket = connect(&address).await;
    say(&mut socket, json!({ "authorization": world.token(Role::Viewer) })).await;
    hear(&mut socket).await;
    let query = json!({ "query": { "measures": ["Delivery.count"] } });
    for (message, text) in [
        (json!([1]), "The message is not JSON of this protocol"),
        (json!({ "method": "load" }), "messageId is required"),
        (json!({ "messageId": { "a": 1 }, "method": "load" }), "messageId is required"),
        (
            json!({ "messageId": 1, "method": "drop" }),
            "Unsupported method. Use load, subscribe, sql, dry-run or meta",
        ),
        (json!({ "messageId": 1, "method": "load" }), "Query param is required"),
    ] {
        say(&mut socket, message.clone()).await;
        let mut answer = hear(&mut socket).await;
        while answer.get("messageProcessedId").is_some() {
            answer = hear(&mut socket).await;
        }
        assert_eq!(
            (&answer["message"]["error"], &answer["status"]),
            (&json!(text), &json!(400)),
            "{message}"
        );
    }
    say(&mut socket, json!({ "messageId": 2, "method": "meta", "params": query })).await;
    let mut answer = hear(&mut socket).await;
    while answer["messageId"] != 2 {
        answer = hear(&mut socket).await;
    }
    assert_eq!(answer["status"], 200);
}

#[tokio::test]
async fn over_a_socket_a_bad_token_is_answered_before_the_client_is_let_go() {
    let world = World::new();
    let address = world.serve().await;
    let mut socket = connect(&address).await;
    say(&mut socket, json!({ "authorization": "made-up" })).await;
    assert_eq!(hear(&mut socket).await, json!({ "message": { "error": "Invalid token" }, "status": 403 }));
    assert!(world.stage.calls("analytics").is_empty());
}

/// Otherwise a stranger could hold the places of clients that have not sent their token yet.
#[tokio::test]
async fn over_a_socket_further_bad_tokens_do_not_put_off_the_end() {
    let world = World::new();
    let address = world.serve().await;
    let mut socket = connect(&address).await;
    let begun = Instant::now();
    for pause in [1_200, 1_200, 1_200, 0] {
        say(&mut socket, json!({ "authorization": "made-up" })).await;
        assert_eq!(hear(&mut socket).await["status"], 403);
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    assert_eq!(end(&mut socket).await, 4401);
    // Five seconds after the first token, not after the last.
    assert!(begun.elapsed() < Duration::from_millis(8_500), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn over_a_socket_nothing_runs_after_the_session_whatever_is_sent_in_between() {
    let world = World::new();
    let address = world.serve().await;
    for bad_tokens in [3, 0] {
        let mut socket = signed_in(&world, &address, Role::Viewer).await;
        say(&mut socket, asking("meta")).await;
        assert_eq!(answer_to(&mut socket, "meta").await["status"], 200);
        let asked = world.stage.calls("analytics").len();
        world.stage.end_all();
        if bad_tokens == 0 {
            // The gateway no longer relies on auth's last answer.
            world.clock.advance(chrono::Duration::seconds(1));
        }
        for _ in 0..bad_tokens {
            say(&mut socket, json!({ "authorization": "made-up" })).await;
        }
        for method in ["load", "sql", "subscribe"] {
            say(&mut socket, asking(method)).await;
            let refused = answer_to(&mut socket, method).await;
            assert_eq!(
                (&refused["status"], &refused["message"]["error"]),
                (&json!(403), &json!("Invalid token"))
            );
        }
        // A token that would be good comes too late on this connection.
        say(&mut socket, json!({ "authorization": world.token(Role::Viewer) })).await;
        assert_eq!(hear(&mut socket).await["status"], 403);
        assert_eq!(world.stage.calls("analytics").len(), asked, "after {bad_tokens} bad tokens");
    }
}

#[tokio::test]
async fn over_a_socket_an_answer_that_is_ready_after_the_session_is_not_sent() {
    let world = World::new();
    let address = world.serve().await;
    let mut socket = signed_in(&world, &address, Role::Viewer).await;
    let held = world.stage.hold("analytics");
    say(&mut socket, asking("load")).await;
    world.stage.called("analytics", 1).await;
    world.stage.end_all();
    world.clock.advance(chrono::Duration::seconds(1));
    drop(held);
    assert_eq!(hear(&mut socket).await, json!({ "message": { "error": "Invalid token" }, "status": 403 }));
}

#[tokio::test]
async fn over_a_socket_an_expired_token_and_an_outage_are_told_apart_from_a_bad_token() {
    let world = World::new();
    let address = world.serve().await;
    let mut old = signed_in(&world, &address, Role::Viewer).await;
    world.clock.advance(chrono::Duration::seconds(301));
    assert_eq!(hear(&mut old).await["status"], 403);

    let mut open = signed_in(&world, &address, Role::Viewer).await;
    world.stage.fail_as(Kind::Unavailable);
    world.clock.advance(chrono::Duration::seconds(1));
    say(&mut open, asking("load")).await;
    let refused = answer_to(&mut open, "load").await;
    let text = "Sign-in is not available right now. Try again in a moment.";
    assert_eq!((&refused["status"], &refused["message"]["error"]), (&json!(503), &json!(text)));
    let mut late = connect(&address).await;
    say(&mut late, json!({ "authorization": world.token(Role::Viewer) })).await;
    assert_eq!(hear(&mut late).await, json!({ "message": { "error": text }, "status": 503 }));
    assert!(world.stage.calls("analytics").is_empty());

    assert_eq!(end(&mut old).await, 4403);
    assert_eq!(end(&mut open).await, 1013);
    assert_eq!(end(&mut late).await, 1013);
}
