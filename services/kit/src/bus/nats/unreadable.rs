//! Takes in messages that the client cannot parse. Invalid headers end the client's connection at each
//! delivery.
//!
//! Such a message remains the first unacknowledged one of its consumer. The server returns a message as JSON
//! on request, so the message is fetched that way and acknowledged by its sequence. After long failures a
//! readable message may be fetched this way, too; `Take` recognizes its key if it comes again.

use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::{Consumer as JsConsumer, pull};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{NatsBus, unavailable};
use crate::bus::intake::{Intake, Reported, SERVICE, key, subject};
use crate::{Error, Result};

/// The error of the server for "no message found".
const NO_MESSAGE: u64 = 10_037;

/// The sequence before the first unacknowledged message, and since when that message has been the first.
pub(super) struct Floor {
    sequence: u64,
    since: Instant,
    read: Instant,
}

impl Floor {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self { sequence: 0, since: now, read: now }
    }

    /// Restarts the time measurement after `Take` failed, because then `Take` holds messages up, not the
    /// client.
    pub(super) fn restart(&mut self) {
        self.since = Instant::now();
    }
}

#[derive(Deserialize)]
struct Found {
    message: Option<Stored>,
    error: Option<Value>,
}

/// A message as the server stores it; bytes are in base64.
#[derive(Deserialize)]
struct Stored {
    subject: String,
    seq: u64,
    #[serde(default)]
    hdrs: String,
    #[serde(default)]
    data: String,
}

impl NatsBus {
    /// Takes in the first unacknowledged message if normal delivery has been stuck at it for long. Cheap:
    /// reads the consumer's state at most twice per acknowledgement deadline.
    pub(super) async fn take_unreadable(
        &self,
        intake: &Intake,
        pulled: &JsConsumer<pull::Config>,
        floor: &mut Floor,
    ) -> Result<()> {
        let deadline = self.0.config.ack_wait;
        if floor.read.elapsed() < deadline / 2 {
            return Ok(());
        }
        floor.read = Instant::now();
        let info = pulled.get_info().await.map_err(unavailable)?;
        let sequence = info.ack_floor.stream_sequence;
        if info.num_ack_pending == 0 || sequence != floor.sequence {
            *floor = Floor { sequence, since: floor.read, ..*floor };
            return Ok(());
        }
        if floor.since.elapsed() < deadline * 2 {
            return Ok(());
        }
        let Some(stored) = self.stored_after(sequence).await? else { return Ok(()) };
        let decoded = |text: &str| STANDARD.decode(text).map_err(Error::internal);
        let id = key_of(&decoded(&stored.hdrs)?);
        let subject = self.our_subject(&stored.subject).unwrap_or_default();
        let reported = Reported::new(&subject, &id, &decoded(&stored.data)?);
        tracing::warn!(
            sequence = stored.seq,
            producer = reported.producer,
            "a message that the client cannot parse is taken from the stream"
        );
        intake.taker.take(vec![reported]).await?;
        self.acknowledge(intake, stored.seq).await
    }

    async fn stored_after(&self, sequence: u64) -> Result<Option<Stored>> {
        let name = self.stream_name(SERVICE);
        let next = json!({ "seq": sequence + 1, "next_by_subj": self.on_the_wire(&subject("*")) });
        let found: Found =
            self.0.context.request(format!("STREAM.MSG.GET.{name}"), &next).await.map_err(unavailable)?;
        match found.error {
            Some(error) if error["err_code"] == NO_MESSAGE => Ok(None),
            Some(error) => Err(unavailable(error.to_string())),
            None => Ok(found.message),
        }
    }

    /// Acknowledges a message that was never received. The server uses only the sequence in the stream; the
    /// other numbers in the subject matter to receivers alone.
    async fn acknowledge(&self, intake: &Intake, sequence: u64) -> Result<()> {
        let (stream, consumer) = (self.stream_name(SERVICE), intake.name);
        let subject = format!("$JS.ACK.{stream}.{consumer}.1.{sequence}.0.0.0");
        self.0.client.request(subject, AckKind::Ack.into()).await.map_err(unavailable)?;
        Ok(())
    }
}

/// Returns the key in raw headers, or an empty string. Bytes that are not UTF-8 are replaced.
fn key_of(headers: &[u8]) -> String {
    let text = String::from_utf8_lossy(headers);
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let headers: Vec<(&str, &str)> = lines.map(|(name, value)| (name, value.trim())).collect();
    key(&headers).to_owned()
}

#[cfg(test)]
mod tests {
    use super::key_of;

    #[test]
    fn a_key_is_found_among_headers_that_are_not_text() {
        assert_eq!(key_of(b"NATS/1.0\r\nX: \xff\r\nnats-msg-id: k-1 \r\n\r\n"), "k-1");
        assert_eq!(key_of(b"NATS/1.0\r\nX: \xff\r\nIdempotency-Key: k-1\r\n\r\n"), "k-1");
        assert_eq!(key_of(b"NATS/1.0\r\nno colon\r\n"), "");
    }
}
