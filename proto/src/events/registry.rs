//! What a row of the registry is, and the macro that makes the rows.

use std::marker::PhantomData;

use super::envelope::Payload;
use super::{ALL, PREFIX};

/// One kind of event.
#[derive(Debug)]
pub struct Entry {
    /// Aggregate, fact and version: the subject without the prefix and the service.
    pub name: &'static str,
    /// Services that emit it.
    pub owners: &'static [&'static str],
    /// What the envelope's `sequence` counts the events of. Nothing where events need no order.
    pub aggregate: Option<&'static str>,
    /// The call that tells of all that it is about, as it is now. Needed where somebody keeps a copy by it.
    pub snapshot: Option<&'static str>,
    /// When it is emitted and what it carries, for docs/events.md.
    pub when: &'static str,
    pub consumers: &'static [Reader],
    /// Whether the gateway passes it on to open screens.
    pub watched: bool,
}

impl Entry {
    /// Subject of the event, emitted by this service.
    pub fn subject(&self, service: &str) -> String {
        format!("{PREFIX}.{service}.{}", self.name)
    }

    /// One subject for each service that emits it.
    pub fn subjects(&self) -> impl Iterator<Item = String> {
        self.owners.iter().map(|owner| self.subject(owner))
    }
}

/// A consumer of an event.
#[derive(Debug)]
pub struct Reader {
    /// Durable: the service, and what it keeps.
    pub name: &'static str,
    pub effect: Effect,
}

/// What a consumer leaves behind, in words for docs/events.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// A copy of what another service owns: equal to what the owner has, and rebuilt from it.
    Copy(&'static str),
    /// An entry of its own for each event. Nothing is copied: what happened stays as it was told.
    Record(&'static str),
    /// Something is done, and nothing kept.
    Act(&'static str),
}

impl Effect {
    pub fn text(self) -> &'static str {
        let (Self::Copy(text) | Self::Record(text) | Self::Act(text)) = self;
        text
    }
}

impl Reader {
    /// The service that consumes.
    pub fn service(&self) -> &'static str {
        service_of(self.name)
    }
}

fn service_of(consumer: &'static str) -> &'static str {
    consumer.split_once('-').map_or(consumer, |(service, _)| service)
}

/// The payload of a kind of event.
pub trait Event: Into<Payload> + Send + 'static {
    const ENTRY: &'static Entry;

    /// Itself, unless the payload is another kind of event.
    fn of(payload: Payload) -> Option<Self>;
}

/// A consumer of the registry, with the type of the event it gets. Only rows of the registry make one.
pub struct Subscription<E> {
    name: &'static str,
    event: PhantomData<fn() -> E>,
}

impl<E: Event> Subscription<E> {
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, event: PhantomData }
    }

    /// Durable name of the consumer.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The service that consumes.
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

/// The copies that a service keeps, by the names of their consumers.
pub fn copies(service: &str) -> Vec<&'static str> {
    let readers = ALL.iter().flat_map(|entry| entry.consumers);
    let copies = readers.filter(|it| it.service() == service && matches!(it.effect, Effect::Copy(_)));
    copies.map(|it| it.name).collect()
}

/// The services that consume some event of this one.
pub fn readers(owner: &str) -> Vec<&'static str> {
    let owned = ALL.iter().filter(|entry| entry.owners.contains(&owner));
    let mut readers: Vec<_> = owned.flat_map(|entry| entry.consumers).map(Reader::service).collect();
    readers.sort_unstable();
    readers.dedup();
    readers
}

/// The consumers that a service has to run, each with one of its subjects.
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

/// The subjects that the gateway passes on to open screens.
pub fn watched() -> Vec<String> {
    ALL.iter().filter(|entry| entry.watched).flat_map(|entry| entry.subjects()).collect()
}

/// What a row says, if it says it.
pub(super) const fn first(said: &[&'static str]) -> Option<&'static str> {
    match said {
        [said, ..] => Some(said),
        [] => None,
    }
}

/// Makes the rows, the conversions of each payload, and a [`Subscription`] for each consumer.
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
            /// The row of this kind of event.
            pub fn entry(&self) -> &'static Entry {
                match self {
                    $(Self::$payload(_) => <$payload as Event>::ENTRY),+
                }
            }
        }
    };
}
pub(super) use events;
