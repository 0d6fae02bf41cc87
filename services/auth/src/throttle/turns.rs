//! Limits concurrent attempts on one account in this process to the number of free wrong attempts, so that a
//! burst on one account does not use up the capacity for others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::counters::Key;

/// Cheap to clone; clones share their state.
#[derive(Clone, Default)]
pub struct Turns(Arc<Mutex<HashMap<Key, u32>>>);

/// One attempt in progress, until dropped.
pub struct Turn {
    turns: Turns,
    key: Key,
}

impl Turns {
    /// Begins another attempt; `None` when `most` are in progress.
    pub fn begin(&self, key: &Key, most: u32) -> Option<Turn> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.entry(key.clone()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Turn { turns: self.clone(), key: key.clone() })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut all = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                all.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_end_and_leave_nothing_behind() {
        let turns = Turns::default();
        let (one, other) = (vec![1], vec![2]);
        let held = [turns.begin(&one, 2).unwrap(), turns.begin(&one, 2).unwrap()];
        assert!(turns.begin(&one, 2).is_none());
        assert!(turns.begin(&other, 2).is_some(), "another account has turns of its own");
        let [first, second] = held;
        drop(first);
        let third = turns.begin(&one, 2).unwrap();
        drop((second, third));
        assert!(turns.0.lock().unwrap().is_empty());
    }
}
