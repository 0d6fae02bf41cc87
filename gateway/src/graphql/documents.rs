//! A cache of parsed GraphQL documents. Screens send the same few documents again and again, and parsing one
//! takes longer than copying it.

use std::sync::Arc;

use async_graphql::ServerError;
use async_graphql::parser::types::ExecutableDocument;
use kit::config::Graphql;
use moka::sync::Cache;

use super::limits;

/// Maximum total length of the cached documents as text, in bytes. A parsed document takes ten to twenty
/// times as much memory as its text.
const BYTES: u64 = 512 << 10;
/// Longer documents are not cached, because no screen sends them.
const LONGEST: usize = 8 << 10;

/// Parsed documents that are within the limits, keyed by text.
#[derive(Clone)]
pub struct Documents {
    limits: Graphql,
    read: Cache<String, Arc<ExecutableDocument>>,
}

impl Documents {
    pub fn new(limits: Graphql) -> Self {
        let weight =
            |text: &String, _: &Arc<ExecutableDocument>| u32::try_from(text.len()).unwrap_or(u32::MAX);
        Self { limits, read: Cache::builder().weigher(weight).max_capacity(BYTES).build() }
    }

    /// Returns the parsed document, from the cache if it is there.
    ///
    /// # Errors
    ///
    /// GRAPHQL_PARSE_FAILED, or GRAPHQL_VALIDATION_FAILED beyond a limit.
    pub fn read(&self, text: &str) -> Result<ExecutableDocument, ServerError> {
        if let Some(document) = self.read.get(text) {
            return Ok(ExecutableDocument::clone(&document));
        }
        let document = limits::check(text, &self.limits)?;
        if text.len() <= LONGEST {
            self.read.insert(text.to_owned(), Arc::new(document.clone()));
        }
        Ok(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_once_and_a_refused_one_each_time() {
        let documents = Documents::new(Graphql {
            max_depth: 3,
            max_complexity: 100,
            max_aliases: 2,
            max_root_fields: 3,
            max_directives: 2,
            max_tokens: 200,
            max_body_bytes: 100_000,
            introspection: false,
        });
        for _ in 0..2 {
            let document = documents.read("query Q { redwood { version } }").unwrap();
            assert_eq!(document.operations.iter().count(), 1);
            assert!(documents.read("query Q { redwood {").is_err());
            assert!(documents.read("query A { a } query B { b }").is_err());
        }
        let long = format!("{{ redwood {{ version }} }} # {}", "x".repeat(LONGEST));
        assert!(documents.read(&long).is_ok());
        documents.read.run_pending_tasks();
        assert_eq!(documents.read.entry_count(), 1);
    }
}
