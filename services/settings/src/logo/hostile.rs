//! Malicious files: none is stored as received, and the stored picture does nothing but draw.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::picture::{self, Format, Picture};

#[derive(Deserialize)]
pub struct File {
    pub name: String,
    pub filename: String,
    base64: String,
}

impl File {
    pub fn bytes(&self) -> Vec<u8> {
        STANDARD.decode(&self.base64).unwrap()
    }
}

pub fn corpus() -> Vec<File> {
    serde_json::from_str(include_str!("../../fixtures/hostile-logos.json")).unwrap()
}

/// Checks the bytes by other means than the code that made them.
pub fn assert_harmless(name: &str, picture: &Picture) {
    match picture.format {
        Format::Png => assert_plain_png(name, &picture.bytes),
        Format::Svg => assert_plain_svg(name, std::str::from_utf8(&picture.bytes).unwrap()),
    }
}

fn assert_plain_png(name: &str, bytes: &[u8]) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{name}");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert!((1..=520).contains(&number(16)) && (1..=520).contains(&number(20)), "{name}");
    let mut at = 8;
    let mut kinds = Vec::new();
    while at < bytes.len() {
        kinds.push(std::str::from_utf8(&bytes[at + 4..at + 8]).unwrap());
        at += 12 + number(at) as usize;
    }
    assert_eq!(at, bytes.len(), "{name}: nothing follows");
    kinds.dedup();
    assert_eq!(kinds, ["IHDR", "IDAT", "IEND"], "{name}");
    assert!(!bytes.windows(7).any(|window| window == b"<script"), "{name}");
}

fn assert_plain_svg(name: &str, text: &str) {
    let text = text.to_lowercase();
    for word in [
        "script",
        "pwned",
        "evil.example",
        "foreignobject",
        "iframe",
        "<set",
        "<animate",
        "xlink",
        "<!",
        "@",
        "\\",
        "file:",
        "http:",
        "https:",
        "handler",
        "listener",
        "marker",
        "feimage",
        "color-profile",
    ] {
        let rest = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(word), "{name} keeps {word}: {rest}");
    }
    assert_eq!(text.matches("<?").count(), usize::from(text.starts_with("<?xml")), "{name}");
    for part in text.split_whitespace() {
        assert!(!part.starts_with("on"), "{name}: {part}");
    }
    for target in text.split("href=\"").skip(1) {
        assert!(target.starts_with('#') || target.starts_with("data:image/png;base64,"), "{name}: {target}");
    }
    for target in text.split("url(").skip(1) {
        assert!(target.starts_with('#'), "{name}: {target}");
    }
}

#[test]
fn none_of_two_hundred_hostile_files_is_taken_as_it_is() {
    let files = corpus();
    assert!(files.len() >= 200);
    let (mut refused, mut changed) = (0, 0);
    for file in &files {
        let (name, bytes) = (&file.name, file.bytes());
        match picture::of(&bytes) {
            Err(error) => {
                refused += 1;
                let reason = error.reason.as_str();
                assert!(matches!(reason, "FILE_TYPE_INVALID" | "PICTURE_TOO_LARGE"), "{name}: {error}");
            }
            Ok(picture) => {
                changed += 1;
                // Even files with malicious names, which contain good pictures, are not stored unchanged.
                assert_ne!(picture.bytes, bytes, "{name}");
                assert_harmless(name, &picture);
                for kind in ["entity ", "busy ", "kind "] {
                    assert!(!name.starts_with(kind), "{name} was taken");
                }
            }
        }
    }
    // Make sure that the test covers both refused and accepted files.
    assert!(refused > 100 && changed > 50, "{refused} refused, {changed} changed");
}

#[test]
fn each_refusal_says_why() {
    for (name, reason) in [
        ("png 100 megapixels", "PICTURE_TOO_LARGE"),
        ("png very wide", "PICTURE_TOO_LARGE"),
        ("png four gigapixels in a header", "PICTURE_TOO_LARGE"),
        ("jpeg four gigapixels", "PICTURE_TOO_LARGE"),
        ("png half", "FILE_TYPE_INVALID"),
        ("jpeg without its end", "FILE_TYPE_INVALID"),
        ("entity billion laughs", "FILE_TYPE_INVALID"),
        ("busy uses that double", "FILE_TYPE_INVALID"),
        ("kind gif", "FILE_TYPE_INVALID"),
    ] {
        let file = corpus().into_iter().find(|file| file.name == name).unwrap();
        let error = picture::of(&file.bytes()).unwrap_err();
        assert_eq!(error.reason, reason, "{name}");
        assert_eq!(error.fields["url"].len(), 1, "{name}");
    }
}
