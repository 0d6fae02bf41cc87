//! A faulty network between separate services. Each pair of processes has its own proxy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kit::testing::{Fault, Proxy, Towards};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use tokio_util::sync::CancellationToken;

/// The connection from a client to a server, through a proxy.
struct Link {
    name: String,
    proxy: Proxy,
}

#[derive(Default)]
pub struct Network {
    links: Vec<Link>,
}

impl Network {
    /// Returns the address at which `from` reaches the server of a URL from now on.
    pub async fn through(&mut self, from: &str, to: &str, url: &str) -> String {
        let mut url = reqwest::Url::parse(url).unwrap();
        let target = format!("{}:{}", url.host_str().unwrap(), url.port_or_known_default().unwrap());
        let proxy = Proxy::start(target).await.unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(proxy.address().port())).unwrap();
        self.links.push(Link { name: format!("{from} to {to}"), proxy });
        url.as_str().trim_end_matches('/').to_owned()
    }

    /// Cuts every link to a server, and returns how many links that is.
    pub fn cut(&self, server: &str) -> usize {
        let links = self.links.iter().filter(|link| link.name.ends_with(&format!(" to {server}")));
        links.map(|link| link.proxy.set(Fault::Cut)).count()
    }

    /// Repairs every link.
    pub fn heal(&self) {
        self.links.iter().for_each(|link| link.proxy.heal());
    }

    /// Breaks random links, one after the other, until `stop`. Afterwards all links work. Counts the faults
    /// in `count`, and returns their descriptions.
    pub async fn sabotage(
        self,
        seed: u64,
        count: Arc<AtomicUsize>,
        stop: CancellationToken,
    ) -> (Self, Vec<String>) {
        let mut random = StdRng::seed_from_u64(seed);
        let mut broken = Vec::new();
        while !stop.is_cancelled() {
            let link = self.links.choose(&mut random).unwrap();
            let fault = match random.random_range(0..6) {
                0 => Fault::Cut,
                1 => Fault::Reset,
                2 => Fault::Stall,
                3 => Fault::Delay(Duration::from_millis(200)),
                4 => Fault::Rate(2_000),
                _ => Fault::CutAfter(random.random_range(0..5_000)),
            };
            match random.random_range(0..3) {
                0 => link.proxy.set_towards(Towards::Client, fault),
                1 => link.proxy.set_towards(Towards::Server, fault),
                _ => link.proxy.set(fault),
            }
            broken.push(format!("{}: {fault:?}", link.name));
            count.store(broken.len(), Ordering::Relaxed);
            let wait = Duration::from_millis(random.random_range(200..1_500));
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(wait) => {}
            }
            link.proxy.heal();
        }
        (self, broken)
    }
}
