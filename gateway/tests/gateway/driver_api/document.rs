//! Calls every operation of the driver API as its OpenAPI document says, three times: without signing in, as an
//! office user, and as a driver. Each response is checked against its schema. A documented operation without a
//! sample here fails.

use http::StatusCode;
use kit::{Kind, Role};
use serde_json::{Value, json};

use super::{EVENTS, at, error, log, noted, outcome, packed, point, refused, schema, told, with};
use crate::stand_ins::PIN;
use crate::world::{Answer, World};

/// Returns a valid body for each operation that takes one.
fn sample(operation: &str, session: &str) -> Option<Value> {
    Some(match operation {
        "POST /driver/v1/login" => json!({ "username": "ramon", "pin": PIN }),
        "POST /driver/v1/token" | "POST /driver/v1/logout" => json!({ "sessionToken": session }),
        "POST /driver/v1/deliveries/{id}/attachment-link" => json!({ "filename": "door.jpg" }),
        "POST /driver/v1/deliveries/{id}/attachments" => {
            json!({ "url": "/objects/proof/x", "kind": "photo", "lat": 14.5, "lng": 121.0, "capturedAt": at(1) })
        }
        "POST /driver/v1/deliveries/{id}/outcome" => outcome(),
        "POST /driver/v1/events" => json!({ "events": [told("D-1", outcome()), noted(log("arrived"))] }),
        "POST /driver/v1/positions" => json!({ "positions": [point()] }),
        "POST /driver/v1/logs" => json!({ "logs": [log("arrived")] }),
        "GET /driver/v1/deliveries"
        | "GET /driver/v1/deliveries/{id}"
        | "GET /driver/v1/reasons"
        | "GET /driver/v1/openapi.json" => return None,
        other => panic!("{other} is documented and nobody calls it here"),
    })
}

/// Returns the operations of the document: verb, path, and definition.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let mut all = Vec::new();
    for (path, verbs) in document["paths"].as_object().unwrap() {
        for (verb, operation) in verbs.as_object().unwrap() {
            all.push((verb.to_uppercase(), path.clone(), operation.clone()));
        }
    }
    assert_eq!(all.len(), 13);
    all
}

/// Checks a response against the operation's definition.
fn hold(document: &Value, operation: &Value, answer: &Answer, about: &str) {
    let status = answer.status.as_str();
    let declared = &operation["responses"][status];
    assert!(declared.is_object(), "{about}: {status} is not declared: {:.300}", answer.text());
    let content = &declared["content"];
    if content.is_null() {
        assert!(answer.body.is_empty(), "{about}: {status} has no body");
        return;
    }
    assert_eq!(answer.header("content-type"), "application/json", "{about}");
    let schema = &content["application/json"]["schema"];
    schema::hold(document, schema, &answer.json(), &format!("{about} {status}"));
}

/// An operation of the document, and the world to call it in.
struct Asked<'a> {
    world: &'a World,
    document: &'a Value,
    verb: String,
    path: String,
    operation: Value,
    name: String,
    address: String,
}

impl Asked<'_> {
    fn session(&self) -> String {
        self.world.stage.begin(Role::Driver)
    }

    async fn call(&self, token: &str, session: &str) -> Answer {
        let body = sample(&self.name, session);
        self.world.ask(&self.verb, &self.address, token, body.as_ref()).await
    }

    fn hold(&self, answer: &Answer, about: &str) {
        hold(self.document, &self.operation, answer, about);
    }

    async fn by_each_caller(&self) {
        let name = &self.name;
        let guarded = self.operation["security"].is_array();
        for (who, token, expected) in [
            ("nobody", String::new(), if guarded { Some(401) } else { None }),
            ("no token of ours", "nonsense".to_owned(), if guarded { Some(401) } else { None }),
            ("a dispatcher", self.world.token(Role::Dispatcher), if guarded { Some(403) } else { None }),
            ("an admin", self.world.token(Role::Admin), if guarded { Some(403) } else { None }),
            ("a driver", self.world.token(Role::Driver), None),
        ] {
            let about = format!("{name} by {who}");
            let answer = self.call(&token, &self.session()).await;
            self.hold(&answer, &about);
            match expected {
                Some(status) => assert_eq!(answer.status.as_u16(), status, "{about}"),
                None => assert!(answer.status.is_success(), "{about}: {}", answer.text()),
            }
        }
    }

    async fn with_each_failure(&self) {
        for (kind, status) in [
            (Kind::NotFound, 404),
            (Kind::AlreadyExists, 409),
            (Kind::InvalidInput, 400),
            (Kind::FailedPrecondition, 409),
            (Kind::Forbidden, 403),
            (Kind::RateLimited, 429),
            (Kind::Unavailable, 503),
            (Kind::Internal, 500),
            (Kind::StorageFull, 507),
        ] {
            let (token, session) = (self.world.token(Role::Driver), self.session());
            // Caches the session before the services begin to fail.
            self.world.ask("GET", "/driver/v1/reasons", &token, None).await;
            self.world.stage.fail_as(kind);
            let answer = self.call(&token, &session).await;
            self.world.stage.heal();
            let about = format!("{} with {kind:?}", self.name);
            self.hold(&answer, &about);
            if self.path == EVENTS {
                let results = &answer.json()["results"];
                assert!(results[0]["ok"] == false && results[1]["ok"] == false, "{about}: {results}");
                continue;
            }
            assert_eq!(answer.status.as_u16(), status, "{about}: {}", answer.text());
            let waits = !answer.header("retry-after").is_empty();
            assert_eq!(waits, [429, 503, 507].contains(&status), "{about}");
        }
    }

    async fn with_each_wrong_body(&self) {
        let Self { world, name, address, .. } = self;
        let (token, good) = (world.token(Role::Driver), sample(name, &self.session()).unwrap());
        for (what, body) in [
            ("a list", json!([good])),
            ("nothing in it", json!({})),
            ("more than is documented", with(good.clone(), "colour", "red")),
            ("text", json!("x")),
        ] {
            let answer = world.ask("POST", address, &token, Some(&body)).await;
            self.hold(&answer, &format!("{name} with {what}"));
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{name} with {what}: {}", answer.text());
        }
        let bearer = format!("Bearer {token}");
        for (headers, body, status) in [
            (vec![("content-type", "text/plain")], good.to_string().into_bytes(), 415),
            (vec![("content-type", "application/json"), ("content-encoding", "br")], vec![], 415),
            (vec![("content-type", "application/json"), ("content-encoding", "gzip")], vec![1, 2, 3], 400),
            (vec![("content-type", "application/json; charset=utf-8")], vec![b' '; 5 << 20], 413),
        ] {
            let headers = [headers, vec![("authorization", bearer.as_str())]].concat();
            let answer = world.post(address, &headers, body).await;
            self.hold(&answer, &format!("{name} {headers:?}"));
            assert_eq!(answer.status.as_u16(), status, "{name}: {}", answer.text());
        }
        // Small when it arrives, too large when decompressed.
        let bomb = packed(&with(good, "bomb", " ".repeat(8 << 20)));
        let headers = [
            ("content-type", "application/json"),
            ("content-encoding", "gzip"),
            ("authorization", bearer.as_str()),
        ];
        let answer = world.post(address, &headers, bomb).await;
        assert_eq!(error(&answer), refused(413, "PAYLOAD_TOO_LARGE", "PAYLOAD_TOO_LARGE"), "{name}");
    }
}

#[tokio::test]
async fn every_operation_answers_as_the_document_says() {
    let world = World::new();
    let document = world.get("/driver/v1/openapi.json", &[]).await.json();
    for (verb, path, operation) in operations(&document) {
        let (name, address) = (format!("{verb} {path}"), path.replace("{id}", "D-1"));
        let asked = Asked { world: &world, document: &document, verb, path, operation, name, address };
        for status in ["400", "401", "403", "404", "409", "413", "415", "429", "500", "503", "504"] {
            let schema = &asked.operation["responses"][status]["content"]["application/json"]["schema"];
            assert_eq!(*schema, json!({ "$ref": "#/components/schemas/Refused" }), "{} {status}", asked.name);
        }
        asked.by_each_caller().await;
        if asked.path.ends_with("openapi.json") {
            continue;
        }
        asked.with_each_failure().await;
        if asked.verb == "POST" {
            asked.with_each_wrong_body().await;
        }
    }
}

/// The code accepts what the document allows, and refuses everything else. Apps rely on this, because they
/// are generated from the document.
#[tokio::test]
async fn the_document_is_as_strict_as_the_code() {
    let world = World::new();
    let document = world.get("/driver/v1/openapi.json", &[]).await.json();
    let mut ids: Vec<_> = operations(&document)
        .iter()
        .map(|(_, _, it)| it["operationId"].as_str().unwrap().to_owned())
        .collect();
    ids.sort_unstable();
    let all = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), all, "each operation has a name of its own: {ids:?}");
    let schema = |name: &str| &document["components"]["schemas"][name];
    assert_eq!(schema("Positions")["properties"]["positions"]["minItems"], 1);
    assert_eq!(schema("Logs")["properties"]["logs"]["minItems"], 1);
    let words = |name: &str| {
        let words = schema(name)["enum"].as_array().unwrap_or_else(|| panic!("{name} has no words"));
        words.iter().map(|word| word.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(words("Activity").contains(&"signature_captured".to_owned()));
    assert!(words("AttachmentKind").contains(&"barcode_image".to_owned()));
    assert_eq!(
        (words("OutcomeType"), words("LogType")),
        (vec!["outcome".to_owned()], vec!["log".to_owned()])
    );
    let again = schema("EventResult").to_string();
    for code in ["UNAVAILABLE", "RATE_LIMITED", "STORAGE_FULL", "INTERNAL"] {
        assert!(again.contains(code), "an event may be sent again after {code}: {again}");
    }
    for entry in ["OutcomeEvent", "LogEvent"] {
        let schema = schema(entry);
        let required = schema["required"].as_array().unwrap();
        assert!(required.contains(&json!("type")), "{entry} has to say what it is: {schema}");
        // The schema must be one object. In an `allOf`, a part that allows no other properties would forbid
        // those of the other parts.
        assert!(schema["properties"]["type"].is_object() && schema["allOf"].is_null(), "{schema}");
    }
}

/// Some languages write whole numbers with a decimal point.
#[tokio::test]
async fn a_whole_number_may_be_written_with_a_point() {
    let world = World::new();
    let token = world.token(Role::Driver);
    for (attempt, status) in [
        (json!(1.0), 200),
        (json!(1), 200),
        (json!(null), 200),
        (json!(1.5), 400),
        (json!(-1.0), 400),
        (json!(4294967296.0), 400),
    ] {
        let body = with(outcome(), "attempt", attempt.clone());
        let answer = world.ask("POST", "/driver/v1/deliveries/D-1/outcome", &token, Some(&body)).await;
        assert_eq!(answer.status.as_u16(), status, "{attempt}: {}", answer.text());
    }
}
