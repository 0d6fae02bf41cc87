//! Reports from other systems, each on its own subject: `waybill.intake.<producer>.deadletter.raised.v1`.
//!
//! - Messages have the producers' own format, not our envelope. The broker's accounts decide who may publish
//!   to a subject, so the subject identifies the producer.
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
/// Maximum messages per commit.
pub(super) const MOST: usize = 100;

/// Returns the subject that a producer publishes to, in our own namespace.
pub fn subject(producer: &str) -> String {
    format!("{}.{SERVICE}.{producer}.{FACT}", proto::events::PREFIX)
}

/// A message that a producer published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// The producer's name, from the subject; empty when the subject does not match [`subject`].
    pub producer: String,
    /// The header `Nats-Msg-Id`; empty if the message has none.
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
}
