//! Limits how many unpaired devices one address may add to the list.
//!
//! A device has no credentials, so anybody may invent ids. The list is short, and above its maximum the
//! device that was last seen longest ago is removed: without this limit, one address could push out all other
//! devices. Counts are kept per process and lost with it, which is enough: the limit keeps a list readable
//! and protects no secret.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kit::network;

/// Maximum number of devices per address and hour: more than an office pairs, and few compared to the list.
const OF_ONE_ADDRESS: usize = 100;
const WINDOW: Duration = Duration::from_secs(3600);
/// Maximum number of addresses that are counted. Above it, the oldest are dropped and their counts start
/// over.
const ADDRESSES: u64 = 10_000;

type Heard = Arc<Mutex<HashSet<String>>>;

pub struct Strangers(moka::sync::Cache<String, Heard>);

impl Default for Strangers {
    fn default() -> Self {
        Self(moka::sync::Cache::builder().max_capacity(ADDRESSES).time_to_live(WINDOW).build())
    }
}

impl Strangers {
    /// Returns whether a device of this address may be added to the list, or was added before.
    pub fn may_be_listed(&self, address: &str, device_key: &str) -> bool {
        let heard = self.0.get_with(network::of(address).unwrap_or_default(), Heard::default);
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.len() < OF_ONE_ADDRESS {
            heard.insert(device_key.to_owned());
        }
        heard.contains(device_key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_and_others_have_theirs() {
        let strangers = Strangers::default();
        let all =
            |address: &str| (0..150).filter(|n| strangers.may_be_listed(address, &format!("d{n}"))).count();
        assert_eq!(all("203.0.113.7"), OF_ONE_ADDRESS);
        assert_eq!(all("203.0.113.7"), OF_ONE_ADDRESS, "those that are on it stay");
        assert_eq!(all("203.0.113.8"), OF_ONE_ADDRESS);
        assert_eq!(all("2001:db8:1:2::1"), OF_ONE_ADDRESS);
        assert!(!strangers.may_be_listed("2001:db8:1:2:ffff::9", "e"), "one network, however many addresses");
        assert_eq!((all(""), all("nowhere")), (OF_ONE_ADDRESS, OF_ONE_ADDRESS));
    }
}
