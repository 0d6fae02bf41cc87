//! Bounds what is under way at once, in all and for each who asks.
//!
//! A share for each is what keeps one address or one account from taking everything: with a bound in
//! all alone, whoever comes first and stays keeps everybody else out.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use crate::metrics;

/// Admits up to `most`, and up to `share` of one key. Never waits: what does not fit is refused.
pub struct Shares<K: Eq + Hash + Clone> {
    /// In metrics.
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
    /// Shares that metrics know by this name.
    pub fn new(name: &'static str, most: usize, share: usize) -> Self {
        Self { name, most, share, taken: Arc::new(Mutex::new(Taken { total: 0, each: HashMap::new() })) }
    }

    /// Room for one more of this key, until the permit is dropped.
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

/// Room in a [`Shares`]; given back when dropped.
pub struct Permit<K: Eq + Hash + Clone> {
    taken: Arc<Mutex<Taken<K>>>,
    key: K,
}

impl<K: Eq + Hash + Clone> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.total -= 1;
        // Only keys that hold something are kept, or the map would grow with every stranger.
        if let Some(count) = taken.each.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                taken.each.remove(&self.key);
            }
        }
    }
}

/// Whom an address belongs to: whoever has one address of IPv6 has all of its /64.
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
