//! GraphQL: transport, access, mapping of errors and values.

use http::Method;
use kit::{Error, Kind, Role};
use serde_json::{Value, json};
use tonic::Status;

use crate::world::{World, first_error};

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn nobody_signed_in_is_no_error() {
    let world = World::new();
    let query = "query __REDWOOD__AUTH_GET_CURRENT_USER { redwood { currentUser version } }";
    let answer = world.query("", query).await;
    assert!(answer["errors"].is_null());
    assert_eq!(answer["data"]["redwood"]["currentUser"], json!(null));
    assert!(!answer["data"]["redwood"]["version"].as_str().unwrap().is_empty());
    let needed = world.query("", "{ adminNeeded { needed setupTokenNeeded } }").await;
    assert_eq!(needed["data"]["adminNeeded"], json!({ "needed": true, "setupTokenNeeded": false }));
}

#[tokio::test]
async fn the_current_user_carries_roles_news_and_organization() {
    let world = World::new();
    let answer = world.query(&world.token(Role::Dispatcher), "{ redwood { currentUser __typename } }").await;
    let mut user = answer["data"]["redwood"]["currentUser"].clone();
    // `current_user` tests the content of these two objects.
    for rules in ["settings", "tracking"] {
        assert!(user.as_object_mut().unwrap().remove(rules).is_some_and(|it| it.is_object()), "{rules}");
    }
    assert_eq!(
        user,
        json!({
            "id": "u1", "username": "maria", "displayName": "Maria Clara", "email": "maria@example.com",
            "roles": ["dispatcher"], "news": [], "organization": { "name": "Waybill", "timezone": "Asia/Manila" },
            "map": { "styleUrl": "", "tileUrl": "", "attribution": "" },
        })
    );
    world.stage.fail_as(Kind::Unavailable);
    let down = world.query(&world.token(Role::Admin), "{ redwood { currentUser } }").await;
    assert_eq!(first_error(&down).0, "UNAVAILABLE", "not knowing is not being signed out");
}

#[tokio::test]
async fn the_first_account_is_made_without_signing_in() {
    let world = World::new();
    let query = "mutation CreateAdmin($input: CreateAdminInput!) { createAdmin(input: $input) { id username email roles } }";
    let ask = |password: &str| json!({ "operationName": "CreateAdmin", "query": query, "variables": { "input": { "username": "ana", "email": "a@b.c", "password": password } } });
    let made = world.graphql("", ask("long enough")).await;
    assert_eq!(made.json()["data"]["createAdmin"]["username"], "ana");
    assert!(made.cookies().is_empty(), "nobody is signed in by it");

    let refused = world.graphql("", ask("short")).await;
    assert_eq!(refused.status, 200);
    let error = &refused.json()["errors"][0];
    assert_eq!(error["extensions"]["code"], "BAD_USER_INPUT");
    assert_eq!(error["extensions"]["reason"], "INVALID_FIELDS");
    assert_eq!(
        error["extensions"]["properties"]["messages"],
        json!({ "email": ["Email must be present"], "password": ["Password must have at least 8 characters"] })
    );
    assert!(!refused.text().contains("short"), "the password is not echoed");
}

#[tokio::test]
async fn each_kind_of_error_has_its_code() {
    let world = World::new();
    let token = world.token(Role::Admin);
    let query = "{ deliveriesCount { total } }";
    for (kind, code) in [
        (Kind::NotFound, "NOT_FOUND"),
        (Kind::AlreadyExists, "BAD_USER_INPUT"),
        (Kind::InvalidInput, "BAD_USER_INPUT"),
        (Kind::FailedPrecondition, "FAILED_PRECONDITION"),
        (Kind::Unauthenticated, "UNAUTHENTICATED"),
        (Kind::Forbidden, "FORBIDDEN"),
        (Kind::RateLimited, "RATE_LIMITED"),
        (Kind::Unavailable, "UNAVAILABLE"),
        (Kind::Internal, "INTERNAL"),
    ] {
        world.stage.heal();
        world.query(&token, "{ redwood { currentUser } }").await;
        world.stage.fail_as(kind);
        let answer = world.graphql(&token, json!({ "query": query })).await;
        let error = &answer.json()["errors"][0];
        assert_eq!(
            (answer.status.as_u16(), error["extensions"]["code"].as_str()),
            (200, Some(code)),
            "{error}"
        );
        assert_eq!(error["extensions"]["properties"]["messages"], json!({ "name": ["is taken"] }));
        assert_eq!(error["extensions"]["reason"], "SOME_REASON");
        assert!(!answer.text().contains("inner"), "the source stays inside");
        match kind {
            Kind::Internal => {
                assert_eq!(error["message"], "Something went wrong");
                assert_eq!(error["extensions"]["requestId"], answer.header("x-request-id"));
            }
            Kind::Unauthenticated => assert_eq!(error["message"], "You don't have permission to do that."),
            _ => assert_eq!(error["message"], "some text"),
        }
    }
    world.stage.fail(|| Status::permission_denied("policy 17 of the mesh"));
    let foreign = world.query(&token, query).await;
    assert_eq!(first_error(&foreign), ("FORBIDDEN".into(), "You don't have access to do that.".into()));
}

#[tokio::test]
async fn a_value_the_contract_does_not_know_is_an_internal_error() {
    let world = World::new();
    world.stage.turn_strange();
    let answer = world.query(&world.token(Role::Admin), "{ deliveries { id deliverystatus } }").await;
    assert_eq!(first_error(&answer), ("INTERNAL".into(), "Something went wrong".into()));
}

#[tokio::test]
async fn values_come_out_in_the_words_of_the_product() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let query = r#"{ delivery(id: "d-1") { id deliverystatus scanmode priority scheduledatetime deliverydatetime driverId
        version items { itemNumber quantity weightKg sku } history { toStatus fromStatus occurredAt }
        shipment { shipmentnumber shipmentstatus } customer { customerName customerAddress } source { id } } }"#;
    let answer = world.query(&token, query).await;
    let delivery = &answer["data"]["delivery"];
    assert_eq!(delivery["id"], "D-1");
    assert_eq!(delivery["deliverystatus"], "Complete_No_Variance");
    assert_eq!((&delivery["scanmode"], &delivery["priority"]), (&json!("Yes"), &json!("high")));
    assert_eq!(delivery["scheduledatetime"], "2027-01-15T08:00:00Z");
    assert_eq!((&delivery["deliverydatetime"], &delivery["driverId"]), (&Value::Null, &Value::Null));
    assert_eq!(delivery["version"], 7);
    assert_eq!(
        delivery["items"][1],
        json!({ "itemNumber": "2", "quantity": 2.5, "weightKg": 1.25, "sku": null })
    );
    assert_eq!(
        delivery["history"][0],
        json!({ "toStatus": "Pending", "fromStatus": null, "occurredAt": "1970-01-01T00:00:01Z" })
    );
    assert_eq!(delivery["shipment"], json!({ "shipmentnumber": "shp-1", "shipmentstatus": "Partial" }));
    assert_eq!(delivery["customer"], json!({ "customerName": "Customer 1", "customerAddress": null }));
    assert_eq!(delivery["source"], Value::Null);
    let none = world.query(&token, r#"{ delivery(id: "x") { id } uploadLog(id: "x") { id } }"#).await;
    assert_eq!(none, json!({ "data": { "delivery": null, "uploadLog": null } }));
    let uploads = world.query(&token, r#"{ uploadLog(id: "log-1") { status sizeBytes startedAt warnings headings columns { heading reading } }
        uploadWarnings(uploadLog: "log-1") { number line column code text }
        uploadRows(uploadLog: "log-1") { rowNumber cells corrections { column value } messages { column code text } } uploadRowsCount(uploadLog: "log-1") { total exact } }"#).await;
    assert_eq!(
        uploads["data"]["uploadLog"],
        json!({
            "status": "imported_with_errors", "sizeBytes": 5e9, "startedAt": null, "warnings": 1,
            "headings": ["Delivery Doc", "Qty"], "columns": [{ "heading": "Qty", "reading": "decimal_comma" }],
        })
    );
    assert_eq!(
        uploads["data"]["uploadWarnings"],
        json!([{ "number": 0, "line": 3, "column": "Plate", "code": "HEADING_NOT_USED", "text": "is not used" }])
    );
    assert_eq!(uploads["data"]["uploadRows"][0]["cells"], json!(["D-1", "ten"]));
    let corrections = json!([{ "column": 1, "value": "10" }]);
    assert_eq!(uploads["data"]["uploadRows"][0]["corrections"], corrections);
    assert_eq!(
        uploads["data"]["uploadRows"][0]["messages"][0],
        json!({ "column": "Qty", "code": "NUMBER", "text": "is no number" })
    );
}

#[tokio::test]
async fn pages_reach_the_service_as_they_were_asked() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    world.query(&token, "{ deliveries { id } }").await;
    assert_eq!((world.stage.last_page().limit, world.stage.last_page().offset), (25, 0));
    let query = "query Q($page: PageOptions) { deliveries(page: $page) { id } }";
    let page = json!({
        "where": [{ "key": "trucker", "operator": "!contains", "values": ["a", "b"] }],
        "sort": [{ "key": "id", "direction": "desc" }], "offset": 50,
    });
    let answer = world.graphql(&token, json!({ "query": query, "variables": { "page": page } })).await;
    assert_eq!(answer.json()["data"]["deliveries"].as_array().unwrap().len(), 25);
    let asked = world.stage.last_page();
    assert_eq!((asked.limit, asked.offset), (25, 50));
    assert_eq!(asked.r#where[0].operator, "!contains");
    assert_eq!(asked.r#where[0].values, ["a", "b"]);
    assert_eq!((asked.sort[0].key.as_str(), asked.sort[0].direction), ("id", 2));
    for (page, field) in [("{limit: 0}", "limit"), ("{limit: -1}", "limit"), ("{offset: -1}", "offset")] {
        let answer = world.query(&token, &format!("{{ deliveries(page: {page}) {{ id }} }}")).await;
        assert_eq!(first_error(&answer).0, "BAD_USER_INPUT");
        assert!(answer["errors"][0]["extensions"]["properties"]["messages"][field].is_array(), "{answer}");
    }
    let truckers = async |page: &str| {
        world.query(&token, &format!(r#"{{ getTruckerDrilldown(startsWith: "H", page: {page}) }}"#)).await
    };
    let found = truckers("{limit: 7, offset: 14}").await;
    assert_eq!(found["data"]["getTruckerDrilldown"], json!(["H: 7 from 14"]));
    for (page, field) in [
        (r#"{where: [{key: "trucker", operator: "contains", values: ["a"]}]}"#, "where"),
        (r#"{sort: [{key: "trucker", direction: desc}]}"#, "sort"),
    ] {
        let answer = truckers(page).await;
        assert!(answer["errors"][0]["extensions"]["properties"]["messages"][field].is_array(), "{answer}");
    }
}

#[tokio::test]
async fn only_json_is_taken() {
    let world = World::new();
    let body = json!({ "query": "{ redwood { version } }" }).to_string();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/graphql",
        "",
    ] {
        let answer = world.post("/graphql", &[("content-type", kind)], body.clone()).await;
        assert_eq!(answer.status, 415, "{kind}");
        assert!(answer.json()["errors"][0]["message"].is_string());
    }
    assert_eq!(world.post("/graphql", &[], body.clone()).await.status, 415);
    let answer = world.post("/graphql", &[("content-type", "Application/JSON; charset=utf-8")], body).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn what_is_no_request_is_400_and_what_is_no_document_200() {
    let world = World::new();
    for body in [
        "{",
        "[]",
        "",
        "null",
        "{}",
        r#"{"query":1}"#,
        r#"{"query":null}"#,
        r#"["{redwood{version}}"]"#,
        r#"[{"query":"{redwood{version}}"}]"#,
        r#"{"query":"{redwood{version}}","variables":[]}"#,
    ] {
        let answer = world.post("/graphql", &[JSON], body).await;
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(first_error(&answer.json()).0, "BAD_USER_INPUT", "{body}");
    }
    for (query, code) in [
        ("{", "GRAPHQL_PARSE_FAILED"),
        ("", "GRAPHQL_PARSE_FAILED"),
        ("{ noSuchField }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ delivery { id } }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ redwood }", "GRAPHQL_VALIDATION_FAILED"),
    ] {
        assert_eq!(first_error(&world.query("", query).await).0, code, "{query}");
    }
    let persisted = json!({ "extensions": { "persistedQuery": { "version": 1, "sha256Hash": "00" } } });
    let answer = world.graphql("", persisted).await;
    assert_eq!(
        (answer.status.as_u16(), first_error(&answer.json()).0.as_str()),
        (200, "PERSISTED_QUERY_NOT_SUPPORTED")
    );
    let null =
        json!({ "operationName": null, "variables": null, "extensions": null, "query": "{ __typename }" });
    assert_eq!(world.graphql("", null).await.json()["data"]["__typename"], "Query");
}

#[tokio::test]
async fn names_are_not_suggested_and_the_schema_is_not_told() {
    let world = World::new();
    let text = first_error(&world.query("", "{ deliverie { id } }").await).1;
    assert!(!text.contains("Did you mean"), "{text}");
    let text = first_error(&world.query("", "{ deliveries(pag: 1) { id } }").await).1;
    assert!(!text.contains("Did you mean"), "{text}");
    for query in ["{ __schema { types { name } } }", r#"{ __type(name: "Delivery") { name } }"#] {
        let answer = world.query("", query).await;
        assert_eq!(first_error(&answer).0, "GRAPHQL_VALIDATION_FAILED");
        assert!(answer["data"].is_null());
    }
    let open = World::with(|config| config.graphql.introspection = true);
    let answer = open
        .query(
            "",
            "{ __schema { types { fields { type { ofType { ofType { ofType { ofType { name } } } } } } } } }",
        )
        .await;
    assert!(answer["errors"].is_null(), "{answer}");
}

#[tokio::test]
async fn other_verbs_find_nothing() {
    let world = World::new();
    assert_eq!(world.get("/graphql", &[]).await.status, 404);
    assert!(world.get("/graphql?query={__typename}", &[]).await.json()["errors"].is_array());
    let answer = world.call(Method::PUT, "/graphql", &[JSON], "{}").await;
    assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "GET, POST"));
    assert!(answer.json()["errors"].is_array());
}

#[tokio::test]
async fn a_failed_field_that_may_be_null_leaves_the_others() {
    let world = World::new();
    let token = world.token(Role::Admin);
    world.query(&token, "{ redwood { currentUser } }").await;
    world.stage.fail(|| Error::unavailable("DOWN", "down").into());
    let answer = world.query(&token, r#"{ delivery(id: "D-1") { id } redwood { version } }"#).await;
    assert_eq!(answer["data"]["delivery"], Value::Null);
    assert!(answer["data"]["redwood"]["version"].is_string());
    assert_eq!(first_error(&answer).0, "UNAVAILABLE");
}
