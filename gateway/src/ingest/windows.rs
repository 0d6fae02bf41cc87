//! Limits requests per address and minute.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use moka::sync::Cache;

pub const MINUTE: Duration = Duration::from_secs(60);
/// Maximum number of counted addresses. Beyond it, the counts of the least used addresses start over.
const ADDRESSES: u64 = 100_000;

/// Counts requests per address, in windows of a minute that begin with the first request.
pub struct Windows {
    counts: Cache<IpAddr, Arc<AtomicU32>>,
    most: u32,
}

impl Windows {
    pub fn new(most: u32) -> Self {
        Self { counts: Cache::builder().max_capacity(ADDRESSES).time_to_live(MINUTE).build(), most }
    }

    /// Counts a request of a network; returns whether it is admitted.
    pub fn pass(&self, network: IpAddr) -> bool {
        let count = self.counts.get_with(network, Arc::default);
        let before =
            count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| Some(it.saturating_add(1)));
        before.is_ok_and(|before| before < self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_own_share() {
        let windows = Windows::new(2);
        let pass = |address: &str| windows.pass(address.parse().unwrap());
        assert_eq!([pass("10.0.0.1"), pass("10.0.0.1"), pass("10.0.0.1")], [true, true, false]);
        assert!(pass("10.0.0.2"));
    }
}
