//! The customer's logo, from the upload to everybody's screen, and forged addresses.

use std::collections::HashSet;

use futures::StreamExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::World;
use crate::in_both_shapes;

/// A picture of two pixels.
pub const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00{@\xe8\xdd\x00\x00\x00\x0bIDATx\xdac\x08\x05\x03\x00\x07\x00\x01\xff\xab\x92\x8f\xdc\x00\x00\x00\x00IEND\xaeB`\x82";
const DRAWN: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)"><script>alert(1)</script><path d="M0 0h9v9z" fill="#0a7"/></svg>"##;
const PRESIGN: &str =
    "mutation MutatePresignedUrl($url: String!) { mutatePresignedUrl(url: $url) { presignedUrl } }";
const SET: &str =
    "mutation M($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { id value } }";
const LOGO: &str = "query GetLogoInformation($id: String!) { getLogoInformation(id: $id) { id value } }";
const ID: &str = "customer-logo-information";

impl Browser {
    /// Uploads a file to a new link for logos. Returns the file's address.
    pub async fn put_logo(&self, filename: &str, bytes: &[u8]) -> String {
        let asked = self.post("/request-logo-upload-link", json!({ "filename": filename })).await;
        let answer: Value = asked.json().await.unwrap();
        assert_eq!(answer["ok"], json!(true), "{answer}");
        self.put_to(answer["url"].as_str().unwrap(), bytes).await
    }

    pub async fn put_to(&self, link: &str, bytes: &[u8]) -> String {
        let put = self.http.put(self.absolute(link)).body(bytes.to_vec()).send().await.unwrap();
        assert_eq!(put.status(), StatusCode::OK);
        link.split('?').next().unwrap().to_owned()
    }

    pub fn absolute(&self, url: &str) -> String {
        if url.starts_with('/') { format!("{}{url}", self.base) } else { url.to_owned() }
    }

    pub async fn presigned(&self, url: &str) -> Result<String, (String, String)> {
        let answer = self.graphql(PRESIGN, json!({ "url": url })).await;
        match answer["data"]["mutatePresignedUrl"]["presignedUrl"].as_str() {
            Some(presigned) => Ok(presigned.to_owned()),
            None => {
                let extensions = &answer["errors"][0]["extensions"];
                let text = |key: &str| extensions[key].as_str().unwrap_or_default().to_owned();
                Err((text("code"), text("reason")))
            }
        }
    }

    pub async fn save_logo(&self, url: &str, place: &str) -> Value {
        let value = json!({ "url": url, "size": 100, "gap": 8, "vertical": 0, "urlObject": place });
        let input = json!({ "id": ID, "value": value.to_string() });
        self.data(SET, json!({ "input": input })).await;
        value
    }
}

in_both_shapes!(a_logo_goes_from_an_upload_to_every_drawer, |world: World| async move {
    let admin = world.admin().await;
    let viewer = admin.signed_in_user("vera", &["viewer"]).await;
    for (filename, bytes, content_type) in
        [("logo.png", PNG, "image/png"), ("logo.svg", DRAWN.as_bytes(), "image/svg+xml")]
    {
        let place = admin.put_logo(filename, bytes).await;
        let url = admin.presigned(&place).await.unwrap();
        assert_eq!(admin.presigned(&place).await.unwrap(), url, "the same again");
        let saved = admin.save_logo(&url, &place).await;

        let shown = viewer.data(LOGO, json!({ "id": ID })).await["getLogoInformation"].clone();
        let value: Value = serde_json::from_str(shown["value"].as_str().unwrap()).unwrap();
        assert_eq!(value, saved);
        // A page requests an image without a token.
        let path = value["url"].as_str().unwrap().rsplit_once("/logo/").unwrap().1;
        let address = format!("{}/logo/{path}", world.base);
        let answer = world.browser().http.get(&address).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), content_type);
        assert_eq!(header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(header("content-security-policy").contains("sandbox"));
        let tag = header("etag");
        let picture = answer.bytes().await.unwrap();
        assert_ne!(picture, bytes);
        assert!(!picture.windows(5).any(|window| window == b"alert"));
        let again = world.browser().http.get(&address).header("if-none-match", tag).send().await.unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }
    let refused = viewer.post("/request-logo-upload-link", json!({ "filename": "logo.png" })).await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    let invalid = admin.post("/request-logo-upload-link", json!({ "filename": "logo.gif" })).await;
    assert_eq!(invalid.json::<Value>().await.unwrap()["error"], "Invalid file");
    for path in ["x.png", "../auth", &format!("{}.gif", "0".repeat(64)), &format!("{}.png", "0".repeat(64))] {
        let answer = world.browser().http.get(format!("{}/logo/{path}", world.base)).send().await.unwrap();
        assert!(!answer.headers().contains_key("etag"), "{path}");
        assert_ne!(answer.headers()["content-type"], "image/png", "{path}");
    }
    world
});

/// Returns a forged address that looks like a real one.
fn mutated(dice: &mut StdRng, real: &[String]) -> String {
    let one = real.choose(dice).unwrap().clone();
    let other = real.choose(dice).unwrap();
    let (folder, name) = one.rsplit_once('/').unwrap();
    let objects = one.find("/proof/").or(one.find("/logos/")).or(one.find("/imports/")).unwrap();
    let (base, key) = one.split_at(objects);
    let at = dice.random_range(0..one.len());
    match dice.random_range(0..34) {
        0 => {
            let letter = char::from(dice.random_range(b'!'..=b'~'));
            format!("{}{letter}{}", &one[..at], &one[at + 1..])
        }
        1 => format!("{}{}", &one[..at], &one[at + 1..]),
        2 => format!("{}{}{}", &one[..at], char::from(dice.random_range(b'!'..=b'~')), &one[at..]),
        3 => one[..at].to_owned(),
        4 => format!(
            "{}{}{}",
            &one[..at],
            one[at..].chars().next().unwrap().to_ascii_uppercase(),
            &one[at + 1..]
        ),
        5 => format!("{}%{:02x}{}", &one[..at], one.as_bytes()[at], &one[at + 1..]),
        6 => format!("{one}?{}={}", dice.random_range(0..99), dice.random_range(0..99)),
        7 => format!("{one}#{}", dice.random_range(0..999)),
        8 => format!("{one}/{}", ["", ".", "..", "%2e%2e", "%00", "x"].choose(dice).unwrap()),
        9 => format!("{folder}/../{}/{name}", folder.rsplit('/').next().unwrap()),
        10 => format!("{base}/{}/..{key}", ["proof", "logos", "imports", "x"].choose(dice).unwrap()),
        11 => format!("{base}/%2e%2e{key}"),
        12 => format!("{base}/.{key}"),
        13 => format!("{base}/{key}"),
        14 => one.replacen("://", ":///", 1) + "/",
        15 => format!("https://evil.example{key}?{}", dice.random_range(0..9_999)),
        16 => format!("http://127.0.0.1:{}{base}{key}", dice.random_range(1..65_535)),
        17 => format!("http://user:{}@127.0.0.1{key}", dice.random_range(0..9_999)),
        18 => format!(
            "{}://{}",
            ["ftp", "file", "gopher", "data", "HTTP", "s3"].choose(dice).unwrap(),
            &one[1..]
        ),
        19 => format!("s3://waybill{key}#{}", dice.random_range(0..9_999)),
        20 => format!("https://waybill.s3.us-east-1.amazonaws.com{key}?v={}", dice.random_range(0..9_999)),
        21 => format!(
            "{base}/{}{}",
            ["imports", "proof", "logos", "secrets"].choose(dice).unwrap(),
            key.replacen("/logos", "", 1)
        ),
        22 => format!("{base}/logos/{}.png", hex(dice, 64)),
        23 => format!("{base}/logos/incoming/{}.png", hex(dice, 64)),
        24 => format!("{base}/proof/{}-{}/a.png", hex(dice, 8), hex(dice, 4)),
        25 => format!("{base}/imports/{}.csv", hex(dice, 64)),
        26 => format!("{base}/readiness/probe{}", dice.random_range(0..9_999)),
        27 => format!("{one},{other}"),
        28 => format!("{one}\u{0}{other}"),
        29 => {
            format!("{}{one}", ["\u{202e}", " ", "\t", "\n", "\u{feff}", "//", "\\\\"].choose(dice).unwrap())
        }
        30 => one.replace('/', ["\\", "%2f", "\u{2215}", "\u{ff0f}", "//"].choose(dice).unwrap()),
        31 => one.chars().map(|c| if dice.random_bool(0.2) { c.to_ascii_uppercase() } else { c }).collect(),
        32 => format!("{}{}", one, "/a".repeat(dice.random_range(1..300))),
        _ => {
            let cut = other.len() * dice.random_range(1..9) / 10;
            format!("{}{}", &one[..at], &other[cut..])
        }
    }
}

fn hex(dice: &mut StdRng, count: usize) -> String {
    (0..count).map(|_| char::from_digit(dice.random_range(0..16), 16).unwrap()).collect()
}

// `just long` tries ten thousand addresses in each shape.
in_both_shapes!(made_up_addresses_open_nothing_else, |world: World| async move {
    let admin = world.admin().await;
    let other = admin.signed_in_user("other", &["admin"]).await;
    let lines =
        "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time\nDR-1,S-1,Acme,2026-11-22 08:30\n";
    admin.import("a.csv", lines).await;
    let import = admin.put_file("b.csv", lines.into()).await;
    let mut proofs = Vec::new();
    for number in 0..3_u8 {
        let ask = "mutation M($input: RequestAttachmentLinkInput!) { requestAttachmentLink(input: $input) { url } }";
        let input = json!({ "deliveryId": "DR-1", "filename": format!("{number}.png") });
        let link = admin.data(ask, json!({ "input": input })).await["requestAttachmentLink"]["url"].clone();
        // Readers ignore bytes after the end of a picture, so each object has a different content.
        let bytes = [PNG, &[number]].concat();
        let url = admin.put_to(link.as_str().unwrap(), &bytes).await;
        let add = "mutation M($input: AddAttachmentInput!) { addAttachment(input: $input) { id } }";
        let input = json!({ "deliveryId": "DR-1", "url": url, "kind": "photo" });
        admin.data(add, json!({ "input": input })).await;
        proofs.push((url, bytes));
    }
    let logo = admin.put_logo("logo.png", PNG).await;
    let address = admin.presigned(&logo).await.unwrap();
    let theirs = other.put_logo("logo.svg", DRAWN.as_bytes()).await;

    // Another person's object, or one that is not meant for display, gets no display address.
    for hidden in [&import, &theirs, &address] {
        let (code, _) = admin.presigned(hidden).await.unwrap_err();
        assert_eq!(code, "NOT_FOUND", "{hidden}");
    }
    assert_eq!(other.presigned(&logo).await.unwrap_err().0, "NOT_FOUND");

    let mut dice = StdRng::seed_from_u64(6);
    let mut real: Vec<String> = proofs.iter().map(|(url, _)| url.clone()).collect();
    real.extend([logo.clone(), import.clone(), theirs.clone()]);
    let mut addresses = HashSet::new();
    let tries = if kit::testing::long() { 10_000 } else { 600 };
    while addresses.len() < tries {
        let made = mutated(&mut dice, &real);
        if !real.contains(&made) {
            addresses.insert(made);
        }
    }
    let answers = futures::stream::iter(addresses).map(|url| {
        let admin = &admin;
        async move { (admin.presigned(&url).await, url) }
    });
    let mut answers = answers.buffer_unordered(8);
    while let Some((answer, url)) = answers.next().await {
        let (code, _) = answer.expect_err(&url);
        assert_eq!(code, "NOT_FOUND", "{url}");
    }

    // A link opens its object. A forged link opens nothing, or the same object.
    for (url, bytes) in &proofs {
        let link = admin.absolute(&admin.presigned(url).await.unwrap());
        let opened = admin.http.get(&link).send().await.unwrap();
        assert_eq!(opened.status(), StatusCode::OK);
        assert_eq!(&opened.bytes().await.unwrap()[..], &bytes[..]);
        for _ in 0..tries / 15 {
            // Change only the path of the object. Any other path leads to the application.
            let start = link.find("/attachments/").unwrap() + 1;
            let at = dice.random_range(start..link.len());
            let letter = char::from(dice.random_range(b'0'..=b'z'));
            let changed = format!("{}{letter}{}", &link[..at], &link[at + 1..]);
            let Ok(answer) = admin.http.get(&changed).send().await else { continue };
            if answer.status() == StatusCode::OK {
                assert_eq!(&answer.bytes().await.unwrap()[..], &bytes[..], "{changed}");
            }
            let written = admin.http.put(&changed).body("x").send().await.unwrap();
            assert_ne!(written.status(), StatusCode::OK, "{changed}");
        }
        for (another, _) in proofs.iter().filter(|(another, _)| another != url) {
            let key = |url: &str| url[url.find("/proof/").unwrap()..].replace("/proof/", "/attachments/");
            let moved = link.replacen(&key(url), &key(another), 1);
            assert_eq!(admin.http.get(&moved).send().await.unwrap().status(), StatusCode::FORBIDDEN);
        }
    }
    world
});
