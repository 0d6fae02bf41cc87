//! The effect of each fault on a client and a server that exchange lines.

use std::io::ErrorKind;

use super::*;

const SOON: Duration = Duration::from_secs(5);
const A_MOMENT: Duration = Duration::from_millis(150);

/// Echoes what comes, until its task ends.
struct Echo {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn echo() -> Echo {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut socket, _)) = listener.accept().await {
            connections.spawn(async move {
                let (mut from, mut to) = socket.split();
                let _ = tokio::io::copy(&mut from, &mut to).await;
            });
        }
    });
    Echo { address, task }
}

async fn world() -> (Echo, Proxy) {
    let echo = echo().await;
    let proxy = Proxy::start(echo.address.to_string()).await.unwrap();
    (echo, proxy)
}

async fn connect(proxy: &Proxy) -> TcpStream {
    TcpStream::connect(proxy.address()).await.unwrap()
}

async fn ask(client: &mut TcpStream, text: &str) -> std::io::Result<String> {
    client.write_all(text.as_bytes()).await?;
    read_back(client, text.len()).await
}

async fn read_back(client: &mut TcpStream, bytes: usize) -> std::io::Result<String> {
    let mut answer = vec![0; bytes];
    tokio::time::timeout(SOON, client.read_exact(&mut answer)).await.expect("nothing came")?;
    Ok(String::from_utf8(answer).unwrap())
}

/// Reads a connection to its end; returns what came and how it ended.
async fn end(client: &mut TcpStream) -> (Vec<u8>, Option<ErrorKind>) {
    let mut all = Vec::new();
    let read = tokio::time::timeout(SOON, client.read_to_end(&mut all)).await.expect("it did not end");
    (all, read.err().map(|error| error.kind()))
}

async fn is_silent(client: &mut TcpStream) -> bool {
    let mut byte = [0];
    tokio::time::timeout(A_MOMENT, client.read(&mut byte)).await.is_err()
}

async fn until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < SOON, "{what}");
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn without_a_fault_everything_passes_and_is_counted() {
    let (_echo, proxy) = world().await;
    let mut client = connect(&proxy).await;
    assert_eq!(ask(&mut client, "hello").await.unwrap(), "hello");
    let much = "x".repeat(1_000_000);
    let (mut from, mut to) = client.split();
    let sending = async {
        to.write_all(much.as_bytes()).await.unwrap();
        to.shutdown().await.unwrap();
    };
    let mut back = String::new();
    let (read, ()) = tokio::join!(from.read_to_string(&mut back), sending);
    assert_eq!((read.unwrap(), back), (much.len(), much), "a half that has ended leaves the other open");
    assert_eq!((proxy.passed(Towards::Server), proxy.passed(Towards::Client)), (1_000_005, 1_000_005));
    drop(client);
    until("the connection stays open", || proxy.open() == 0).await;
    assert_eq!(proxy.accepted(), 1);
}

#[tokio::test]
async fn a_cut_ends_what_is_open_and_what_comes_until_healed() {
    let (_echo, proxy) = world().await;
    let mut client = connect(&proxy).await;
    ask(&mut client, "hello").await.unwrap();
    proxy.set(Fault::Cut);
    assert_eq!(end(&mut client).await, (vec![], None));
    assert_eq!(end(&mut connect(&proxy).await).await, (vec![], None));
    proxy.heal();
    assert_eq!(ask(&mut connect(&proxy).await, "again").await.unwrap(), "again");
}

#[tokio::test]
async fn a_reset_is_seen_as_one() {
    let (_echo, proxy) = world().await;
    let mut client = connect(&proxy).await;
    ask(&mut client, "hello").await.unwrap();
    proxy.set_towards(Towards::Client, Fault::Reset);
    assert_eq!(end(&mut client).await, (vec![], Some(ErrorKind::ConnectionReset)));
    proxy.heal();
    assert_eq!(ask(&mut connect(&proxy).await, "again").await.unwrap(), "again");
}

#[tokio::test]
async fn a_half_open_link_keeps_connections_and_holds_every_byte_back() {
    let (echo, proxy) = world().await;
    let mut old = connect(&proxy).await;
    ask(&mut old, "hello").await.unwrap();
    proxy.set(Fault::Stall);
    old.write_all(b"held").await.unwrap();
    let mut new = connect(&proxy).await;
    new.write_all(b"too").await.unwrap();
    assert!(is_silent(&mut old).await && is_silent(&mut new).await);
    // The end of the server's connection does not arrive, either.
    drop(echo);
    assert!(is_silent(&mut old).await);
    let other = self::echo().await;
    proxy.point_to(other.address.to_string());
    proxy.heal();
    assert_ne!(end(&mut old).await.0, b"held", "its server is gone");
    let mut third = connect(&proxy).await;
    assert_eq!(ask(&mut third, "back").await.unwrap(), "back");
}

#[tokio::test]
async fn what_was_held_back_arrives_after_healing() {
    let (_echo, proxy) = world().await;
    let mut client = connect(&proxy).await;
    // Requests arrive, responses do not: the caller cannot know whether its request arrived.
    proxy.set_towards(Towards::Client, Fault::Stall);
    client.write_all(b"hello").await.unwrap();
    until("the request did not arrive", || proxy.passed(Towards::Server) == 5).await;
    assert!(is_silent(&mut client).await);
    assert_eq!(proxy.passed(Towards::Client), 0);
    proxy.heal();
    assert_eq!(read_back(&mut client, 5).await.unwrap(), "hello");
}

#[tokio::test]
async fn stranded_connections_stay_so_and_new_ones_pass() {
    let (_echo, proxy) = world().await;
    let mut old = connect(&proxy).await;
    ask(&mut old, "hello").await.unwrap();
    proxy.strand();
    old.write_all(b"lost").await.unwrap();
    assert_eq!(ask(&mut connect(&proxy).await, "new").await.unwrap(), "new");
    proxy.heal();
    assert!(is_silent(&mut old).await);
    proxy.set(Fault::Reset);
    assert_eq!(end(&mut old).await.1, Some(ErrorKind::ConnectionReset));
}

#[tokio::test]
async fn a_delay_delays_each_byte_and_not_each_after_the_other() {
    let (_echo, proxy) = world().await;
    let mut client = connect(&proxy).await;
    proxy.set_towards(Towards::Client, Fault::Delay(Duration::from_millis(200)));
    let begun = Instant::now();
    for _ in 0..8 {
        client.write_all(b"x").await.unwrap();
        sleep(Duration::from_millis(5)).await;
    }
    read_back(&mut client, 8).await.unwrap();
    let took = begun.elapsed();
    assert!((200..1000).contains(&took.as_millis()), "{took:?}");
}

#[tokio::test]
async fn a_slow_line_passes_so_many_bytes_a_second() {
    let (_echo, proxy) = world().await;
    let mut client = connect(&proxy).await;
    proxy.set_towards(Towards::Client, Fault::Rate(20_000));
    let begun = Instant::now();
    ask(&mut client, &"x".repeat(8_000)).await.unwrap();
    // The proxy pauses after each piece, so the client does not wait for the last pause.
    let took = begun.elapsed();
    assert!((330..3000).contains(&took.as_millis()), "{took:?}");
}

#[tokio::test]
async fn an_answer_breaks_off_after_so_many_bytes() {
    let (_echo, proxy) = world().await;
    let mut client = connect(&proxy).await;
    ask(&mut client, "before").await.unwrap();
    proxy.set_towards(Towards::Client, Fault::CutAfter(7));
    assert_eq!(ask(&mut client, "abc").await.unwrap(), "abc");
    client.write_all(b"defghij").await.unwrap();
    assert_eq!(end(&mut client).await.0, b"defg");
    // The bytes are counted separately for each connection.
    let mut client = connect(&proxy).await;
    client.write_all(b"0123456789").await.unwrap();
    assert_eq!(end(&mut client).await.0, b"0123456");
}

#[tokio::test]
async fn a_server_that_is_away_cuts_its_clients() {
    let (echo, proxy) = world().await;
    let mut client = connect(&proxy).await;
    ask(&mut client, "hello").await.unwrap();
    drop(echo);
    end(&mut client).await;
    end(&mut connect(&proxy).await).await;
    let address = proxy.address();
    drop(proxy);
    let begun = Instant::now();
    while TcpStream::connect(address).await.is_ok() {
        assert!(begun.elapsed() < SOON, "a dropped proxy still listens");
    }
}
