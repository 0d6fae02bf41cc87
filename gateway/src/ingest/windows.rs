//! Limits requests per address and minute.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use moka::sync::Cache;

pub const MINUTE: Duration = Duration::from_secs(60);
/// Maximum number of counted addresses. Beyond it, the counts of the least used addresses start over.
const ADDRESSES: u64 = 100_000;

/// Counts requests per address, in windows of a minute that begin with the first request.
pub struct Windows {
    counts: Cache<IpAddr, Arc<Window>>,
    most: u32,
}

struct Window {
    begun: Instant,
    count: AtomicU32,
}

impl Windows {
    pub fn new(most: u32) -> Self {
        Self { counts: Cache::builder().max_capacity(ADDRESSES).time_to_live(MINUTE).build(), most }
    }

    /// Counts a request of a network. If it is one too many, returns how long the window still lasts.
    pub fn pass(&self, network: IpAddr) -> Result<(), Duration> {
        let begin = || Arc::new(Window { begun: Instant::now(), count: AtomicU32::new(0) });
        let window = self.counts.get_with(network, begin);
        let before =
            window.count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| Some(it.saturating_add(1)));
        match before.is_ok_and(|before| before < self.most) {
            true => Ok(()),
            false => Err(MINUTE.saturating_sub(window.begun.elapsed())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_own_share() {
        let windows = Windows::new(2);
        let pass = |address: &str| windows.pass(address.parse().unwrap()).is_ok();
        assert_eq!([pass("10.0.0.1"), pass("10.0.0.1"), pass("10.0.0.1")], [true, true, false]);
        assert!(pass("10.0.0.2"));
    }

    #[test]
    fn one_too_many_learns_how_long_the_window_still_lasts() {
        let windows = Windows::new(0);
        let left = || windows.pass("10.0.0.1".parse().unwrap()).unwrap_err();
        let first = left();
        assert!(first > MINUTE - Duration::from_secs(10) && first <= MINUTE, "{first:?}");
        std::thread::sleep(Duration::from_millis(2));
        assert!(left() < first, "it is the rest of the same window");
    }
}
