//! Every field of the graph and every web action with every kind of caller, against the table in
//! `access_graphql.txt`. The fields come from the schema, so a new one without a row fails here.

use std::collections::HashMap;
use std::fmt::Write as _;

use async_graphql::parser::types::{
    BaseType, InputValueDefinition, Type, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use kit::config::Target;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use crate::access::compare;
use crate::browser::Browser;
use crate::harness::{PASSWORD, World};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/world/access_graphql.txt");

/// Adds an account with the password of the admin, straight to the table: the screens that make
/// accounts come later.
pub async fn add_user(world: &World, username: &str, roles: &[&str]) {
    let db = world.database(Target::Auth).await;
    let backend = db.backend();
    let id = kit::clock::new_id();
    let copy = Statement::from_sql_and_values(
        backend,
        "INSERT INTO users (id, username, username_key, email, password_hash, status, created_at, created_by, \
         updated_at, updated_by, version) SELECT $1, $2, $2, email, password_hash, status, created_at, created_by, \
         updated_at, updated_by, version FROM users WHERE username_key = 'admin'",
        [id.into(), username.into()],
    );
    let tx = db.begin().await.unwrap();
    tx.execute_raw(copy).await.unwrap();
    for role in roles {
        let add = Statement::from_sql_and_values(
            backend,
            "INSERT INTO user_role (user_id, role) VALUES ($1, $2)",
            [id.into(), (*role).into()],
        );
        tx.execute_raw(add).await.unwrap();
    }
    tx.commit().await.unwrap();
    db.close().await;
}

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

/// A value of the type that gets past the shape of the schema.
fn value(types: &Types, of: &Type) -> String {
    match &of.base {
        BaseType::List(_) => "[]".to_owned(),
        BaseType::Named(name) => match name.as_str() {
            "String" | "ID" => "\"x\"".to_owned(),
            "Int" | "Float" => "1".to_owned(),
            "Boolean" => "true".to_owned(),
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

/// One operation for each root field: its name and its text.
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
    world.browser().create_admin("admin", PASSWORD).await;
    let mut callers = vec![("anonymous", world.browser())];
    let mut bad = world.browser();
    bad.token = Some("not-a-token".to_owned());
    callers.push(("bad_token", bad));
    for (name, roles) in [
        ("no_role", &[][..]),
        ("driver", &["driver"]),
        ("viewer", &["viewer"]),
        ("dispatcher", &["dispatcher"]),
        ("planner", &["transport_planner"]),
        ("admin", &["admin"]),
    ] {
        if name != "admin" {
            add_user(&world, name, roles).await;
        }
        let mut browser = world.browser();
        browser.sign_in(name, PASSWORD).await;
        callers.push((name, browser));
    }
    // Signed out a moment ago, token still in hand.
    add_user(&world, "gone", &["admin"]).await;
    let mut gone = world.browser();
    gone.sign_in("gone", PASSWORD).await;
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
    for path in ["/request-upload-link", "/upload-deliveries?url=x&filename=a.csv&sourceId="] {
        writeln!(table, "\nPOST {}", path.split('?').next().unwrap()).unwrap();
        for (who, browser) in &callers {
            writeln!(table, "  {who:<15} {}", act(browser, path).await).unwrap();
        }
    }
    world.stop().await;
    compare(TABLE, &table);
}
