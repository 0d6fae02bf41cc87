//! Every GraphQL field without signing in and with each role, compared with `gateway/access.txt`. The test of
//! the whole product writes that table; this test checks that the gateway returns the refusals of the
//! services.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use kit::Role;

use crate::world::{World, first_error};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/access.txt");
const QUESTIONS: &str = include_str!("questions.graphql");

/// Returns each caller's result, by field.
fn table() -> BTreeMap<String, BTreeMap<String, String>> {
    let text = std::fs::read_to_string(TABLE).unwrap();
    let rows = text.split("\n\n").filter_map(|block| {
        let (head, callers) = block.split_once('\n')?;
        let field = head.strip_prefix("query ").or_else(|| head.strip_prefix("mutation "))?;
        let callers = callers.lines().filter_map(|line| line.trim().split_once(' '));
        let callers = callers.map(|(who, what)| (who.to_owned(), what.trim().to_owned()));
        Some((field.to_owned(), callers.collect()))
    });
    rows.collect()
}

/// Returns the query for each field.
fn questions() -> BTreeMap<&'static str, &'static str> {
    let all = QUESTIONS.split("\n\n").map(str::trim).filter(|it| !it.starts_with('#'));
    all.map(|it| (it.split_whitespace().nth(1).unwrap(), it)).collect()
}

/// Returns the root fields of the schema.
fn fields() -> BTreeSet<String> {
    let sdl = gateway::sdl();
    let mut fields = BTreeSet::new();
    for root in ["type Query {", "type Mutation {"] {
        let body = sdl.split_once(root).unwrap().1.split_once("\n}").unwrap().0;
        // Long descriptions stand between triple quotes.
        let lines = body.split("\"\"\"").step_by(2).flat_map(str::lines).map(str::trim);
        let names = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        fields.extend(names.map(|line| line.split(['(', ':']).next().unwrap().to_owned()));
    }
    fields
}

#[tokio::test]
async fn every_field_opens_to_whom_the_table_says() {
    let (table, questions) = (table(), questions());
    assert_eq!(fields(), table.keys().cloned().collect(), "fields, and rows of {TABLE}");
    let guarded = table.iter().filter(|(_, callers)| callers["anonymous"] != "ok");
    let guarded: BTreeMap<_, _> = guarded.map(|(field, callers)| (field.as_str(), callers)).collect();
    let asked: BTreeSet<_> = questions.keys().copied().collect();
    assert_eq!(guarded.keys().copied().collect::<BTreeSet<_>>(), asked, "fields, and questions of them");

    let world = World::new();
    world.stage.turn_mail_on();
    for (field, callers) in guarded {
        let question = questions[field];
        let nobody = world.query("", question).await;
        let unknown = ("UNAUTHENTICATED".into(), "You don't have permission to do that.".into());
        assert_eq!(first_error(&nobody), unknown, "{field}");
        assert!(nobody["data"].is_null() || nobody["data"][field].is_null(), "{field}: {nobody}");
        for name in ["driver", "viewer", "dispatcher", "planner", "admin"] {
            let role = if name == "planner" { Role::TransportPlanner } else { Role::from_str(name).unwrap() };
            let answer = world.query(&world.token(role), question).await;
            if callers[name] == "ok" {
                assert!(answer["errors"].is_null(), "{field} for {name}: {answer}");
                continue;
            }
            let lacking = ("FORBIDDEN".into(), "You don't have access to do that.".into());
            assert_eq!(first_error(&answer), lacking, "{field} for {name}");
            assert!(answer["data"].is_null() || answer["data"][field].is_null(), "{field}: {answer}");
        }
    }
}
