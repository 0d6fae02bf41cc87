//! Each limit of a GraphQL document, through the public port and with the configured limits.

use kit::Role;
use serde_json::json;

use crate::world::{World, first_error};

async fn refused(world: &World, query: &str, part: &str) {
    let (code, text) = first_error(&world.query(&world.token(Role::Admin), query).await);
    assert_eq!(code, "GRAPHQL_VALIDATION_FAILED", "{query}: {text}");
    assert!(text.contains(part), "{query}: {text}");
    assert_eq!(world.stage.calls("list").len(), 0, "nothing was asked for");
}

#[tokio::test]
async fn each_limit_is_refused_with_a_code() {
    let world = World::new();
    let many = |n: usize, piece: &dyn Fn(usize) -> String| (0..n).map(piece).collect::<Vec<_>>().join(" ");
    refused(&world, "{ a { a { a { a { a { a { a { a { a } } } } } } } } }", "more than 8 levels").await;
    let roots = many(11, &|n| format!("a{n}"));
    refused(&world, &format!("{{ {roots} }}"), "more than 10 fields").await;
    let aliases = many(16, &|n| format!("x{n}: id"));
    refused(&world, &format!("{{ deliveries {{ {aliases} }} }}"), "more than 15 aliases").await;
    let directives = many(21, &|n| format!("x{n} @include(if: true)"));
    refused(&world, &format!("{{ deliveries {{ {directives} }} }}"), "more than 20 directives").await;
    let tokens = many(2001, &|_| "id".into());
    refused(&world, &format!("{{ deliveries {{ {tokens} }} }}"), "more than 2000 tokens").await;
    refused(&world, "query A { redwood { version } } query B { redwood { version } }", "one operation").await;
    refused(
        &world,
        "{ deliveries(page: {limit: 100}) { id items { itemNumber sku description unit quantity } } }",
        "too complex",
    )
    .await;
    refused(&world, "{ deliveries(page: {limit: 2147483647}) { id version } }", "too complex").await;
    refused(&world, "{ deliveries { ...F } } fragment F on Delivery { id ...F }", "contains itself").await;
}

#[tokio::test]
async fn complexity_counts_the_limit_of_variables_too() {
    let world = World::new();
    let token = world.token(Role::Admin);
    let query = "query Q($page: PageOptions) { deliveries(page: $page) { id items { itemNumber sku description unit quantity } } }";
    for (limit, fits) in [(25, true), (100, false)] {
        let answer = world
            .graphql(&token, json!({ "query": query, "variables": { "page": { "limit": limit } } }))
            .await;
        assert_eq!(answer.json()["errors"].is_null(), fits, "{limit}");
    }
    let default = world.graphql(&token, json!({ "query": query })).await;
    assert!(default.json()["errors"].is_null());
}

/// The cost of deliveries depends on their lines: a page of long deliveries would be a hundred thousand
/// objects, and a short GraphQL document can ask for it.
#[tokio::test]
async fn a_request_reads_a_bounded_number_of_lines() {
    let world = World::new();
    let query = "query Q($limit: Int!) { deliveries(page: {limit: $limit}) { items { itemNumber } } }";
    let ask = |limit: u32| json!({ "query": query, "variables": { "limit": limit } });
    let token = world.token(Role::Viewer);
    world.stage.lines_each(1_000);
    let refused = world.graphql(&token, ask(11)).await.json();
    let (code, text) = first_error(&refused);
    assert_eq!(code, "BAD_USER_INPUT", "{text}");
    assert!(text.contains("10000 lines"), "{text}");
    let answer = world.graphql(&token, ask(10)).await.json();
    assert!(answer["errors"].is_null(), "{answer}");
    // A single delivery is always read completely.
    world.stage.lines_each(20_000);
    let answer = world.graphql(&token, ask(1)).await.json();
    assert!(answer["errors"].is_null(), "{answer}");
}

/// Large input, such as thousands of counted lines, is in variables; the GraphQL document itself stays small.
#[tokio::test]
async fn a_large_document_is_refused_and_large_values_are_not() {
    let world = World::new();
    let values = json!({ "query": "{ redwood { version } }", "variables": { "x": "y".repeat(600_000) } });
    let answer = world.graphql("", values).await;
    assert!(answer.json()["errors"].is_null());
    let query = format!("{{ redwood {{ version }} }} # {}", "y".repeat(66_000));
    let (code, text) = first_error(&world.graphql("", json!({ "query": query })).await.json());
    assert_eq!(code, "GRAPHQL_VALIDATION_FAILED");
    assert!(text.contains("65536 bytes"), "{text}");
}

#[tokio::test]
async fn a_large_body_is_refused_as_json() {
    let world = World::new();
    let body = json!({ "query": "{ redwood { version } }", "variables": { "x": "y".repeat(1_100_000) } });
    let answer = world.graphql("", body).await;
    assert_eq!(answer.status, 413);
    assert!(answer.json()["errors"][0]["message"].is_string());
    assert!(
        world
            .graphql(
                "",
                json!({ "query": "{ redwood { version } }", "variables": { "x": "y".repeat(60_000) } })
            )
            .await
            .status
            == 200
    );
}

#[tokio::test]
async fn hostile_documents_end_soon() {
    let world = World::new();
    let mut doubling = "{ deliveries { ...F0 } }".to_owned();
    for n in 0..40 {
        doubling += &format!(" fragment F{n} on Delivery {{ ...F{m} ...F{m} }}", m = n + 1);
    }
    doubling += " fragment F40 on Delivery { id }";
    let nested_list = format!("{{ deliveries(page: {}1{}) {{ id }} }}", "[".repeat(900), "]".repeat(900));
    let spaces = format!("{{ redwood {{ version {} }} }}", "\n".repeat(60_000));
    let quotes = format!("{{ a(b: \"{}", "\\\"".repeat(20_000));
    let bytes = "\u{feff}\u{0}\u{202e}{ a }";
    let begun = std::time::Instant::now();
    let (invalid, unreadable) = ("GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED");
    for (query, code, text) in [
        (doubling.as_str(), invalid, "5000 selections"),
        (&nested_list, invalid, "64 nested brackets"),
        (&quotes, unreadable, "-->"),
        (bytes, unreadable, "-->"),
        (&"{".repeat(30_000), invalid, "2000 tokens"),
        (&"@".repeat(60_000), invalid, "2000 tokens"),
    ] {
        let answer = first_error(&world.graphql("", json!({ "query": query })).await.json());
        assert!(answer.0 == code && answer.1.contains(text), "{answer:?} instead of {code} {text}");
    }
    let harmless = world.graphql("", json!({ "query": spaces })).await.json();
    assert!(harmless["data"]["redwood"]["version"].is_string(), "{harmless}");
    // Work that grows exponentially would take hours.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
