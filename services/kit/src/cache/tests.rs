use std::time::Instant;

use super::*;
use crate::Kind;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(150);

fn url() -> String {
    std::env::var("WAYBILL_TEST_REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".to_owned())
}

fn key(id: &str) -> CacheKey {
    CacheKey::new("test", id)
}

async fn until_gone(cache: &Cache, key: &CacheKey) {
    let begun = Instant::now();
    while cache.get::<String>(key).await.unwrap().is_some() {
        assert!(begun.elapsed() < Duration::from_secs(10), "never went away");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn values_come_back(cache: &Cache) {
    cache.ready().await.unwrap();
    let (a, b) = (key("a"), key("b"));
    assert_eq!(cache.get::<String>(&a).await.unwrap(), None);
    cache.set(&a, &"one", LONG).await.unwrap();
    cache.set(&a, &"two", LONG).await.unwrap();
    cache.set(&b, &vec![1, 2, 3], LONG).await.unwrap();
    assert_eq!(cache.get::<String>(&a).await.unwrap().unwrap(), "two");
    assert_eq!(cache.get::<Vec<u8>>(&b).await.unwrap().unwrap(), [1, 2, 3]);
    assert_eq!(cache.get::<String>(&CacheKey::new("other", "a")).await.unwrap(), None);
    assert_eq!(cache.get::<u64>(&a).await.unwrap(), None, "of another type is a miss");
    cache.delete(&a).await.unwrap();
    cache.delete(&a).await.unwrap();
    assert_eq!(cache.get::<String>(&a).await.unwrap(), None);
    assert!(cache.get::<Vec<u8>>(&b).await.unwrap().is_some());
}

async fn values_end(cache: &Cache) {
    let (short, long, none) = (key("short"), key("long"), key("none"));
    cache.set(&long, &"x", SHORT).await.unwrap();
    cache.set(&long, &"x", LONG).await.unwrap();
    cache.set(&short, &"x", LONG).await.unwrap();
    cache.set(&short, &"x", SHORT).await.unwrap();
    cache.set(&none, &"x", Duration::ZERO).await.unwrap();
    assert_eq!(cache.get::<String>(&none).await.unwrap(), None);
    until_gone(cache, &short).await;
    assert!(cache.get::<String>(&long).await.unwrap().is_some(), "the last life time holds");
}

async fn counters_count_in_windows(cache: &Cache) {
    let a = key("count");
    let window = Duration::from_millis(400);
    let begun = Instant::now();
    let mut last = 0;
    for expected in 1..=5 {
        last = cache.increment(&a, window).await.unwrap();
        assert!(last == expected || begun.elapsed() >= window);
    }
    assert_eq!(cache.increment(&key("other"), window).await.unwrap(), 1);
    // The window is fixed: counting does not extend it.
    while last != 1 {
        assert!(begun.elapsed() < Duration::from_secs(10), "the window never ended");
        tokio::time::sleep(Duration::from_millis(20)).await;
        last = cache.increment(&a, window).await.unwrap();
    }
    assert!(begun.elapsed() >= window);
    cache.increment(&a, LONG).await.unwrap();
    cache.delete(&a).await.unwrap();
    assert_eq!(cache.increment(&a, LONG).await.unwrap(), 1);
}

async fn no_count_is_lost(cache: &Cache) {
    let counting = (0..50).map(|_| async { cache.increment(&key("many"), LONG).await.unwrap() });
    let mut counts = futures::future::join_all(counting).await;
    counts.sort_unstable();
    assert_eq!(counts, (1..=50).collect::<Vec<_>>());
}

macro_rules! cache_tests {
    ($cache:expr, $($name:ident),+) => {
        $(#[tokio::test]
        async fn $name() {
            super::$name(&$cache).await;
        })+
    };
}

mod memory {
    use super::*;

    cache_tests!(
        Cache::memory(1 << 20),
        values_come_back,
        values_end,
        counters_count_in_windows,
        no_count_is_lost
    );

    #[tokio::test]
    async fn it_does_not_grow_without_bound() {
        let cache = Cache::memory(20_000);
        for n in 0..500 {
            cache.set(&key(&n.to_string()), &"x".repeat(1000), LONG).await.unwrap();
        }
        let Store::Memory(memory) = &cache.0 else { unreachable!() };
        assert!(memory.settled_bytes().await <= 20_000);
    }
}

mod redis_server {
    use super::*;
    use crate::testing::{Fault, Proxy};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    /// Returns a cache whose keys no other test uses. Its entries expire by themselves.
    fn cache(url: &str) -> Cache {
        let prefix = format!("waybill-test-{}", crate::clock::new_id().simple());
        Cache::redis(&RedisConfig { prefix, ..RedisConfig::new(url) }).unwrap()
    }

    cache_tests!(cache(&url()), values_come_back, values_end, counters_count_in_windows, no_count_is_lost);

    async fn unavailable_soon(cache: &Cache) {
        let begun = Instant::now();
        let error = cache.get::<String>(&key("a")).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Unavailable, "CACHE_UNAVAILABLE"));
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn no_server_is_unavailable_at_once() {
        let cache = cache("redis://127.0.0.1:1");
        unavailable_soon(&cache).await;
        assert!(cache.ready().await.is_err());
        assert!(cache.increment(&key("a"), LONG).await.is_err());
    }

    #[tokio::test]
    async fn a_silent_server_is_unavailable_soon() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let cache = cache(&format!("redis://{}", listener.local_addr().unwrap()));
        unavailable_soon(&cache).await;
    }

    #[tokio::test]
    async fn it_comes_back_after_the_server_did() {
        let url = url();
        let proxy = Proxy::start(url.rsplit(['/', '@']).next().unwrap()).await.unwrap();
        let cache = cache(&proxy.url("redis"));
        cache.set(&key("a"), &"kept", LONG).await.unwrap();
        proxy.set(Fault::Cut);
        // Calls in progress at this moment may still succeed.
        while cache.get::<String>(&key("a")).await.is_ok() {
            tokio::task::yield_now().await;
        }
        unavailable_soon(&cache).await;

        proxy.heal();
        let begun = Instant::now();
        while cache.get::<String>(&key("a")).await.ok().flatten().as_deref() != Some("kept") {
            assert!(begun.elapsed() < Duration::from_secs(10), "never came back");
        }
    }

    #[tokio::test]
    async fn a_connection_that_fell_silent_is_replaced() {
        let url = url();
        let proxy = Proxy::start(url.rsplit(['/', '@']).next().unwrap()).await.unwrap();
        let cache = cache(&proxy.url("redis"));
        cache.set(&key("a"), &"kept", LONG).await.unwrap();
        proxy.strand();
        unavailable_soon(&cache).await;
        let begun = Instant::now();
        while cache.get::<String>(&key("a")).await.ok().flatten().as_deref() != Some("kept") {
            assert!(begun.elapsed() < Duration::from_secs(15), "the connection was not replaced");
        }
    }

    /// Accepts no changes, like a server that was demoted.
    async fn serve_read_only(mut stream: TcpStream) {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut bytes).await {
            let text = String::from_utf8_lossy(&bytes[..count]);
            let answer =
                if text.contains("PSETEX") { "-READONLY a read only replica\r\n" } else { "+OK\r\n" };
            // Each command begins with the number of its parts, as in `*3`.
            let answers = answer.repeat(text.matches('*').count());
            stream.write_all(answers.as_bytes()).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_server_that_was_demoted_is_not_ready_and_is_replaced() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::start(listener.local_addr().unwrap().to_string()).await.unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve_read_only(stream));
            }
        });
        let cache = cache(&proxy.url("redis"));
        assert!(cache.ready().await.is_err());

        let url = url();
        proxy.point_to(url.rsplit(['/', '@']).next().unwrap());
        let begun = Instant::now();
        while cache.set(&key("a"), &"x", LONG).await.is_err() {
            assert!(begun.elapsed() < Duration::from_secs(15), "the connection was not replaced");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        cache.ready().await.unwrap();
    }
}

#[test]
fn keys_say_what_they_are_and_do_not_say_whose() {
    let key = CacheKey::new("session", "secret-id");
    assert_eq!(key.text(PREFIX), "waybill:session:secret-id");
    assert!(!format!("{key:?}").contains("secret-id"));
    let config = RedisConfig::new("redis://:hunter2@cache:6379");
    assert!(!format!("{config:?}").contains("hunter2"));
    let error = Cache::redis(&RedisConfig::new("redis://:hunter2@")).err().map(|error| error.to_string());
    assert!(!error.unwrap_or_default().contains("hunter2"));
}
