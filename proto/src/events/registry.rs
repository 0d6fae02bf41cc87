//! The rows of the registry, and the macro that defines them.

use std::marker::PhantomData;

use super::envelope::Payload;
use super::{ALL, PREFIX};

/// One kind of event.
#[derive(Debug)]
pub struct Entry {
    /// Aggregate, fact and version: the subject without its prefix and service.
    pub name: &'static str,
    /// Services that emit the event.
    pub owners: &'static [&'static str],
    /// The aggregate whose events the envelope's `sequence` counts. `None` for events without order.
    pub aggregate: Option<&'static str>,
    /// The call that returns the current state of everything that the event is about. Required if a
    /// consumer keeps a copy.
    pub snapshot: Option<&'static str>,
    /// When the event is emitted and what it carries, for docs/events.md.
    pub when: &'static str,
    pub consumers: &'static [Reader],
    /// Whether the gateway forwards the event to open screens.
    pub watched: bool,
}

impl Entry {
    /// Returns the subject of the event when emitted by this service.
    pub fn subject(&self, service: &str) -> String {
        format!("{PREFIX}.{service}.{}", self.name)
    }

    /// Returns the subjects of the event: one for each service that emits it.
    pub fn subjects(&self) -> impl Iterator<Item = String> {
        self.owners.iter().map(|owner| self.subject(owner))
    }
}

/// A consumer of an event.
#[derive(Debug)]
pub struct Reader {
    /// The durable consumer's name: the service, and the purpose.
    pub name: &'static str,
    pub effect: Effect,
}

/// What a consumer does with an event, with its description for docs/events.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Keeps a copy of another service's data. The copy can be rebuilt from that service.
    Copy(&'static str),
    /// Keeps a record of each event. Records are not copies, and cannot be rebuilt.
    Record(&'static str),
    /// Acts, and keeps nothing.
    Act(&'static str),
}

impl Effect {
    pub fn text(self) -> &'static str {
        let (Self::Copy(text) | Self::Record(text) | Self::Act(text)) = self;
        text
    }
}

impl Reader {
    /// Returns the service that consumes the event.
    pub fn service(&self) -> &'static str {
        service_of(self.name)
    }

    fn keeps_copy(&self) -> bool {
        matches!(self.effect, Effect::Copy(_))
    }
}

fn service_of(consumer: &'static str) -> &'static str {
    consumer.split_once('-').map_or(consumer, |(service, _)| service)
}

/// The payload type of one kind of event.
pub trait Event: Into<Payload> + Send + 'static {
    const ENTRY: &'static Entry;

    /// Returns the payload as this type; `None` if it is of another kind.
    fn of(payload: Payload) -> Option<Self>;
}

/// A consumer of the registry, with the type of its event. Created by rows of the registry only.
pub struct Subscription<E> {
    name: &'static str,
    event: PhantomData<fn() -> E>,
}

impl<E: Event> Subscription<E> {
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, event: PhantomData }
    }

    /// Returns the consumer's durable name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the service that consumes the event.
    pub fn service(&self) -> &'static str {
        service_of(self.name)
    }
}

impl<E> Clone for Subscription<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Subscription<E> {}

/// Returns the copies that a service keeps, as the names of their consumers.
pub fn copies(service: &str) -> Vec<&'static str> {
    let readers = ALL.iter().flat_map(|entry| entry.consumers);
    readers.filter(|it| it.service() == service && it.keeps_copy()).map(|it| it.name).collect()
}

/// Returns whether this consumer keeps a copy.
pub fn keeps_copy(consumer: &str) -> bool {
    let mut readers = ALL.iter().flat_map(|entry| entry.consumers);
    readers.any(|it| it.name == consumer && it.keeps_copy())
}

/// Returns the services that consume events of `owner`.
pub fn readers(owner: &str) -> Vec<&'static str> {
    let owned = ALL.iter().filter(|entry| entry.owners.contains(&owner));
    let mut readers: Vec<_> = owned.flat_map(|entry| entry.consumers).map(Reader::service).collect();
    readers.sort_unstable();
    readers.dedup();
    readers
}

/// Returns the consumers that a service has to run, as pairs of a consumer's name and one of its subjects.
pub fn subjects_read_by(service: &str) -> Vec<(&'static str, String)> {
    let of = |entry: &'static Entry, reader: &'static Reader| {
        entry.subjects().map(move |subject| (reader.name, subject))
    };
    let all = ALL.iter().flat_map(|entry| entry.consumers.iter().map(move |reader| (*entry, reader)));
    let mut found: Vec<_> = all
        .filter(|(_, reader)| reader.service() == service)
        .flat_map(|(entry, reader)| of(entry, reader))
        .collect();
    found.sort();
    found
}

/// Returns the subjects that the gateway forwards to open screens.
pub fn watched() -> Vec<String> {
    ALL.iter().filter(|entry| entry.watched).flat_map(|entry| entry.subjects()).collect()
}

/// Returns the value of an optional part of a row; `None` if the row leaves it out.
pub(super) const fn first(said: &[&'static str]) -> Option<&'static str> {
    match said {
        [said, ..] => Some(said),
        [] => None,
    }
}

/// Defines the rows, the conversions of each payload, and a [`Subscription`] for each consumer.
macro_rules! events {
    ($(
        $payload:ident {
            name: $name:literal,
            owners: [$($owner:literal),+],
            aggregate: $aggregate:expr,
            $(snapshot: $snapshot:literal,)?
            when: $when:literal,
            consumers: { $($subscription:ident: $consumer:literal => $effect:ident($text:literal),)* },
            watched: $watched:literal,
        }
    )+) => {
        /// Every kind of event.
        pub const ALL: &[&Entry] = &[$(<$payload as Event>::ENTRY),+];

        $(
            impl Event for $payload {
                const ENTRY: &'static Entry = &Entry {
                    name: $name,
                    owners: &[$($owner),+],
                    aggregate: $aggregate,
                    snapshot: registry::first(&[$($snapshot)?]),
                    when: $when,
                    consumers: &[$(Reader { name: $consumer, effect: Effect::$effect($text) }),*],
                    watched: $watched,
                };

                fn of(payload: Payload) -> Option<Self> {
                    match payload {
                        Payload::$payload(event) => Some(event),
                        _ => None,
                    }
                }
            }

            impl From<$payload> for Payload {
                fn from(event: $payload) -> Self {
                    Self::$payload(event)
                }
            }

            $(pub const $subscription: Subscription<$payload> = Subscription::new($consumer);)*
        )+

        impl Payload {
            /// Returns the row of this kind of event.
            pub fn entry(&self) -> &'static Entry {
                match self {
                    $(Self::$payload(_) => <$payload as Event>::ENTRY),+
                }
            }
        }
    };
}
pub(super) use events;
