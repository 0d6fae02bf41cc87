//! Metrics of GraphQL operations, labeled by their first root field. The schema limits the number of these
//! labels. Operation names are not used, because callers can choose any.

use std::time::Instant;

use async_graphql::parser::types::{ExecutableDocument, OperationType, Selection, SelectionSet};
use async_graphql::{Response, Value};

const INVALID: &str = "_invalid";

pub struct Measured {
    kind: &'static str,
    field: String,
    begun: Instant,
}

impl Measured {
    pub fn begin(document: &ExecutableDocument) -> Self {
        let operation = document.operations.iter().next().map(|(_, operation)| &operation.node);
        let kind = match operation.map(|it| it.ty) {
            Some(OperationType::Mutation) => "mutation",
            Some(OperationType::Subscription) => "subscription",
            _ => "query",
        };
        let field = operation.and_then(|it| first(document, &it.selection_set.node));
        Self { kind, field: field.unwrap_or(INVALID).to_owned(), begun: Instant::now() }
    }

    /// Records the result. Every error must already have its code.
    pub fn end(self, outcome: &Response) {
        let (result, valid) = result(outcome);
        // Without a valid document, the field's name may be any text that the caller chose.
        let field = if valid { &self.field } else { INVALID };
        kit::metrics::graphql_operation(self.kind, field, result, self.begun.elapsed());
    }
}

/// Returns the first root field. Fragments were checked for cycles before.
fn first<'a>(document: &'a ExecutableDocument, set: &'a SelectionSet) -> Option<&'a str> {
    set.items.iter().find_map(|selection| match &selection.node {
        Selection::Field(field) => Some(field.node.name.node.as_str()),
        Selection::InlineFragment(inline) => first(document, &inline.node.selection_set.node),
        Selection::FragmentSpread(spread) => {
            let fragment = document.fragments.get(&spread.node.fragment_name.node)?;
            first(document, &fragment.node.selection_set.node)
        }
    })
}

/// Returns "ok"; "refused" if the caller has to change something; "failed" if the fault is ours. Also returns
/// whether the document was valid.
fn result(outcome: &Response) -> (&'static str, bool) {
    let code = |error: &async_graphql::ServerError| match error.extensions.as_ref()?.get("code")? {
        Value::String(code) => Some(code.clone()),
        _ => None,
    };
    let codes: Vec<String> = outcome.errors.iter().filter_map(code).collect();
    let has = |of: &[&str]| codes.iter().any(|code| of.contains(&code.as_str()));
    let valid = !has(&["GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED"]);
    if has(&["INTERNAL", "UNAVAILABLE", "STORAGE_FULL"]) {
        ("failed", valid)
    } else if outcome.errors.is_empty() {
        ("ok", valid)
    } else {
        ("refused", valid)
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::ServerError;
    use async_graphql::parser::parse_query;

    use super::*;
    use crate::graphql::error::refused;

    #[test]
    fn an_operation_is_called_by_its_first_field_and_never_by_its_name() {
        for (text, kind, field) in [
            ("query Mine { x: deliveries { key } deliveriesCount }", "query", "deliveries"),
            ("mutation { recordOutcome }", "mutation", "recordOutcome"),
            ("{ ... on Query { ...F } } fragment F on Query { drivers }", "query", "drivers"),
            ("{ ...Unknown }", "query", INVALID),
        ] {
            let measured = Measured::begin(&parse_query(text).unwrap());
            assert_eq!((measured.kind, measured.field.as_str()), (kind, field), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_request_is_no_failure_of_ours() {
        let of = |errors: Vec<ServerError>| result(&Response::from_errors(errors));
        assert_eq!(of(vec![]), ("ok", true));
        assert_eq!(of(vec![refused("FORBIDDEN", "no")]), ("refused", true));
        assert_eq!(of(vec![refused("FORBIDDEN", "no"), refused("UNAVAILABLE", "away")]), ("failed", true));
        assert_eq!(of(vec![refused("GRAPHQL_VALIDATION_FAILED", "what")]), ("refused", false));
    }
}
