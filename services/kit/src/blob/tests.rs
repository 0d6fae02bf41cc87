use std::convert::Infallible;

use futures::stream;

use super::*;
use crate::clock::Clock;
use crate::testing::{S3Server, s3_server};

pub fn key(text: &str) -> Key {
    Key::parse(text).unwrap()
}

pub struct Local {
    pub dir: tempfile::TempDir,
    pub clock: Clock,
    pub blob: Blob,
    pub local: LocalBlob,
}

pub fn local(public_url: Option<&str>) -> Local {
    let dir = tempfile::tempdir().unwrap();
    let clock = Clock::fixed(DateTime::from_timestamp(1_800_000_000, 0).unwrap());
    let config = LocalConfig {
        root: dir.path().join("objects"),
        public_url: public_url.map(str::to_owned),
        secret: "0123456789abcdef0123456789abcdef".to_owned().into(),
    };
    let local = LocalBlob::new(config, clock.clone()).unwrap();
    Local { dir, clock, blob: Blob::Local(local.clone()), local }
}

impl Local {
    /// Every file below the root, uploads in progress included.
    pub fn files(&self) -> Vec<String> {
        fn walk(dir: &Path, found: &mut Vec<String>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => walk(&path, found),
                    false => found.push(path.to_string_lossy().into_owned()),
                }
            }
        }
        let mut found = Vec::new();
        walk(self.dir.path(), &mut found);
        found
    }
}

pub fn chunks(parts: &[&'static [u8]]) -> impl Stream<Item = Result<Bytes, Infallible>> + use<> {
    stream::iter(parts.iter().map(|part| Ok(Bytes::from_static(part))).collect::<Vec<_>>())
}

use futures::Stream;

/// The parts of a link, as the gateway parses it.
pub struct Parts {
    method: String,
    key: String,
    expires: i64,
    max: Option<u64>,
    pub signature: String,
    /// A name that needs no encoding, and its signature.
    name: Option<(String, String)>,
}

impl Parts {
    pub fn link(&self) -> Link<'_> {
        let name = self.name.as_ref().map(|(name, signature)| SignedName { name, signature });
        Link { expires: self.expires, max: self.max, signature: &self.signature, name }
    }
}

pub fn parts(link: &str) -> Parts {
    let (address, query) = link.split_once('?').unwrap();
    let field = |name: &str| {
        let found = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        found.map(str::to_owned)
    };
    Parts {
        method: field("method").unwrap(),
        key: address.split_once("/objects/").unwrap().1.to_owned(),
        expires: field("expires").unwrap().parse().unwrap(),
        max: field("max").map(|max| max.parse().unwrap()),
        signature: field("signature").unwrap(),
        name: field("name").zip(field("name_signature")),
    }
}

async fn keeps_objects(blob: &Blob, dir: &Path) {
    let (a, none) = (key("uploads/a-1.csv"), key("uploads/none"));
    blob.ready().await.unwrap();
    assert_eq!(blob.head(&a).await.unwrap(), None);
    blob.create(&a, Bytes::from_static(b"one")).await.unwrap();
    blob.put(&a, Bytes::from_static(b"three")).await.unwrap();
    assert_eq!(blob.create(&a, Bytes::from_static(b"two")).await.unwrap_err().reason, "OBJECT_EXISTS");
    assert_eq!(blob.head(&a).await.unwrap().unwrap().size, 5);
    assert_eq!(blob.get(&a, 5).await.unwrap(), "three");
    assert_eq!(blob.get(&a, 4).await.unwrap_err().reason, "OBJECT_TOO_LARGE");
    assert_eq!(blob.get(&none, 5).await.unwrap_err().kind, Kind::NotFound);

    let (info, content) = blob.read(&a).await.unwrap();
    let read: Vec<Bytes> = content.map(Result::unwrap).collect().await;
    assert_eq!((info.size, read.concat()), (5, b"three".to_vec()));

    let file = dir.join("downloaded");
    assert_eq!(blob.download(&a, &file, 5).await.unwrap(), 5);
    assert_eq!(std::fs::read(&file).unwrap(), b"three");
    let other = dir.join("refused");
    assert_eq!(blob.download(&a, &other, 4).await.unwrap_err().reason, "OBJECT_TOO_LARGE");
    assert_eq!(blob.download(&none, &other, 4).await.unwrap_err().reason, "OBJECT_NOT_FOUND");
    assert!(!other.exists());

    blob.delete(&a).await.unwrap();
    blob.delete(&a).await.unwrap();
    assert_eq!(blob.head(&a).await.unwrap(), None);
}

#[tokio::test]
async fn a_directory_keeps_objects() {
    let f = local(None);
    keeps_objects(&f.blob, f.dir.path()).await;
}

/// A small object fails when it is flushed, a large one while it is written.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_download_to_a_full_disk_can_be_tried_again() {
    let f = local(None);
    let a = key("uploads/a.csv");
    for size in [5, 5 << 20] {
        f.blob.put(&a, vec![b'x'; size].into()).await.unwrap();
        let file = f.dir.path().join("downloaded");
        std::os::unix::fs::symlink("/dev/full", &file).unwrap();
        let error = f.blob.download(&a, &file, size as u64).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::StorageFull, "STORAGE_FULL"), "{error:?}");
        assert!(error.is_transient() && std::fs::symlink_metadata(&file).is_err());
    }
}

#[tokio::test]
async fn a_local_link_opens_what_it_says() {
    for (public, starts) in [(None, "/objects/"), (Some("https://w.example/"), "https://w.example/objects/")]
    {
        let f = local(public);
        let a = key("uploads/a.csv");
        let link = f.blob.presign_put(&a, LINK_TTL, 3).await.unwrap();
        assert!(link.starts_with(starts), "{link}");
        let it = parts(&link);
        let said = (it.method.as_str(), it.key.as_str(), it.expires);
        assert_eq!(said, ("PUT", "uploads/a.csv", 1_800_000_300));
        assert_eq!(f.local.verify_put(&a, &it.link(), f.clock.now()).unwrap(), 3);
        assert_eq!(f.local.write_stream(&a, chunks(&[b"ab", b"c"]), 3).await.unwrap(), 3);
        assert_eq!(f.blob.get(&a, 3).await.unwrap(), "abc");
        assert_eq!(f.blob.key_of(link.split_once('?').unwrap().0).unwrap(), a);
        assert_eq!(f.blob.url_of(&a), link.split_once('?').unwrap().0);
        assert_eq!(f.files().len(), 1, "nothing but the object is left");
    }
}

#[tokio::test]
async fn a_changed_local_link_opens_nothing() {
    let f = local(None);
    let a = key("uploads/a.csv");
    let get = parts(&f.blob.presign_get(&a, "a.csv", LINK_TTL).await.unwrap());
    let put = parts(&f.blob.presign_put(&a, LINK_TTL, 1_000).await.unwrap());
    let now = f.clock.now();
    let is_refused = |answer: Result<()>| {
        let error = answer.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "LINK_INVALID"));
    };
    let reading = |key: &Key, link: Link<'_>| is_refused(f.local.verify_get(key, &link, now));
    let writing = |key: &Key, link: Link<'_>| is_refused(f.local.verify_put(key, &link, now).map(|_| ()));
    f.local.verify_get(&a, &get.link(), now).unwrap();
    f.local.verify_put(&a, &put.link(), now).unwrap();
    writing(&a, get.link());
    reading(&a, put.link());
    reading(&key("uploads/b.csv"), get.link());
    writing(&key("uploads/b.csv"), put.link());
    reading(&a, Link { expires: get.expires + 1, ..get.link() });
    for max in [None, Some(999), Some(1_001), Some(u64::MAX)] {
        writing(&a, Link { max, ..put.link() });
    }
    let signature = get.signature.as_str();
    for bad in ["", "00", "zz", &signature[1..], &format!("{signature}00"), &signature.to_uppercase()] {
        reading(&a, Link { signature: bad, ..get.link() });
    }
    for at in 0..signature.len() {
        let mut changed = signature.to_owned().into_bytes();
        changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
        reading(&a, Link { signature: std::str::from_utf8(&changed).unwrap(), ..get.link() });
    }
    // A link of another installation, which differs from ours only in the secret.
    let config = LocalConfig {
        root: f.dir.path().join("other"),
        public_url: None,
        secret: "another secret of 32 characters!".to_owned().into(),
    };
    let other = Blob::Local(LocalBlob::new(config, f.clock.clone()).unwrap());
    reading(&a, parts(&other.presign_get(&a, "a.csv", LINK_TTL).await.unwrap()).link());
}

#[tokio::test]
async fn a_local_link_ends_to_the_second_and_after_five_minutes_at_most() {
    let f = local(None);
    let a = key("a");
    let link = parts(&f.blob.presign_get(&a, "a", Duration::from_secs(86_400)).await.unwrap());
    f.clock.advance(chrono::Duration::seconds(299));
    f.local.verify_get(&a, &link.link(), f.clock.now()).unwrap();
    f.clock.advance(chrono::Duration::seconds(1));
    let error = f.local.verify_get(&a, &link.link(), f.clock.now()).unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "LINK_EXPIRED"));
    // The text must say why the link doesn't work: a new one helps.
    assert!(error.message.contains("has expired"), "{error:?}");
}

#[tokio::test]
async fn an_upload_never_replaces() {
    let f = local(None);
    let a = key("uploads/a.csv");
    f.local.write_stream(&a, chunks(&[b"first"]), 10).await.unwrap();
    let error = f.local.write_stream(&a, chunks(&[b"second"]), 10).await.unwrap_err();
    assert_eq!(error.kind, Kind::AlreadyExists);
    // Of two uploads at the same time one wins, and its object is complete.
    let b = key("uploads/b.csv");
    let (one, two) = tokio::join!(
        f.local.write_stream(&b, chunks(&[b"1", b"1"]), 10),
        f.local.write_stream(&b, chunks(&[b"2", b"2"]), 10),
    );
    assert!(one.is_ok() != two.is_ok());
    let winner = if one.is_ok() { "11" } else { "22" };
    assert_eq!(f.blob.get(&b, 10).await.unwrap(), winner);
    assert_eq!(f.blob.get(&a, 10).await.unwrap(), "first");
    assert_eq!(f.files().len(), 2);
}

#[tokio::test]
async fn half_an_upload_leaves_nothing() {
    let f = local(None);
    let a = key("uploads/a.csv");
    let error = f.local.write_stream(&a, chunks(&[b"12345", b"6"]), 5).await.unwrap_err();
    assert_eq!(error.reason, "OBJECT_TOO_LARGE");
    let broken = stream::iter([Ok(Bytes::from_static(b"12")), Err("connection reset")]);
    assert_eq!(f.local.write_stream(&a, broken, 5).await.unwrap_err().reason, "UPLOAD_INTERRUPTED");
    // The request is dropped half way.
    let endless = chunks(&[b"12"]).chain(stream::pending());
    let writing = f.local.write_stream(&a, endless, 5);
    assert!(tokio::time::timeout(Duration::from_millis(50), writing).await.is_err());
    assert_eq!(f.blob.head(&a).await.unwrap(), None);
    assert_eq!(f.files(), Vec::<String>::new());
    f.local.write_stream(&a, chunks(&[b"12345"]), 5).await.unwrap();
}

#[tokio::test]
async fn a_deleted_object_leaves_no_empty_folder() {
    let f = local(None);
    let (a, b) = (key("proof/x/a.jpg"), key("proof/y/b.jpg"));
    f.local.write_stream(&a, chunks(&[b"1"]), 10).await.unwrap();
    f.blob.put(&b, Bytes::from_static(b"2")).await.unwrap();
    f.blob.delete(&a).await.unwrap();
    let root = f.dir.path().join("objects");
    assert!(!root.join("proof/x").exists() && root.join("proof/y").exists());
    f.blob.delete(&b).await.unwrap();
    assert!(!root.join("proof").exists());
    // The folders are created again.
    f.local.write_stream(&a, chunks(&[b"3"]), 10).await.unwrap();
    f.blob.put(&b, Bytes::from_static(b"4")).await.unwrap();
    assert_eq!(f.blob.get(&a, 1).await.unwrap(), "3");
    assert_eq!(f.blob.get(&b, 1).await.unwrap(), "4");
}

#[tokio::test]
async fn opening_the_directory_sweeps_what_a_crash_left() {
    let f = local(None);
    f.local.write_stream(&key("a"), chunks(&[b"x"]), 5).await.unwrap();
    let root = f.dir.path().join("objects");
    std::fs::write(root.join(".incoming/half"), "half").unwrap();
    let secret = || "0123456789abcdef0123456789abcdef".to_owned().into();
    let config = |secret| LocalConfig { root: root.clone(), public_url: None, secret };
    LocalBlob::new(config(secret()), f.clock.clone()).unwrap();
    assert_eq!(f.files().len(), 1);
    assert!(LocalBlob::new(config("short".to_owned().into()), f.clock.clone()).is_err());
}

/// Checks that `key_of` refuses addresses that only resemble our links.
fn refuses_strangers(blob: &Blob, base: &str) {
    assert_eq!(blob.key_of(&format!("{base}uploads/a.csv")).unwrap(), key("uploads/a.csv"));
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let bad = [
        String::new(),
        base.to_owned(),
        base.trim_end_matches('/').to_owned(),
        format!("{base}/a"),
        format!("{base}../a"),
        format!("{base}a/../b"),
        format!("{base}a/./b"),
        format!("{base}%2e%2e/a"),
        format!("{base}a%2fb"),
        format!("{base}a%00"),
        format!("{base}a?x=1"),
        format!("{base}a#x"),
        format!("{base}a\\b"),
        format!("{base}A"),
        format!(" {base}a"),
        format!("{base}a "),
        format!("{base}.incoming/a"),
        format!("{base}{}", "x".repeat(201)),
        "https://evil.example/objects/a".to_owned(),
        "//evil.example/objects/a".to_owned(),
        "file:///objects/a".to_owned(),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        format!("https://evil.example/{rest}a"),
        format!("ftp://{rest}a"),
    ];
    for url in bad {
        let error = blob.key_of(&url).expect_err(&url);
        assert_eq!(error.reason, "OBJECT_URL_INVALID");
    }
}

#[tokio::test]
async fn only_our_own_addresses_are_keys() {
    refuses_strangers(&local(None).blob, "/objects/");
    let f = local(Some("https://w.example"));
    refuses_strangers(&f.blob, "https://w.example/objects/");
    for url in [
        "https://w.example.evil/objects/a",
        "https://u@w.example/objects/a",
        "https://W.example/objects/a",
        "https://w.example:444/objects/a",
    ] {
        assert!(f.blob.key_of(url).is_err(), "{url}");
    }
}

pub async fn s3() -> (tempfile::TempDir, S3Server, Blob) {
    let dir = tempfile::tempdir().unwrap();
    let server = s3_server(&dir.path().join("s3")).await.unwrap();
    let blob = Blob::S3(S3Blob::new(&server.config()).unwrap());
    (dir, server, blob)
}

#[tokio::test]
async fn a_bucket_keeps_objects() {
    let (dir, _server, blob) = s3().await;
    keeps_objects(&blob, dir.path()).await;
}

#[tokio::test]
async fn an_s3_link_opens_what_it_says_and_nothing_else() {
    let (_dir, server, blob) = s3().await;
    let http = reqwest::Client::new();
    let a = key("uploads/a-1.csv");
    let put = blob.presign_put(&a, LINK_TTL, 10).await.unwrap();
    let get = blob.presign_get(&a, "a.csv", Duration::from_secs(86_400)).await.unwrap();
    assert!(get.contains("X-Amz-Expires=300"), "five minutes at most");
    assert_eq!(http.put(&put).body("hello").send().await.unwrap().status(), 200);
    let answer = http.get(&get).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.text().await.unwrap().as_str()), (200, "hello"));
    assert_eq!(blob.key_of(put.split_once('?').unwrap().0).unwrap(), a);
    assert_eq!(blob.get(&a, 10).await.unwrap(), "hello");

    let status = |request: reqwest::RequestBuilder| async { request.send().await.unwrap().status() };
    assert_eq!(status(http.put(&get).body("x")).await, 403, "another method");
    assert_eq!(status(http.get(get.replace("a-1.csv", "a-2.csv"))).await, 403, "another key");
    assert_eq!(status(http.get(get.replace("Expires=300", "Expires=3000"))).await, 403, "longer");
    assert_eq!(status(http.get(get.split_once('?').unwrap().0)).await, 403, "unsigned");
    let flipped = match get.ends_with('0') {
        true => format!("{}1", &get[..get.len() - 1]),
        false => format!("{}0", &get[..get.len() - 1]),
    };
    assert_eq!(status(http.get(flipped)).await, 403, "another signature");
    assert_eq!(blob.get(&a, 10).await.unwrap(), "hello");
    refuses_strangers(&blob, &format!("{}/{}/", server.endpoint, server.bucket));
    assert!(blob.key_of(&format!("{}/other/a", server.endpoint)).is_err());
}

#[tokio::test]
async fn links_are_signed_for_the_address_that_browsers_use() {
    let (_dir, server, _) = s3().await;
    let public =
        S3Config { public_endpoint: Some("HTTPS://Files.Example:443/".to_owned()), ..server.config() };
    let blob = Blob::S3(S3Blob::new(&public).unwrap());
    let a = key("uploads/a.csv");
    let link = blob.presign_get(&a, "a.csv", LINK_TTL).await.unwrap();
    let address = link.split_once('?').unwrap().0;
    assert_eq!(blob.key_of(address).unwrap(), a, "{address}");
    assert_eq!(blob.url_of(&a), address);
    assert!(address.to_lowercase().starts_with("https://files.example"), "{address}");
    let url = reqwest::Url::parse(&link).unwrap();
    let caching = url.query_pairs().find(|(name, _)| name == "response-cache-control").unwrap().1;
    assert_eq!(caching, "private, no-store", "a browser writes no signature to its disk");
    blob.put(&a, Bytes::from_static(b"x")).await.unwrap();

    let amazon = S3Config { endpoint: None, ..server.config() };
    let link = Blob::S3(S3Blob::new(&amazon).unwrap()).presign_get(&a, "a.csv", LINK_TTL).await.unwrap();
    assert!(link.starts_with("https://s3.us-east-1.amazonaws.com/waybill/uploads/a.csv?"), "{link}");
}

/// Starts a server that answers everything with this code of S3, and returns a client of it.
async fn not_found(code: &'static str) -> Blob {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = Some(format!("http://{}", listener.local_addr().unwrap()));
    let answer =
        move || async move { (http::StatusCode::NOT_FOUND, format!("<Error><Code>{code}</Code></Error>")) };
    let app = axum::Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, app).await });
    let (_dir, server, _) = s3().await;
    Blob::S3(S3Blob::new(&S3Config { endpoint, ..server.config() }).unwrap())
}

#[tokio::test]
async fn a_missing_bucket_is_unavailable_and_a_missing_object_is_not() {
    let (a, content) = (key("imports/a.csv"), Bytes::from_static(b"x"));
    let without_bucket = not_found("NoSuchBucket").await;
    let answers = [
        without_bucket.ready().await,
        without_bucket.get(&a, 5).await.map(|_| ()),
        without_bucket.put(&a, content).await,
    ];
    for answer in answers {
        assert_eq!(answer.unwrap_err().reason, "OBJECTS_UNAVAILABLE");
    }
    let without_object = not_found("NoSuchKey").await;
    without_object.ready().await.unwrap();
    assert_eq!(without_object.get(&a, 5).await.unwrap_err().reason, "OBJECT_NOT_FOUND");
}

#[tokio::test]
async fn wrong_keys_and_a_missing_server_are_unavailable() {
    let (_dir, server, _) = s3().await;
    let wrong = S3Config { secret_key: "guess".to_owned().into(), ..server.config() };
    let blob = Blob::S3(S3Blob::new(&wrong).unwrap());
    assert_eq!(blob.ready().await.unwrap_err().reason, "OBJECTS_UNAVAILABLE");
    assert!(!format!("{wrong:?} {blob:?} {:?}", local(None).blob).contains("guess"));
    let gone = Blob::S3(S3Blob::new(&server.config()).unwrap());
    drop(server);
    let asked = tokio::time::timeout(Duration::from_secs(15), gone.ready()).await.unwrap();
    assert_eq!(asked.unwrap_err().kind, Kind::Unavailable);
}
