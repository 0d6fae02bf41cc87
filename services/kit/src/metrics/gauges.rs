//! Values that are read when metrics are collected, or set by a worker from time to time.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;

/// All gauges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gauge {
    OutboxWaiting,
    OutboxOldest,
    OutboxRefused,
    ConsumerWaiting,
    IntakeOldest,
    DeadLetters,
    DeadLetterOldest,
    SendsWaiting,
    SendsFailed,
    SendOldestDue,
    JobsWaiting,
    JobsRunning,
    JobOldestDue,
    PoolConnections,
    PoolIdle,
    PoolLimit,
    GateRunning,
    GateWaiting,
    GateLimit,
    DependencyUp,
    Ready,
    CertificateLeft,
}

impl Gauge {
    const ALL: [Self; 22] = [
        Self::OutboxWaiting,
        Self::OutboxOldest,
        Self::OutboxRefused,
        Self::ConsumerWaiting,
        Self::IntakeOldest,
        Self::DeadLetters,
        Self::DeadLetterOldest,
        Self::SendsWaiting,
        Self::SendsFailed,
        Self::SendOldestDue,
        Self::JobsWaiting,
        Self::JobsRunning,
        Self::JobOldestDue,
        Self::PoolConnections,
        Self::PoolIdle,
        Self::PoolLimit,
        Self::GateRunning,
        Self::GateWaiting,
        Self::GateLimit,
        Self::DependencyUp,
        Self::Ready,
        Self::CertificateLeft,
    ];

    /// Returns name, unit and description.
    fn spec(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::OutboxWaiting => ("waybill.outbox.waiting", "", "Events that wait to be published"),
            Self::OutboxOldest => ("waybill.outbox.oldest", "s", "Age of the oldest event that waits"),
            Self::OutboxRefused => ("waybill.outbox.refused", "", "Events that can never be published"),
            Self::ConsumerWaiting => {
                ("waybill.consumer.waiting", "", "Events on the broker that a consumer has not dealt with")
            }
            Self::IntakeOldest => {
                ("waybill.intake.oldest", "s", "Age of the oldest report of a producer that is not kept yet")
            }
            Self::DeadLetters => ("waybill.dead_letters", "", "Events that a consumer gave up"),
            Self::DeadLetterOldest => ("waybill.dead_letter.oldest", "s", "Age of the oldest dead letter"),
            Self::SendsWaiting => ("waybill.sends.waiting", "", "Messages to other systems that wait"),
            Self::SendsFailed => ("waybill.sends.failed", "", "Messages to other systems that failed"),
            Self::SendOldestDue => {
                ("waybill.send.oldest_due", "s", "For how long the oldest message has been due")
            }
            Self::JobsWaiting => ("waybill.jobs.waiting", "", "Jobs that are due and have no worker"),
            Self::JobsRunning => ("waybill.jobs.running", "", "Jobs that a worker has"),
            Self::JobOldestDue => ("waybill.job.oldest_due", "s", "Age of the oldest job that is due"),
            Self::PoolConnections => ("waybill.pool.connections", "", "Open connections to a database"),
            Self::PoolIdle => ("waybill.pool.idle", "", "Of these, how many nobody uses"),
            Self::PoolLimit => ("waybill.pool.limit", "", "Connections that the pool may open"),
            Self::GateRunning => ("waybill.gate.running", "", "Costly pieces of work under way"),
            Self::GateWaiting => ("waybill.gate.waiting", "", "Costly pieces of work that wait"),
            Self::GateLimit => ("waybill.gate.limit", "", "Costly pieces of work that may run at once"),
            Self::DependencyUp => ("waybill.dependency.up", "", "Whether a dependency answers"),
            Self::Ready => ("waybill.ready", "", "Whether the process is ready"),
            Self::CertificateLeft => ("waybill.certificate.left", "s", "Time until a certificate expires"),
        }
    }
}

pub(super) type Read = Box<dyn Fn() -> Option<f64> + Send + Sync>;

struct Watched {
    gauge: Gauge,
    labels: Vec<KeyValue>,
    read: Read,
    /// The value of a [`Reading`]; once the reading is dropped, the gauge disappears. `None` for a watched
    /// value.
    owned: Option<std::sync::Weak<AtomicU64>>,
}

impl Watched {
    fn is_gone(&self) -> bool {
        match &self.owned {
            Some(owner) => owner.strong_count() == 0,
            None => (self.read)().is_none(),
        }
    }
}

type All = Arc<Mutex<Vec<Watched>>>;

pub(super) struct Gauges(All);

impl Gauges {
    pub fn new(meter: &Meter) -> Self {
        let all = All::default();
        for gauge in Gauge::ALL {
            let (name, unit, text) = gauge.spec();
            let watched = all.clone();
            meter
                .f64_observable_gauge(name)
                .with_unit(unit)
                .with_description(text)
                .with_callback(move |observer| {
                    let watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
                    for it in watched.iter().filter(|it| it.gauge == gauge) {
                        if let Some(value) = (it.read)() {
                            observer.observe(value, &it.labels);
                        }
                    }
                })
                .build();
        }
        Self(all)
    }

    pub fn watch(&self, gauge: Gauge, labels: &[(&'static str, &str)], read: Read) {
        self.add(gauge, labels, read, None);
    }

    pub fn reading(&self, gauge: Gauge, labels: &[(&'static str, &str)]) -> Reading {
        let value = Arc::new(AtomicU64::new(f64::NAN.to_bits()));
        let owned = Arc::downgrade(&value);
        let seen = owned.clone();
        let read = move || {
            let value = f64::from_bits(seen.upgrade()?.load(Ordering::Relaxed));
            (!value.is_nan()).then_some(value)
        };
        self.add(gauge, labels, Box::new(read), Some(owned));
        Reading(value)
    }

    fn add(
        &self,
        gauge: Gauge,
        labels: &[(&'static str, &str)],
        read: Read,
        owned: Option<std::sync::Weak<AtomicU64>>,
    ) {
        let labels = labels.iter().map(|(key, value)| KeyValue::new(*key, (*value).to_owned())).collect();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|it| !it.is_gone());
        all.push(Watched { gauge, labels, read, owned });
    }
}

/// A gauge that its owner sets. It is hidden until it is first set, and once it is dropped.
pub struct Reading(Arc<AtomicU64>);

impl Reading {
    pub fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }

    /// Hides the gauge until it is set again.
    pub fn clear(&self) {
        self.set(f64::NAN);
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reading").field(&f64::from_bits(self.0.load(Ordering::Relaxed))).finish()
    }
}
