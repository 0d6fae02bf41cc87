//! Tests the storage of objects with hostile clients, processes that start at the same time, and disks that
//! corrupt data.

use std::convert::Infallible;
use std::path::Path;

use futures::stream;

use super::tests::{chunks, key, local, parts, s3};
use super::*;

/// A thousand clients may share one link. One of them writes; the others are refused before they send their
/// bodies, because otherwise they would hold a thousand files and requests open.
#[tokio::test]
async fn an_object_has_one_writer() {
    let f = local(None);
    let a = key("proof/x/a.jpg");
    let (first, rest) = futures::channel::mpsc::unbounded::<Result<Bytes, Infallible>>();
    let writer = tokio::spawn({
        let (local, a) = (f.local.clone(), a.clone());
        async move { local.write_stream(&a, rest, 10).await }
    });
    first.unbounded_send(Ok(Bytes::from_static(b"12"))).unwrap();
    while f.files().is_empty() {
        tokio::task::yield_now().await;
    }
    for _ in 0..1_000 {
        let unread = stream::poll_fn(|_| -> std::task::Poll<Option<Result<Bytes, Infallible>>> {
            panic!("nothing of a second upload is read")
        });
        let error = f.local.write_stream(&a, unread, 10).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::AlreadyExists, "OBJECT_EXISTS"));
    }
    assert_eq!(f.files().len(), 1);
    first.unbounded_send(Ok(Bytes::from_static(b"34"))).unwrap();
    drop(first);
    assert_eq!(writer.await.unwrap().unwrap(), 4);
    assert_eq!(f.blob.get(&a, 10).await.unwrap(), "1234");
    assert_eq!(f.files().len(), 1, "nothing but the object is left");
    // After an aborted upload the next one may start.
    let b = key("proof/x/b.jpg");
    let broken = stream::iter([Ok(Bytes::from_static(b"12")), Err("connection reset")]);
    f.local.write_stream(&b, broken, 10).await.unwrap_err();
    assert_eq!(f.local.write_stream(&b, chunks(&[b"56"]), 10).await.unwrap(), 2);
}

/// Processes may share the folder. A process that starts must leave the uploads of other processes alone.
#[tokio::test]
async fn an_upload_goes_on_while_another_process_starts() {
    let f = local(None);
    let a = key("uploads/a.csv");
    let (sender, content) = futures::channel::mpsc::unbounded::<Result<Bytes, Infallible>>();
    let writer = tokio::spawn({
        let (local, a) = (f.local.clone(), a.clone());
        async move { local.write_stream(&a, content, 10).await }
    });
    sender.unbounded_send(Ok(Bytes::from_static(b"one"))).unwrap();
    while f.files().is_empty() {
        tokio::task::yield_now().await;
    }
    let config = LocalConfig {
        root: f.dir.path().join("objects"),
        public_url: None,
        secret: "0123456789abcdef0123456789abcdef".to_owned().into(),
    };
    LocalBlob::new(config, f.clock.clone()).unwrap();
    sender.unbounded_send(Ok(Bytes::from_static(b"two"))).unwrap();
    drop(sender);
    assert_eq!(writer.await.unwrap().unwrap(), 6);
    assert_eq!(f.blob.get(&a, 10).await.unwrap(), "onetwo");
}

/// A damaged file must be refused, not served.
async fn notices_damage(blob: &Blob, root: &Path) {
    let a = key("attachments/x/a.jpg");
    let bytes = Bytes::from((0..10_000_u32).map(|it| (it % 251) as u8).collect::<Vec<_>>());
    let sha256 = digest(&SHA256, &bytes);
    blob.put(&a, bytes.clone()).await.unwrap();
    assert_eq!(blob.get_verified(&a, sha256.as_ref(), 10_000).await.unwrap(), bytes);
    let file = root.join(a.as_str());
    // A flipped bit anywhere, a missing byte, and an extra byte.
    for at in (0..10_000).step_by(500) {
        let mut damaged = bytes.to_vec();
        damaged[at] ^= 1 << (at / 500 % 8);
        std::fs::write(&file, damaged).unwrap();
        let error = blob.get_verified(&a, sha256.as_ref(), 10_000).await.unwrap_err();
        assert_eq!(error.reason, "OBJECT_DAMAGED", "{at}");
    }
    for damaged in [bytes[1..].to_vec(), [&bytes[..], b"x"].concat()] {
        std::fs::write(&file, damaged).unwrap();
        let error = blob.get_verified(&a, sha256.as_ref(), 10_000).await.unwrap_err();
        assert_eq!(error.reason, "OBJECT_DAMAGED");
    }
}

#[tokio::test]
async fn damage_in_a_folder_is_noticed() {
    let f = local(None);
    notices_damage(&f.blob, &f.dir.path().join("objects")).await;
}

#[tokio::test]
async fn damage_in_a_bucket_is_noticed() {
    let (dir, server, blob) = s3().await;
    notices_damage(&blob, &dir.path().join("s3").join(&server.bucket)).await;
}

/// An HTML upload must not become a page of the bucket's origin.
#[tokio::test]
async fn an_s3_link_gives_a_file_to_save_whatever_its_uploader_called_it() {
    let (_dir, _server, blob) = s3().await;
    let http = reqwest::Client::new();
    let a = key("proof/x/a.jpg");
    let put = http.put(blob.presign_put(&a, LINK_TTL, 100).await.unwrap());
    let put = put.header("content-type", "text/html").body("<script>alert(1)</script>").send().await;
    assert_eq!(put.unwrap().status(), 200);
    let get = blob.presign_get(&a, "a.html", LINK_TTL).await.unwrap();
    let answer = http.get(&get).send().await.unwrap();
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/octet-stream");
    assert_eq!(header("content-disposition"), "attachment; filename=\"a.html\"");
    // The signature covers both headers, so a link that asks for other values is refused.
    let shown = get.replace("application%2Foctet-stream", "text%2Fhtml");
    assert_ne!(shown, get);
    assert_eq!(http.get(shown).send().await.unwrap().status(), 403);
    let inline = get.replace("disposition=attachment", "disposition=inline");
    assert_ne!(inline, get);
    assert_eq!(http.get(inline).send().await.unwrap().status(), 403);
}

/// A name can come from anybody who adds a file, and must not add a header, a second name or a way to show the file.
#[tokio::test]
async fn an_s3_link_names_a_file_whatever_its_name_contains() {
    let (_dir, _server, blob) = s3().await;
    let http = reqwest::Client::new();
    let a = key("attachments/x/file");
    blob.put(&a, Bytes::from_static(b"%PDF-")).await.unwrap();
    for (name, named) in [
        (
            "Договор.pdf",
            "filename=\"_______.pdf\"; filename*=UTF-8''%D0%94%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80.pdf",
        ),
        ("a\"\r\n;b.pdf", "filename=\"a____b.pdf\"; filename*=UTF-8''a___%3Bb.pdf"),
        ("a+b&c=d%41.pdf", "filename=\"a_b_c_d_41.pdf\"; filename*=UTF-8''a%2Bb%26c%3Dd%2541.pdf"),
    ] {
        let link = blob.presign_get(&a, name, LINK_TTL).await.unwrap();
        let answer = http.get(&link).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{name}");
        assert_eq!(answer.headers()["content-disposition"], format!("attachment; {named}"));
        let other = link.replace(".pdf", ".exe");
        assert_ne!(other, link);
        assert_eq!(http.get(&other).send().await.unwrap().status(), 403, "another name");
    }
}

/// The gateway of the release before knows no names, and opens a link without looking at its name.
#[tokio::test]
async fn a_local_link_has_the_name_that_was_signed_or_none() {
    let f = local(None);
    let a = key("attachments/x/file");
    let one = parts(&f.blob.presign_get(&a, "one.pdf", LINK_TTL).await.unwrap());
    let two = parts(&f.blob.presign_get(&a, "two.pdf", LINK_TTL).await.unwrap());
    let verified = |link: Link<'_>| f.local.verify_get(&a, &link, f.clock.now());
    let (of_one, of_two) = (one.link().name.unwrap(), two.link().name.unwrap());
    assert_eq!((of_one.name, of_two.name), ("one.pdf", "two.pdf"));
    assert!(verified(one.link()).is_ok() && verified(Link { name: None, ..one.link() }).is_ok());
    f.clock.advance(chrono::Duration::seconds(1));
    let later = parts(&f.blob.presign_get(&a, "one.pdf", LINK_TTL).await.unwrap());
    for name in [
        SignedName { name: "two.pdf", ..of_one },
        SignedName { signature: of_two.signature, ..of_one },
        SignedName { signature: &one.signature, ..of_one },
        SignedName { signature: "", ..of_one },
        SignedName { signature: &of_one.signature.to_uppercase(), ..of_one },
        later.link().name.unwrap(),
    ] {
        let error = verified(Link { name: Some(name), ..one.link() }).unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "LINK_INVALID"), "{name:?}");
    }
}
