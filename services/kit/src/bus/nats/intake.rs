//! Reads what producers publish: some messages at a time, acknowledged together after their commit.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer as JsConsumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures::{FutureExt, StreamExt};
use tokio_util::sync::CancellationToken;

use super::{NatsBus, unavailable};
use crate::bus::intake::{Intake, MOST, Reported, SERVICE, subject};
use crate::{Error, Kind, Result};

/// With fewer messages than fit, so long is waited for more.
const WAIT: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(10);

impl NatsBus {
    /// Reads until told to stop, whatever happens to the server.
    pub(in crate::bus) async fn take_in(self, intake: Intake, stop: CancellationToken) -> Result<()> {
        let mut failures = 0u32;
        while !stop.is_cancelled() {
            let reading = async {
                let pulled = self.ensure_intake(&intake).await?;
                loop {
                    if stop.is_cancelled() {
                        return Ok(());
                    }
                    self.take_some(&intake, &pulled, &stop).await?;
                    failures = 0;
                }
            };
            let result: Result<()> = reading.await;
            if let Err(error) = result {
                failures += 1;
                tracing::warn!(consumer = intake.name, error = %format_args!("{error:#}"), "what producers report cannot be taken in, will be tried again");
                let pause = Duration::from_millis(250).saturating_mul(1 << failures.min(6)).min(MAX_PAUSE);
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = stop.cancelled() => {}
                }
            }
        }
        Ok(())
    }

    async fn ensure_intake(&self, intake: &Intake) -> Result<JsConsumer<pull::Config>> {
        self.ensure_stream(SERVICE).await?;
        let config = pull::Config {
            durable_name: Some(intake.name.to_owned()),
            filter_subject: self.on_the_wire(&subject("*")),
            ack_wait: self.0.config.ack_wait,
            max_ack_pending: 10 * MOST as i64,
            max_deliver: -1,
            ..pull::Config::default()
        };
        let name = self.stream_name(SERVICE);
        self.0.context.create_consumer_on_stream(config, name).await.map_err(unavailable)
    }

    /// Takes what is there, in one commit.
    async fn take_some(
        &self,
        intake: &Intake,
        pulled: &JsConsumer<pull::Config>,
        stop: &CancellationToken,
    ) -> Result<()> {
        let pulling = pulled.batch().max_messages(MOST).expires(super::PULL_EXPIRES).messages();
        let mut batch = pulling.await.map_err(unavailable)?;
        let mut messages: Vec<Message> = Vec::new();
        loop {
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                next = batch.next() => next,
                () = tokio::time::sleep(WAIT), if !messages.is_empty() => break,
            };
            match next {
                Some(Ok(message)) => messages.push(message),
                Some(Err(error)) => return Err(unavailable(error)),
                None => break,
            }
        }
        if messages.is_empty() {
            // The server does not tell waiting readers that it lost their consumer.
            if !stop.is_cancelled() {
                drop(pulled.get_info().await.map_err(unavailable)?);
            }
            return Ok(());
        }
        let reported = messages.iter().map(|message| self.reported(message)).collect();
        let taking = AssertUnwindSafe(intake.taker.take(reported)).catch_unwind();
        let taken = match tokio::time::timeout(self.0.config.ack_wait / 2, taking).await {
            Ok(Ok(taken)) => taken,
            Ok(Err(_)) => Err(Error::new(Kind::Internal, "HANDLER_PANICKED", "The handler panicked")),
            Err(_) => Err(Error::unavailable("HANDLER_TIMEOUT", "The handler took too long")),
        };
        for message in &messages {
            let kind = if taken.is_ok() { AckKind::Ack } else { AckKind::Nak(Some(Duration::from_secs(1))) };
            // Lost on the way, it means one more delivery, which the taker knows by its key.
            message.ack_with(kind).await.map_err(unavailable)?;
        }
        taken
    }

    fn reported(&self, message: &Message) -> Reported {
        let headers = message.headers.as_ref();
        let id = headers.and_then(|it| it.get(async_nats::header::NATS_MESSAGE_ID));
        let id = id.map_or("", |id| id.as_str());
        Reported::new(&self.our_subject(&message.subject).unwrap_or_default(), id, &message.payload)
    }
}
