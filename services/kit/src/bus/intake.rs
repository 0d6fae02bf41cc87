//! What other systems report, on subjects of their own: `waybill.intake.<producer>.deadletter.raised.v1`.
//!
//! - The messages are the producers' own, no envelopes of ours. Who may publish to a subject is for the broker's
//!   accounts, so the subject says who speaks.
//! - Some at a time are taken, all in one commit, and acknowledged after it. A message comes again until then.
//! - The taker keeps whatever it cannot read: nothing that a producer sends may fail. An error means that something
//!   of ours is away, and all of them come again.
//!
//! Only a bus between processes has this: in one process there is nothing that a stranger could publish to.

use std::sync::Arc;

use async_trait::async_trait;

use crate::Result;

/// The second token of the subjects, where events have their service.
pub const SERVICE: &str = "intake";
const FACT: &str = "deadletter.raised.v1";
/// Messages of one commit.
pub(super) const MOST: usize = 100;

/// Where a producer publishes, in our own name space.
pub fn subject(producer: &str) -> String {
    format!("{}.{SERVICE}.{producer}.{FACT}", proto::events::PREFIX)
}

/// What a producer published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// By the subject; empty when that is another one than [`subject`].
    pub producer: String,
    /// Of the header `Nats-Msg-Id`, empty without one.
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

/// Keeps what producers report.
#[async_trait]
pub trait Take: Send + Sync {
    /// Commits all of them, the unreadable ones too.
    async fn take(&self, messages: Vec<Reported>) -> Result<()>;
}

/// The one durable reader.
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
