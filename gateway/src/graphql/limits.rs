//! Limits of a GraphQL document, checked before anything else reads the document.
//!
//! Nested fragments can make a short document expensive. Each use of a fragment therefore counts, but a
//! fragment is measured only once, so measuring stays cheap. The library's own checks walk through every use
//! and would practically never end. Only complexity is left to the library, because it depends on the types.

use std::collections::HashMap;

use async_graphql::Positioned;
use async_graphql::ServerError;
use async_graphql::parser::parse_query;
use async_graphql::parser::types::{ExecutableDocument, OperationType, Selection, SelectionSet};
use kit::config::Graphql;

use super::error::refused;

const INVALID: &str = "GRAPHQL_VALIDATION_FAILED";
const UNREADABLE: &str = "GRAPHQL_PARSE_FAILED";
/// Maximum nesting of brackets, into which the parser recurses.
const MAX_NESTING: usize = 64;
/// Maximum size of a document, without its variables. Variables may be long: those of an outcome contain
/// every line.
const MAX_DOCUMENT_BYTES: usize = 64 << 10;
/// Maximum depth of an introspection query. Tools read the whole schema with one deep query.
const INTROSPECTION_DEPTH: usize = 16;

/// Parses the document, if it stays within the limits.
pub fn check(query: &str, limits: &Graphql) -> Result<ExecutableDocument, ServerError> {
    if query.len() > MAX_DOCUMENT_BYTES {
        return Err(over("bytes", MAX_DOCUMENT_BYTES));
    }
    let scanned = scan(query, limits.max_tokens);
    if scanned.tokens > limits.max_tokens {
        return Err(over("tokens", limits.max_tokens));
    }
    if scanned.nesting > MAX_NESTING {
        return Err(over("nested brackets", MAX_NESTING));
    }
    let document = parse_query(query).map_err(|error| {
        let mut shown = ServerError::from(error);
        shown.extensions.get_or_insert_default().set("code", UNREADABLE);
        shown
    })?;
    if document.operations.iter().count() != 1 {
        return Err(refused(INVALID, "Send one operation per document."));
    }
    measure(&document, limits)?;
    Ok(document)
}

fn over(what: &'static str, limit: usize) -> ServerError {
    kit::metrics::refused(&format!("graphql_{}", what.replace(' ', "_")));
    refused(INVALID, format!("The query has more than {limit} {what}."))
}

fn measure(document: &ExecutableDocument, limits: &Graphql) -> Result<(), ServerError> {
    let mut measuring = Measuring { document, fragments: HashMap::new() };
    let Some((_, operation)) = document.operations.iter().next() else {
        return Err(refused(INVALID, "The document has no operation."));
    };
    let set = &operation.node.selection_set;
    let size = measuring.size(set)?;
    if size.introspects && !limits.introspection {
        return Err(refused(INVALID, "Introspection is not enabled."));
    }
    let depth = if size.introspects { limits.max_depth.max(INTROSPECTION_DEPTH) } else { limits.max_depth };
    if size.depth > depth {
        return Err(over("levels", depth));
    }
    if size.roots > limits.max_root_fields {
        return Err(over("fields at its root", limits.max_root_fields));
    }
    // A subscription has one root field, so that its messages keep their order.
    if operation.node.ty == OperationType::Subscription && size.roots != 1 {
        return Err(refused(INVALID, "Subscribe to one field at a time."));
    }
    if size.aliases > limits.max_aliases {
        return Err(over("aliases", limits.max_aliases));
    }
    if size.nodes > limits.max_complexity {
        return Err(over("selections", limits.max_complexity));
    }
    let variables = operation.node.variable_definitions.iter();
    let of_operation = operation.node.directives.len()
        + variables.map(|variable| variable.node.directives.len()).sum::<usize>();
    let of_fragments = document.fragments.values().map(|it| it.node.directives.len()).sum::<usize>();
    if size.directives.saturating_add(of_operation + of_fragments) > limits.max_directives {
        return Err(over("directives", limits.max_directives));
    }
    Ok(())
}

/// The size of a selection set including its fragments.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    roots: usize,
    depth: usize,
    aliases: usize,
    directives: usize,
    /// Whether the schema itself is requested (introspection) at this level.
    introspects: bool,
}

impl Size {
    /// Adds a selection at the same level: the fields of a fragment are at the level where it is used.
    fn beside(&mut self, other: Size) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.roots = self.roots.saturating_add(other.roots);
        self.depth = self.depth.max(other.depth);
        self.aliases = self.aliases.saturating_add(other.aliases);
        self.directives = self.directives.saturating_add(other.directives);
        self.introspects |= other.introspects;
    }
}

struct Measuring<'a> {
    document: &'a ExecutableDocument,
    /// `None` while the fragment is being measured.
    fragments: HashMap<&'a str, Option<Size>>,
}

impl<'a> Measuring<'a> {
    fn size(&mut self, set: &'a Positioned<SelectionSet>) -> Result<Size, ServerError> {
        let mut total = Size::default();
        for selection in &set.node.items {
            let directives = selection.node.directives().len();
            total.beside(Size { nodes: 1, directives, ..Size::default() });
            match &selection.node {
                Selection::Field(field) => {
                    let inner = self.size(&field.node.selection_set)?;
                    let aliases = inner.aliases.saturating_add(usize::from(field.node.alias.is_some()));
                    let introspects = matches!(field.node.name.node.as_str(), "__schema" | "__type");
                    total.beside(Size { roots: 1, depth: inner.depth + 1, aliases, introspects, ..inner });
                }
                Selection::InlineFragment(inline) => {
                    let inner = self.size(&inline.node.selection_set)?;
                    total.beside(inner);
                }
                Selection::FragmentSpread(spread) => {
                    let inner = self.fragment(&spread.node.fragment_name.node)?;
                    total.beside(inner);
                }
            }
        }
        Ok(total)
    }

    fn fragment(&mut self, name: &'a str) -> Result<Size, ServerError> {
        match self.fragments.get(name) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => {
                return Err(refused(INVALID, format!("The fragment {name} contains itself.")));
            }
            None => {}
        }
        // An unknown fragment adds nothing; the library reports it.
        let Some(fragment) = self.document.fragments.get(name) else {
            return Ok(Size::default());
        };
        self.fragments.insert(name, None);
        let size = self.size(&fragment.node.selection_set)?;
        self.fragments.insert(name, Some(size));
        Ok(size)
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Scanned {
    tokens: usize,
    nesting: usize,
}

/// Counts tokens and brackets without parsing, and stops once there are too many.
fn scan(query: &str, max_tokens: usize) -> Scanned {
    let bytes = query.as_bytes();
    let mut found = Scanned::default();
    let (mut at, mut open) = (0, 0usize);
    while let Some(&byte) = bytes.get(at) {
        if found.tokens > max_tokens {
            break;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        at += match byte {
            // Space, commas and the bytes of a byte order mark are insignificant.
            b' ' | b'\t' | b'\r' | b'\n' | b',' | 0xEF | 0xBB | 0xBF => 1,
            b'#' => run(rest, |b| !matches!(b, b'\r' | b'\n')),
            _ => {
                found.tokens += 1;
                match byte {
                    b'{' | b'[' | b'(' => {
                        open += 1;
                        found.nesting = found.nesting.max(open);
                        1
                    }
                    b'}' | b']' | b')' => {
                        open = open.saturating_sub(1);
                        1
                    }
                    b'"' => text(rest),
                    b'.' => run(rest, |b| b == b'.').min(3),
                    // The dot of a decimal number counts as a separate token, so that a number cannot hide
                    // the dots of a spread.
                    _ => run(rest, |b| b == b'_' || b.is_ascii_alphanumeric()).max(1),
                }
            }
        };
    }
    found
}

fn run(bytes: &[u8], of: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !of(*byte)).unwrap_or(bytes.len())
}

/// Returns the length of a string or block string, including its quotes. An unterminated string extends to
/// the end of `bytes`.
fn text(bytes: &[u8]) -> usize {
    let quote: &[u8] = if bytes.starts_with(b"\"\"\"") { b"\"\"\"" } else { b"\"" };
    let mut at = quote.len();
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(quote) {
            return at + quote.len();
        }
        at += if rest.starts_with(b"\\") { 2 } else { 1 };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Graphql {
        Graphql {
            max_depth: 3,
            max_complexity: 100,
            max_aliases: 2,
            max_root_fields: 3,
            max_directives: 2,
            max_tokens: 200,
            max_body_bytes: 1000,
            introspection: false,
        }
    }

    fn refusal(query: &str) -> Option<String> {
        check(query, &limits()).err().map(|error| error.message)
    }

    #[test]
    fn tokens_are_what_the_language_calls_so() {
        for (query, tokens) in [
            ("", 0),
            ("{ a }", 3),
            ("{a,b # c d e\n}", 4),
            ("query Q($a: [Int!]! = -1.5e3) { ...F }", 21),
            ("{a...F...G}", 7),
            (r#"{ a(b: "x \" y") }"#, 8),
            (r#"{ a(b: """x "y" z""", c: 1) }"#, 11),
            (r#"{ a(b: "never ends"#, 6),
        ] {
            assert_eq!(scan(query, 1000).tokens, tokens, "{query}");
        }
        assert_eq!(scan("{a(b:[[1]]){c}}", 100).nesting, 4);
    }

    #[test]
    fn each_limit_holds_to_the_unit() {
        for good in ["{a{b{c}}}", "{a b c}", "{x:a y:b}", "{a @x b @y}", "{a {x y z w}}"] {
            assert_eq!(refusal(good), None, "{good}");
        }
        for (bad, what) in [
            ("{a{b{c{d}}}}", "levels"),
            ("{a b c d}", "fields at its root"),
            ("{x:a y:b z:c}", "aliases"),
            ("{a @x @y b @z}", "directives"),
            ("query Q($a: Int @x) @y {a @z}", "directives"),
            ("{a ...F} fragment F on Q @x {b @y} query", ""),
        ] {
            let text = refusal(bad).unwrap_or_default();
            assert!(!text.is_empty() && text.contains(what), "{bad}: {text}");
        }
        let long = format!("{{a(b: [{}])}}", "1 ".repeat(200));
        assert!(refusal(&long).unwrap_or_default().contains("tokens"));
    }

    #[test]
    fn fragments_count_with_each_use() {
        assert!(refusal("{a{...F}} fragment F on A {b{c{d}}}").unwrap_or_default().contains("levels"));
        assert!(
            refusal("{...F ...G} fragment F on Q {a b} fragment G on Q {c d}")
                .unwrap_or_default()
                .contains("root")
        );
        assert!(
            refusal("{a{...F} b{...F}} fragment F on A {x:c y:d}").unwrap_or_default().contains("aliases")
        );
        assert!(refusal("{...F} fragment F on Q {a ...F}").unwrap_or_default().contains("itself"));
    }

    #[test]
    fn doubling_fragments_are_refused_at_once() {
        let mut query = "{a{...F0}}".to_owned();
        for n in 0..15 {
            query += &format!("fragment F{n} on A{{...F{m} ...F{m}}}", m = n + 1);
        }
        query += "fragment F15 on A{b}";
        let limits = Graphql { max_tokens: 2000, max_complexity: 5000, ..limits() };
        let text = check(&query, &limits).err().map(|error| error.message).unwrap_or_default();
        assert!(text.contains("selections"), "{text}");
    }

    #[test]
    fn deep_brackets_never_reach_the_parser() {
        let limits = Graphql { max_tokens: 1_000_000, ..limits() };
        for open in ["{a", "[", "{a(b:["] {
            let query = format!("{{a(b:{}", open.repeat(10_000));
            let text = check(&query, &limits).err().map(|error| error.message).unwrap_or_default();
            assert!(text.contains("nested"), "{text}");
        }
    }

    #[test]
    fn one_operation_and_no_questions_about_the_schema() {
        assert!(refusal("query A {a} query B {b}").unwrap_or_default().contains("one operation"));
        assert!(refusal("fragment F on Q {a}").is_some());
        for query in ["{__schema{types{name}}}", "{...F} fragment F on Query {__type(name: \"A\"){name}}"] {
            assert_eq!(refusal(query).as_deref(), Some("Introspection is not enabled."));
        }
        assert!(refusal("subscription {a b}").unwrap_or_default().contains("one field"));
        assert_eq!(refusal("subscription {a {b}}"), None);
        assert_eq!(refusal("{__typename}"), None);
        let error = check("{", &limits()).unwrap_err();
        assert_eq!(error.extensions.unwrap_or_default().get("code"), Some(&UNREADABLE.into()));
    }
}
