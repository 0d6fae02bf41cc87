//! Calls every GraphQL field and every web action as every kind of caller, and compares the results with the
//! table in `gateway/access.txt`, which the gateway's own tests read as well. The fields come from the
//! schema, so a new field without a row fails here.

use std::collections::HashMap;
use std::fmt::Write as _;

use async_graphql::parser::types::{
    BaseType, InputValueDefinition, Type, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use serde_json::{Value, json};

use crate::access::compare;
use crate::browser::Browser;
use crate::drivers::signed_in_driver;
use crate::harness::World;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../gateway/access.txt");

type Types = HashMap<String, TypeDefinition>;

fn types(sdl: &str) -> Types {
    let document = async_graphql::parser::parse_schema(sdl).unwrap();
    document
        .definitions
        .into_iter()
        .filter_map(|definition| match definition {
            TypeSystemDefinition::Type(it) => Some((it.node.name.node.to_string(), it.node)),
            _ => None,
        })
        .collect()
}

/// Returns a value of this type that the schema accepts.
fn value(types: &Types, of: &Type) -> String {
    match &of.base {
        BaseType::List(_) => "[]".to_owned(),
        BaseType::Named(name) => match name.as_str() {
            "String" | "ID" => "\"x\"".to_owned(),
            "Int" | "Float" => "1".to_owned(),
            "Boolean" => "true".to_owned(),
            "DateTime" => "\"2026-11-20T00:00:00Z\"".to_owned(),
            name => match &types[name].kind {
                TypeKind::InputObject(input) => {
                    let fields = input.fields.iter().map(|field| &field.node).filter(|field| required(field));
                    let inner: Vec<_> = fields
                        .map(|field| format!("{}: {}", field.name.node, value(types, &field.ty.node)))
                        .collect();
                    format!("{{ {} }}", inner.join(", "))
                }
                TypeKind::Enum(choices) => choices.values[0].node.value.node.to_string(),
                _ => panic!("{name} is no input"),
            },
        },
    }
}

fn required(argument: &InputValueDefinition) -> bool {
    !argument.ty.node.nullable && argument.default_value.is_none()
}

fn leaf(of: &Type) -> &str {
    match &of.base {
        BaseType::Named(name) => name,
        BaseType::List(inner) => leaf(inner),
    }
}

/// Returns the name and text of one operation for each root field.
fn operations(types: &Types) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (root, keyword) in [("Query", "query"), ("Mutation", "mutation")] {
        let TypeKind::Object(object) = &types[root].kind else { panic!("{root}") };
        for field in object.fields.iter().map(|it| &it.node) {
            let arguments: Vec<_> = field
                .arguments
                .iter()
                .map(|it| &it.node)
                .filter(|argument| required(argument))
                .map(|argument| format!("{}: {}", argument.name.node, value(types, &argument.ty.node)))
                .collect();
            let arguments =
                if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
            let object =
                types.get(leaf(&field.ty.node)).is_some_and(|it| matches!(it.kind, TypeKind::Object(_)));
            let selection = if object { " { __typename }" } else { "" };
            let name = &field.name.node;
            all.push((format!("{keyword} {name}"), format!("{keyword} {{ {name}{arguments}{selection} }}")));
        }
    }
    all
}

async fn ask(browser: &Browser, operation: &str) -> &'static str {
    let answer = browser.graphql(operation, json!({})).await;
    match answer["errors"][0]["extensions"]["code"].as_str() {
        Some("UNAUTHENTICATED") => "unauthenticated",
        Some("FORBIDDEN") => "forbidden",
        Some("INTERNAL" | "GRAPHQL_VALIDATION_FAILED" | "GRAPHQL_PARSE_FAILED") => {
            panic!("{operation}: {answer}")
        }
        _ => "ok",
    }
}

async fn act(browser: &Browser, path: &str) -> &'static str {
    let response = browser.post(path, json!({ "filename": "a.csv" })).await;
    let status = response.status().as_u16();
    let body: Value = response.json().await.unwrap();
    match status {
        401 => "unauthenticated",
        403 => "forbidden",
        500.. => panic!("{path}: {body}"),
        _ => "ok",
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_field_opens_to_whom_the_table_says() {
    let world = World::all().await;
    let admin = world.admin().await;
    let mut callers = vec![("anonymous", world.browser())];
    let mut bad = world.browser();
    bad.token = Some("not-a-token".to_owned());
    callers.push(("bad_token", bad));
    for (name, roles) in [
        ("no_role", &[][..]),
        ("driver", &[]),
        ("viewer", &["viewer"]),
        ("dispatcher", &["dispatcher"]),
        ("planner", &["transport_planner"]),
        ("admin", &["admin"]),
    ] {
        let browser = match name {
            "admin" => admin.clone(),
            "driver" => signed_in_driver(&world, &admin).await,
            _ => admin.signed_in_user(name, roles).await,
        };
        callers.push((name, browser));
    }
    // This user has just signed out and still has the token.
    let gone = admin.signed_in_user("gone", &["admin"]).await;
    gone.clone().auth(json!({ "method": "logout" })).await;
    callers.push(("signed_out", gone));

    let mut table = String::from(
        "# GraphQL fields and web actions: who is let in.\n\
         # Written by services/waybill/tests/world/graphql_access.rs; a row per field.\n",
    );
    for (name, operation) in operations(&types(&gateway::sdl())) {
        writeln!(table, "\n{name}").unwrap();
        for (who, browser) in &callers {
            writeln!(table, "  {who:<15} {}", ask(browser, &operation).await).unwrap();
        }
    }
    for path in [
        "/request-upload-link",
        "/request-logo-upload-link",
        "/upload-deliveries?url=x&filename=a.csv&sourceId=",
        "/undo-uploaded-deliveries?uploadLog=none",
    ] {
        writeln!(table, "\nPOST {}", path.split('?').next().unwrap()).unwrap();
        for (who, browser) in &callers {
            writeln!(table, "  {who:<15} {}", act(browser, path).await).unwrap();
        }
    }
    world.stop().await;
    compare(TABLE, &table);
}
