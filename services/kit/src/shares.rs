//! Bounds concurrent work, in total and for each caller.
//!
//! The share per caller keeps one address or account from taking everything: with only a total, a few callers
//! that never leave would keep all others out.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use crate::metrics;

/// Admits up to `most` tasks in total, and up to `share` per key. Never waits: it refuses further ones.
pub struct Shares<K: Eq + Hash + Clone> {
    /// The limit's label in metrics.
    name: &'static str,
    most: usize,
    share: usize,
    taken: Arc<Mutex<Taken<K>>>,
}

struct Taken<K> {
    total: usize,
    each: HashMap<K, usize>,
}

impl<K: Eq + Hash + Clone> Shares<K> {
    /// Creates shares with this name in metrics.
    pub fn new(name: &'static str, most: usize, share: usize) -> Self {
        metrics::refusals(name, 0);
        Self { name, most, share, taken: Arc::new(Mutex::new(Taken { total: 0, each: HashMap::new() })) }
    }

    /// Returns a permit for this key, held until dropped; `None` when the total or the share is used up.
    pub fn enter(&self, key: K) -> Option<Permit<K>> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = taken.each.get(&key).copied().unwrap_or_default();
        if taken.total >= self.most || mine >= self.share {
            metrics::refused(self.name);
            return None;
        }
        taken.total += 1;
        taken.each.insert(key.clone(), mine + 1);
        Some(Permit { taken: self.taken.clone(), key })
    }
}

/// A permit of [`Shares`]; given back when dropped.
pub struct Permit<K: Eq + Hash + Clone> {
    taken: Arc<Mutex<Taken<K>>>,
    key: K,
}

impl<K: Eq + Hash + Clone> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.total -= 1;
        // Remove keys without permits, so that the map does not grow with every unknown caller.
        if let Some(count) = taken.each.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                taken.each.remove(&self.key);
            }
        }
    }
}

/// Returns the network that an address belongs to: the holder of one IPv6 address has its whole /64.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_gets_its_share_and_all_get_no_more_than_fits() {
        let shares = Shares::new("test", 3, 2);
        let a = [shares.enter("a").unwrap(), shares.enter("a").unwrap()];
        assert!(shares.enter("a").is_none(), "its share is taken");
        let b = shares.enter("b").unwrap();
        assert!(shares.enter("c").is_none(), "there is no more room at all");
        drop(a);
        let c = shares.enter("c").unwrap();
        assert!(shares.enter("c").is_some());
        drop((b, c));
        assert!(shares.taken.lock().unwrap().each.is_empty(), "nobody is remembered who holds nothing");
    }

    #[test]
    fn addresses_of_one_line_are_one() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
