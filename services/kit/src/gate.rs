//! Bounds work that takes much time or memory: N tasks run, M wait, and further ones are refused.
//!
//! [`SharedGate`] adds a share for each caller. For limits without waiting see [`crate::shares`].

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::metrics::{self, Gauge};
use crate::shares::{Permit, Shares};

/// Lets `workers` tasks run and `waiting` others wait. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
    /// The gate's label in metrics.
    name: &'static str,
    /// Maximum number of tasks that run.
    most: usize,
    workers: Arc<Semaphore>,
    /// Permits for the tasks that run or wait.
    room: Arc<Semaphore>,
}

/// A place in the queue, without a turn yet.
pub struct Queued {
    workers: Arc<Semaphore>,
    /// For how many tasks this one counts.
    weight: u32,
    room: OwnedSemaphorePermit,
}

/// A task's turn to run, which ends when this is dropped. Keep it until the work is done, even if the caller
/// has gone.
pub struct Turn {
    _worker: Option<OwnedSemaphorePermit>,
    _room: OwnedSemaphorePermit,
}

impl Gate {
    /// Creates a gate with this name in metrics.
    pub fn new(name: &'static str, workers: usize, waiting: usize) -> Self {
        let room = workers.saturating_add(waiting).min(Semaphore::MAX_PERMITS);
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        let this = Self { name, most: workers, workers: semaphore(workers), room: semaphore(room) };
        this.watch(room);
        metrics::refusals(name, 0);
        this
    }

    fn watch(&self, room: usize) {
        let label = [("gate", self.name)];
        let most = self.most;
        // Weak references, so that a dropped gate disappears from metrics.
        let (workers, places) = (Arc::downgrade(&self.workers), Arc::downgrade(&self.room));
        let running = move || Some(most.saturating_sub(workers.upgrade()?.available_permits()));
        let inside = move || Some(room.saturating_sub(places.upgrade()?.available_permits()));
        let is_running = running.clone();
        metrics::watch(Gauge::GateRunning, &label, move || Some(is_running()? as f64));
        let is_running = running.clone();
        metrics::watch(Gauge::GateWaiting, &label, move || {
            Some(inside()?.saturating_sub(is_running()?) as f64)
        });
        metrics::watch(Gauge::GateLimit, &label, move || running().map(|_| most as f64));
    }

    /// Returns a place in the queue; `None` when too many tasks run or wait already.
    pub fn queue(&self) -> Option<Queued> {
        self.queue_of(1)
    }

    /// Returns a place for a task that counts for `weight` tasks, but at most for all that may run; `None`
    /// when too many run or wait already.
    pub fn queue_of(&self, weight: usize) -> Option<Queued> {
        let weight = u32::try_from(weight.clamp(1, self.most.max(1))).unwrap_or(u32::MAX);
        let Ok(room) = self.room.clone().try_acquire_many_owned(weight) else {
            metrics::refused(self.name);
            return None;
        };
        Some(Queued { workers: self.workers.clone(), weight, room })
    }

    /// Waits for a turn; `None` when too many tasks run or wait already.
    pub async fn enter(&self) -> Option<Turn> {
        Some(self.queue()?.turn().await)
    }
}

impl Queued {
    /// Waits for the turn.
    pub async fn turn(self) -> Turn {
        // Fails only for a closed semaphore, and this one is never closed.
        let worker = self.workers.acquire_many_owned(self.weight).await.ok();
        Turn { _worker: worker, _room: self.room }
    }
}

/// A [`Gate`] with a share for each key: N of the key's tasks run, M wait, and further ones are refused, even
/// if other keys leave room. Cheap to clone.
#[derive(Clone)]
pub struct SharedGate<K: Eq + Hash + Clone> {
    gate: Gate,
    room: Arc<Shares<K>>,
    running_each: usize,
    /// The semaphores of keys with running or waiting tasks.
    turns: Arc<Mutex<HashMap<K, Weak<Semaphore>>>>,
}

/// Limits of a [`SharedGate`]: for all tasks together, and for those of one key.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub running: usize,
    pub waiting: usize,
    pub running_each: usize,
    pub waiting_each: usize,
}

/// Why a [`SharedGate`] refuses a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Too many tasks run or wait.
    Full,
    /// The key's share is used up.
    Share,
}

/// A place in a [`SharedGate`]; given back when dropped. Wait for the key's own turn first, then for a turn
/// among all tasks.
pub struct Place<K: Eq + Hash + Clone> {
    own: Arc<Semaphore>,
    workers: Arc<Semaphore>,
    _share: Permit<K>,
    _room: OwnedSemaphorePermit,
}

impl<K: Eq + Hash + Clone> SharedGate<K> {
    /// Creates a gate with this name in metrics.
    pub fn new(name: &'static str, limits: Limits) -> Self {
        let Limits { running, waiting, running_each, waiting_each } = limits;
        Self {
            gate: Gate::new(name, running, waiting),
            room: Arc::new(Shares::new(name, usize::MAX, running_each.saturating_add(waiting_each))),
            running_each,
            turns: Arc::default(),
        }
    }

    /// Returns a place for a task that runs or waits.
    ///
    /// # Errors
    ///
    /// Fails immediately when the key's share or the whole gate is full.
    pub fn enter(&self, key: K) -> Result<Place<K>, Refused> {
        let share = self.room.enter(key.clone()).ok_or(Refused::Share)?;
        let Queued { workers, room, .. } = self.gate.queue().ok_or(Refused::Full)?;
        Ok(Place { own: self.turns_of(key), workers, _share: share, _room: room })
    }

    fn turns_of(&self, key: K) -> Arc<Semaphore> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = turns.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        // Keep only keys with tasks, so that the map does not grow with every unknown caller.
        turns.retain(|_, it| it.strong_count() > 0);
        let own = Arc::new(Semaphore::new(self.running_each));
        turns.insert(key, Arc::downgrade(&own));
        own
    }
}

impl<K: Eq + Hash + Clone> Place<K> {
    /// Waits until fewer tasks of this key run than one key may run at once (`running_each`). Dropping the
    /// permit lets the key's next task continue. Call [`Self::turn`] afterwards.
    pub async fn own_turn(&self) -> Option<OwnedSemaphorePermit> {
        // Fails only for a closed semaphore, and this one is never closed.
        self.own.clone().acquire_owned().await.ok()
    }

    /// Waits for a turn among the tasks of all keys; dropping the permit ends the turn.
    pub async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        self.workers.clone().acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { running: 3, waiting: 3, running_each: 2, waiting_each: 1 };

    #[tokio::test]
    async fn a_key_has_its_share_and_others_get_the_rest() {
        let gate = SharedGate::new("test", LIMITS);
        let places: Vec<_> = (0..3).map(|_| gate.enter("a").unwrap()).collect();
        assert_eq!(gate.enter("a").err(), Some(Refused::Share));
        let mut turns = Vec::new();
        for place in &places[..2] {
            turns.push((place.own_turn().await.unwrap(), place.turn().await.unwrap()));
        }
        let mut third = Box::pin(places[2].own_turn());
        assert!(futures::poll!(&mut third).is_pending(), "two of this key run");
        let other = gate.enter("b").unwrap();
        let _turn = (other.own_turn().await.unwrap(), other.turn().await.unwrap());
        drop(turns.pop());
        assert!(third.await.is_some());
        let _waiting = [gate.enter("b").unwrap(), gate.enter("b").unwrap()];
        assert_eq!(gate.enter("c").err(), Some(Refused::Full));
    }

    #[test]
    fn a_new_limit_shows_that_it_has_refused_nothing() {
        let _gate = Gate::new("test_new_gate", 1, 1);
        let _shares = Shares::<u8>::new("test_new_shares", 1, 1);
        for name in ["test_new_gate", "test_new_shares"] {
            let refused = crate::testing::metric_value("waybill_refused_total", &[("limit", name)]);
            assert_eq!(refused, Some(0.0), "{name}");
        }
    }

    #[tokio::test]
    async fn keys_that_left_are_forgotten() {
        let gate = SharedGate::new("test", LIMITS);
        drop(gate.enter("a").unwrap());
        let _here = gate.enter("b").unwrap();
        assert_eq!(gate.turns.lock().unwrap().keys().collect::<Vec<_>>(), [&"b"]);
        assert!(gate.enter("a").is_ok());
    }

    #[tokio::test]
    async fn some_run_some_wait_and_the_rest_is_refused() {
        let gate = Gate::new("test", 1, 1);
        let running = gate.enter().await.unwrap();
        let mut waiting = Box::pin(gate.enter());
        assert!(futures::poll!(&mut waiting).is_pending());
        assert!(gate.queue().is_none() && gate.enter().await.is_none());
        drop(running);
        let running = waiting.await.unwrap();
        let queued = gate.queue().unwrap();
        assert!(gate.queue().is_none());
        drop(running);
        let _running = queued.turn().await;
        assert!(gate.queue().is_some());
    }

    #[tokio::test]
    async fn a_heavy_task_takes_the_place_of_several() {
        let gate = Gate::new("test", 3, 3);
        let light = gate.enter().await.unwrap();
        // Counts for all that may run, not for nine.
        let mut heavy = Box::pin(gate.queue_of(9).unwrap().turn());
        assert!(futures::poll!(&mut heavy).is_pending());
        assert!(gate.queue_of(3).is_none(), "two more have room");
        drop(light);
        let heavy = heavy.await;
        let mut next = Box::pin(gate.enter());
        assert!(futures::poll!(&mut next).is_pending());
        drop(heavy);
        assert!(next.await.is_some());
    }

    #[tokio::test]
    async fn one_that_gives_up_waiting_makes_room() {
        let gate = Gate::new("test", 1, 1);
        let _running = gate.enter().await.unwrap();
        drop(gate.queue().unwrap());
        assert!(gate.queue().is_some());
        assert!(Gate::new("test", 0, 0).queue().is_none());
        assert!(Gate::new("test", 1, usize::MAX).queue().is_some());
    }
}
