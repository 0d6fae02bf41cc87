//! The name of an object. Its character set is narrow on purpose: the same text serves as file path, URL path
//! and S3 key, and needs no escaping in any of them.

use std::fmt;

use crate::{Error, Result};

const MAX: usize = 200;

/// Characters `a-z 0-9 - _ . /`, no empty segment, no segment that starts with a dot, 200 characters at most.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    pub fn parse(text: &str) -> Result<Self> {
        let known = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/');
        // The leading dot rules out `..` and the local store's own folder.
        let segment = |segment: &str| !segment.is_empty() && !segment.starts_with('.');
        let good = text.len() <= MAX
            && text.bytes().all(known)
            && !text.contains("..")
            && text.split('/').all(segment);
        match good {
            true => Ok(Self(text.to_owned())),
            false => Err(Error::invalid("OBJECT_KEY_INVALID", "This is not a file name.")),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0
    }
}

impl std::str::FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_keys_are_taken_as_they_are() {
        for good in ["a", "uploads/2026/01-x_y.csv", "logos/ab12.svg", "a/b/c", "a.b.c", &"x".repeat(200)] {
            assert_eq!(Key::parse(good).unwrap().as_str(), good);
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let long = "x".repeat(201);
        for bad in [
            "", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/..", "a/../b", "a/./b", ".hidden", "a/.b",
            "a..b", "A", "é", "a b", "a%2e", "a\\b", "a?b", "a#b", "a\0", "a\n", "a:b", "~", "a+b", &long,
        ] {
            let error = Key::parse(bad).unwrap_err();
            assert_eq!(error.reason, "OBJECT_KEY_INVALID", "{bad:?}");
        }
    }
}
