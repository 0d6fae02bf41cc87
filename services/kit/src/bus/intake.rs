//! Reports from other systems, each on its own subject: `waybill.intake.<producer>.deadletter.raised.v1`.
//!
//! - Messages have the producers' own format, not our envelope. The broker's accounts decide who may publish
//!   to a subject, so the subject identifies the producer.
//! - A letter's key is in the header `Idempotency-Key`. Without it, `Nats-Msg-Id` is the key, the only header
//!   that earlier releases read. JetStream drops a message that repeats a recent `Nats-Msg-Id`, even one
//!   of another producer.
//! - Messages are taken in batches, committed together and then acknowledged. A message that was not
//!   acknowledged is delivered again.
//! - [`Take`] must store unreadable messages too, and never return an error because of a message's content.
//!   An error means that a dependency of ours is down, and the whole batch comes again.
//!
//! Only the NATS bus has an intake. The bus in memory has nothing that another system could publish to.

use std::sync::Arc;

use async_trait::async_trait;

use crate::Result;

/// The second token of producers' subjects. In the subject of an event, this token is a service's name.
pub const SERVICE: &str = "intake";
const FACT: &str = "deadletter.raised.v1";
/// The headers that may contain a letter's key. The first one that a message has counts.
const KEY_HEADERS: [&str; 2] = ["Idempotency-Key", "Nats-Msg-Id"];
/// Maximum messages per commit.
pub(super) const MOST: usize = 100;

/// Returns the subject that a producer publishes to, in our own namespace.
pub fn subject(producer: &str) -> String {
    format!("{}.{SERVICE}.{producer}.{FACT}", proto::events::PREFIX)
}

/// Returns the key in these headers, or an empty string.
pub(super) fn key<'a>(headers: &[(&str, &'a str)]) -> &'a str {
    let value_of = |wanted: &str| {
        let headers = headers.iter().filter(|(_, value)| !value.is_empty());
        let named = headers.filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
        // The minimum, because the client returns spellings of a name in random order.
        named.min_by_key(|(name, _)| *name).map(|(_, value)| *value)
    };
    KEY_HEADERS.into_iter().find_map(value_of).unwrap_or_default()
}

/// A message that a producer published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// The producer's name, from the subject; empty when the subject does not match [`subject`].
    pub producer: String,
    /// The key in the headers; empty if they have none.
    pub id: String,
    pub payload: Vec<u8>,
}

impl Reported {
    pub(super) fn new(subject: &str, id: &str, payload: &[u8]) -> Self {
        let mut tokens = subject.splitn(4, '.').skip(2);
        let producer = tokens.next().filter(|_| tokens.next() == Some(FACT));
        Self { producer: producer.unwrap_or_default().into(), id: id.into(), payload: payload.into() }
    }
}

/// Stores what producers report.
#[async_trait]
pub trait Take: Send + Sync {
    /// Commits all messages, including unreadable ones.
    async fn take(&self, messages: Vec<Reported>) -> Result<()>;
}

/// The durable reader of all producers' subjects.
#[derive(Clone)]
pub struct Intake {
    pub name: &'static str,
    pub taker: Arc<dyn Take>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_says_who_speaks() {
        let of = |subject: &str| Reported::new(subject, "", b"").producer;
        assert_eq!(of(&subject("erp-1")), "erp-1");
        for other in ["waybill.intake.erp", "waybill.intake.erp.deadletter.raised.v2", "waybill.intake", ""] {
            assert_eq!(of(other), "", "{other}");
        }
    }

    #[test]
    fn the_key_is_in_our_header_or_else_in_that_of_the_broker() {
        assert_eq!(key(&[("Nats-Msg-Id", "erp-7"), ("idempotency-key", "7")]), "7");
        assert_eq!(key(&[("Nats-Msg-Id", "erp-7"), ("Idempotency-Key", "")]), "erp-7");
        assert_eq!(key(&[("X", "7")]), "");
        let [upper, lower] = [("Idempotency-Key", "a"), ("idempotency-key", "b")];
        assert_eq!([key(&[upper, lower]), key(&[lower, upper])], ["a", "a"]);
    }
}
