//! Watches events by plain subscriptions, and shows when they may have missed some.

use std::sync::Arc;

use futures::StreamExt;
use futures::future::{ready, try_join_all};
use futures::stream::{select_all, unfold};
use prost::Message;
use proto::events::Envelope;

use super::{NatsBus, unavailable};
use crate::Result;
use crate::bus::{Watch, Watched, check};

impl NatsBus {
    pub(in crate::bus) async fn watch(&self, filters: &[String]) -> Result<Watch> {
        let missed = self.0.missed.subscribe();
        let subscribing = filters.iter().map(|it| self.0.client.subscribe(self.on_the_wire(it)));
        let messages = select_all(try_join_all(subscribing).await.map_err(unavailable)?);
        let bus = self.clone();
        let events = messages.filter_map(move |message| ready(bus.event_of(message)));
        let watched = unfold((events, missed), |(mut events, mut missed)| async move {
            let seen = tokio::select! {
                event = events.next() => Watched::Event(event?),
                Ok(()) = missed.changed() => Watched::Missed,
            };
            Some((seen, (events, missed)))
        });
        Ok(watched.boxed())
    }

    /// Returns the event of a message; `None` if the message is no event of its subject.
    fn event_of(&self, message: async_nats::Message) -> Option<Arc<Envelope>> {
        let envelope = Envelope::decode(message.payload).ok()?;
        // The envelope must contain the subject by which it arrived, as for consumers.
        let ours = self.our_subject(&message.subject)? == envelope.subject;
        (ours && check(&envelope).is_ok()).then(|| Arc::new(envelope))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tokio::time::timeout;

    use super::*;
    use crate::bus::contract::{event, retry};
    use crate::bus::nats::NatsConfig;
    use crate::bus::nats::tests::{config, connect, url};
    use crate::testing::{Fault, Proxy};

    const LIMIT: Duration = Duration::from_secs(20);
    /// An event that the watch has not shown after this time was lost.
    const SOON: Duration = Duration::from_millis(200);

    /// Publishes until the watch shows an event, because a server takes the subscriptions of a new connection a
    /// moment later.
    async fn passes(watch: &mut Watch, publish: impl AsyncFn() -> Watched) {
        let begun = Instant::now();
        loop {
            let sent = publish().await;
            while let Ok(Some(seen)) = timeout(SOON, watch.next()).await {
                if seen == sent {
                    return;
                }
            }
            assert!(begun.elapsed() < LIMIT, "no event came");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_watch_whose_connection_was_lost_shows_that_it_missed_events() {
        let direct = connect(config(retry())).await;
        let url = url();
        let proxy = Proxy::start(url.rsplit(['/', '@']).next().unwrap()).await.unwrap();
        let config = NatsConfig { url: proxy.url("nats"), ..direct.0.config.clone() };
        let watching = connect(config).await;
        let mut watch = watching.watch(&["waybill.upload.>".to_owned()]).await.unwrap();
        // Without a stream: a watch needs none.
        let publish = async || {
            let sent = event("upload");
            let bytes = sent.encode_to_vec().into();
            direct.0.client.publish(direct.on_the_wire(&sent.subject), bytes).await.unwrap();
            direct.0.client.flush().await.unwrap();
            Watched::Event(Arc::new(sent))
        };
        passes(&mut watch, &publish).await;
        // The first connection may count as one after which events can be missing.
        while let Ok(Some(_)) = timeout(SOON, watch.next()).await {}

        proxy.set(Fault::Cut);
        while watching.ready().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        publish().await;
        proxy.heal();
        let missed = async { while watch.next().await.expect("it ended") != Watched::Missed {} };
        timeout(LIMIT, missed).await.expect("it shows no missed events");
        passes(&mut watch, &publish).await;
    }
}
