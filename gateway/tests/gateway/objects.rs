//! Objects behind signed links.

use std::time::Duration;

use http::Method;
use kit::blob::Key;

use crate::world::World;

const MOST: u64 = 1_000;

async fn link(world: &World, method: &str, key: &str) -> String {
    let (key, ttl) = (Key::parse(key).unwrap(), Duration::from_secs(300));
    match method {
        "PUT" => world.blob.presign_put(&key, ttl, MOST).await.unwrap(),
        _ => world.blob.presign_get(&key, "a.csv", ttl).await.unwrap(),
    }
}

#[tokio::test]
async fn a_file_goes_in_once_and_comes_out_inert() {
    let world = World::new();
    let put = link(&world, "PUT", "imports/a.csv").await;
    let answer = world.call(Method::PUT, &put, &[("content-type", "text/html")], "<script>").await;
    assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, ""));
    let again = world.call(Method::PUT, &put, &[], "other").await;
    assert_eq!(again.status, 409);
    let get = world.get(&link(&world, "GET", "imports/a.csv").await, &[]).await;
    assert_eq!((get.status.as_u16(), get.text().as_str()), (200, "<script>"));
    assert_eq!(get.header("content-type"), "application/octet-stream");
    assert_eq!(get.header("content-disposition"), "attachment; filename=\"a.csv\"");
    assert_eq!(get.header("x-content-type-options"), "nosniff");
    assert!(get.header("content-security-policy").contains("sandbox"));
    assert_eq!(get.header("content-length"), "8");
    assert_eq!(world.get(&link(&world, "GET", "imports/none").await, &[]).await.status, 404);
}

/// A name can come from anybody who adds a file, and must not add a header, a second name or a way to show the file.
#[tokio::test]
async fn a_download_has_the_name_that_was_signed_whatever_it_contains() {
    let world = World::new();
    let (key, ttl) = (Key::parse("attachments/x/file").unwrap(), Duration::from_secs(300));
    world.blob.put(&key, bytes::Bytes::from_static(b"%PDF-")).await.unwrap();
    for (name, named) in [
        (
            "Договор.pdf",
            "filename=\"_______.pdf\"; filename*=UTF-8''%D0%94%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80.pdf",
        ),
        ("../a\\b.pdf", "filename=\"_a_b.pdf\""),
        ("a\"\r\n;b.pdf", "filename=\"a____b.pdf\"; filename*=UTF-8''a___%3Bb.pdf"),
        ("a\u{202e}fdp.exe.pdf", "filename=\"a_fdp.exe.pdf\""),
        ("a+b&c=d%41.pdf", "filename=\"a_b_c_d_41.pdf\"; filename*=UTF-8''a%2Bb%26c%3Dd%2541.pdf"),
    ] {
        let link = world.blob.presign_get(&key, name, ttl).await.unwrap();
        let get = world.get(&link, &[]).await;
        assert_eq!((get.status.as_u16(), get.text().as_str()), (200, "%PDF-"), "{name}");
        assert_eq!(get.header("content-disposition"), format!("attachment; {named}"));
        assert_eq!(get.header("content-type"), "application/octet-stream");
        assert!(get.header("content-security-policy").contains("sandbox"));
        for other in [link.replace(".pdf", ".exe"), format!("{link}0"), format!("{link}&name=b.exe")] {
            assert_eq!(world.get(&other, &[]).await.status, 403, "{other}");
        }
        // The release before signs no name.
        let (nameless, _) = link.split_once("&name=").unwrap();
        assert_eq!(world.get(nameless, &[]).await.header("content-disposition"), "attachment");
    }
}

#[tokio::test]
async fn pages_of_allowed_origins_may_show_files() {
    let friends = vec!["https://app.example.com".to_owned()];
    for (origins, policy) in [(Vec::new(), "same-origin"), (friends, "cross-origin")] {
        let world = World::with(|config| config.http.allowed_origins = origins);
        let logo = format!("{}.png", hex::encode(ring::digest::digest(&ring::digest::SHA256, b"png")));
        for key in ["proof/a.png", &format!("logos/{logo}")] {
            world.blob.put(&Key::parse(key).unwrap(), bytes::Bytes::from_static(b"png")).await.unwrap();
        }
        for path in [link(&world, "GET", "proof/a.png").await, format!("/logo/{logo}")] {
            let answer = world.get(&path, &[]).await;
            let told = (answer.status.as_u16(), answer.header("cross-origin-resource-policy"));
            assert_eq!(told, (200, policy), "{path}");
        }
        let page = world.get("/health", &[]).await;
        assert_eq!(page.header("cross-origin-resource-policy"), "same-origin");
    }
}

#[tokio::test]
async fn a_link_opens_one_object_for_one_method_for_a_while() {
    let world = World::new();
    let put = link(&world, "PUT", "imports/a.csv").await;
    let get = link(&world, "GET", "imports/a.csv").await;
    let (path, query) = put.split_once('?').unwrap();
    let signature = query.split_once("signature=").unwrap().1;
    let mut tampered = signature.to_owned().into_bytes();
    tampered[0] = if tampered[0] == b'0' { b'1' } else { b'0' };
    let tampered = put.replace(signature, std::str::from_utf8(&tampered).unwrap());
    for bad in [
        tampered,
        put.replace("a.csv", "b.csv"),
        put.replace("expires=1", "expires=2"),
        put.replace("max=1000", "max=1001"),
        put.replace("&max=1000", ""),
        put.replace(signature, ""),
        put.replace(signature, &signature.to_uppercase()),
        path.to_owned(),
        format!("{path}?signature={signature}"),
        get.clone(),
    ] {
        let answer = world.call(Method::PUT, &bad, &[], "x").await;
        assert_eq!(answer.status, 403, "{bad}");
        assert!(answer.json()["error"].is_string());
    }
    assert_eq!(world.get(&put, &[]).await.status, 403, "not for reading");
    for path in ["/objects/../secrets", "/objects/%2e%2e/secrets", "/objects/.incoming/a", "/objects/A"] {
        assert_eq!(world.call(Method::PUT, &format!("{path}?{query}"), &[], "x").await.status, 400, "{path}");
    }
    world.clock.advance(chrono::Duration::seconds(300));
    assert_eq!(world.call(Method::PUT, &put, &[], "x").await.status, 403, "expired");
    assert_eq!(world.call(Method::POST, &put, &[], "x").await.status, 405);
}

#[tokio::test]
async fn a_file_that_is_too_large_leaves_nothing() {
    let world = World::new();
    let put = link(&world, "PUT", "imports/a.csv").await;
    assert_eq!(
        world.call(Method::PUT, &put, &[("content-length", "1001")], "x".repeat(1001)).await.status,
        413
    );
    let chunks = || futures::stream::iter((0..11).map(|_| Ok::<_, std::io::Error>("x".repeat(100))));
    let large = axum::body::Body::from_stream(chunks());
    assert_eq!(world.call(Method::PUT, &put, &[], large).await.status, 413);
    let cut = futures::stream::iter([Ok("x"), Err(std::io::Error::other("cut"))]);
    assert_eq!(world.call(Method::PUT, &put, &[], axum::body::Body::from_stream(cut)).await.status, 400);
    let fits = futures::StreamExt::take(chunks(), 10);
    assert_eq!(world.call(Method::PUT, &put, &[], axum::body::Body::from_stream(fits)).await.status, 200);
}

/// Returns a body that sends `bytes` per second for `seconds`, and then ends.
fn trickle(bytes: usize, seconds: usize) -> axum::body::Body {
    let chunks = futures::stream::unfold(0, move |sent| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        (sent < seconds).then(|| (Ok::<_, std::io::Error>("x".repeat(bytes)), sent + 1))
    });
    axum::body::Body::from_stream(chunks)
}

/// Without a minimum speed of uploads, a very slow sender would hold a request and a file open for as long as
/// a request may take.
#[tokio::test]
async fn an_upload_that_comes_too_slowly_is_ended() {
    let world = World::new();
    let ttl = Duration::from_secs(300);
    let key = Key::parse("proof/x/a.jpg").unwrap();
    let put = world.blob.presign_put(&key, ttl, 10 << 20).await.unwrap();
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let slow = world.call(Method::PUT, &put, &[], trickle(1_024, 600)).await;
    assert_eq!(slow.status, 400, "{}", slow.text());
    let took = began.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    // A phone with poor reception is fast enough.
    let steady = world.call(Method::PUT, &put, &[], trickle(9 << 10, 100)).await;
    assert_eq!(steady.status, 200, "{}", steady.text());
}

/// Of a thousand clients with the same link, only one uploads. The bodies of the others are not read.
#[tokio::test]
async fn one_link_takes_one_upload_at_a_time() {
    let world = World::new();
    let put = link(&world, "PUT", "proof/x/a.jpg").await;
    let (sender, rest) = futures::channel::mpsc::unbounded::<Result<&str, std::io::Error>>();
    let (begun, began) = tokio::sync::oneshot::channel();
    // The server starts to read this body after it has admitted the upload. Then the other clients send their
    // requests.
    let beginning = futures::stream::once(async move {
        begun.send(()).unwrap();
        Ok("first ")
    });
    let first = axum::body::Body::from_stream(futures::StreamExt::chain(beginning, rest));
    let first = world.call(Method::PUT, &put, &[], first);
    let others = async {
        began.await.unwrap();
        for _ in 0..1_000 {
            let silent = futures::stream::pending::<Result<&str, std::io::Error>>();
            let silent = axum::body::Body::from_stream(silent);
            let answer = world.call(Method::PUT, &put, &[], silent).await;
            assert_eq!(answer.status, 409, "{}", answer.text());
        }
        sender.unbounded_send(Ok("and last")).unwrap();
        drop(sender);
    };
    let (first, ()) = tokio::join!(first, others);
    assert_eq!(first.status, 200);
    let get = world.get(&link(&world, "GET", "proof/x/a.jpg").await, &[]).await;
    assert_eq!(get.text(), "first and last");
}
