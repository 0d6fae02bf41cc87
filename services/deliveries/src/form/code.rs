//! The verification code of a form version, and the address that opens the version.
//!
//! The code is computed, never stored: only the deployment's secret can make a matching code, and nobody can
//! read one from the database. Forty bits suffice, because codes are checked only behind sign-in.

use ring::hmac;

/// Crockford's base 32: no I, L, O or U, so nothing is misread.
const SYMBOLS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Computes codes.
#[derive(Clone)]
pub struct Seal(hmac::Key);

impl Seal {
    pub fn new(secret: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()))
    }

    /// Returns the code as printed: `XXXX-XXXX`.
    pub fn code(&self, delivery_id: &str, form_version: i32, content_hash: &[u8]) -> String {
        // A hash has a fixed length and a number has no line break, so the text is different for each form.
        let hash = hex::encode(content_hash);
        let text = format!("waybill delivery form v1\n{hash}\n{form_version}\n{delivery_id}");
        let tag = hmac::sign(&self.0, text.as_bytes());
        let bits = tag.as_ref().iter().take(5).fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
        let symbol = |at: u32| SYMBOLS[(bits >> (35 - 5 * at)) as usize & 31] as char;
        let half = |from: u32| (from..from + 4).map(symbol).collect::<String>();
        format!("{}-{}", half(0), half(4))
    }
}

/// Returns the address in the QR code.
pub fn address(public_url: &str, delivery_id: &str, form_version: i32, code: &str) -> String {
    let mut id = String::new();
    for byte in escaped_dots(delivery_id).bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => id.push(byte.into()),
            _ => id.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("{}/forms/{id}?formVersion={form_version}&code={code}", public_url.trim_end_matches('/'))
}

/// Escapes an id of one or two dots, as the application's router does. Browsers resolve segments of dots, even encoded
/// ones, so these are encoded twice. An id that looks like an escaped one is escaped as well.
fn escaped_dots(id: &str) -> String {
    let mut bare = id.replace('.', "%2E");
    while bare.contains("%25") {
        bare = bare.replace("%25", "%");
    }
    let is_dots = ["%2E", "%2E%2E"].iter().any(|dots| bare.eq_ignore_ascii_case(dots));
    if is_dots { id.replace('%', "%25").replace('.', "%2E") } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_code_is_eight_symbols_that_depend_on_everything() {
        let seal = Seal::new("a secret");
        let code = seal.code("DR-1", 1, &[7; 32]);
        assert_eq!(code, seal.code("DR-1", 1, &[7; 32]));
        assert_eq!((code.len(), &code[4..5]), (9, "-"));
        assert!(code.bytes().all(|byte| byte == b'-' || SYMBOLS.contains(&byte)), "{code}");
        let others = [
            Seal::new("another").code("DR-1", 1, &[7; 32]),
            seal.code("DR-2", 1, &[7; 32]),
            seal.code("DR-1", 2, &[7; 32]),
            seal.code("DR-1", 1, &[8; 32]),
            seal.code("1\nDR-1", 1, &[7; 32]),
        ];
        let all: BTreeSet<_> = others.iter().chain([&code]).collect();
        assert_eq!(all.len(), 6, "{all:?}");
    }

    #[test]
    fn all_symbols_are_used() {
        let seal = Seal::new("a secret");
        let codes: String = (0..200).map(|version| seal.code("DR-1", version, &[])).collect();
        let used: BTreeSet<_> = codes.bytes().filter(|byte| *byte != b'-').collect();
        assert_eq!(used.len(), 32);
    }

    #[test]
    fn an_address_survives_every_name() {
        for (id, expected) in [
            ("DR-1184102", "https://waybill.example/forms/DR-1184102?formVersion=2&code=7KQ2-M4XD"),
            ("a/b c%d", "https://waybill.example/forms/a%2Fb%20c%25d?formVersion=2&code=7KQ2-M4XD"),
            (".", "https://waybill.example/forms/%252E?formVersion=2&code=7KQ2-M4XD"),
            ("..", "https://waybill.example/forms/%252E%252E?formVersion=2&code=7KQ2-M4XD"),
            ("%2e", "https://waybill.example/forms/%25252e?formVersion=2&code=7KQ2-M4XD"),
            ("a.b", "https://waybill.example/forms/a.b?formVersion=2&code=7KQ2-M4XD"),
            ("ñ?#&", "https://waybill.example/forms/%C3%B1%3F%23%26?formVersion=2&code=7KQ2-M4XD"),
        ] {
            assert_eq!(address("https://waybill.example/", id, 2, "7KQ2-M4XD"), expected);
        }
    }
}
