//! Reads until when a certificate is valid. rustls checks this, but does not report it.

use chrono::{DateTime, NaiveDateTime, Utc};

const SEQUENCE: u8 = 0x30;
/// The tag of a certificate's version, which only the oldest certificates lack.
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// Returns the end of a certificate's validity; `None` if it is not an X.509 certificate.
pub(super) fn not_after(certificate: &[u8]) -> Option<DateTime<Utc>> {
    // Certificate { tbs { version, serial number, algorithm, issuer, validity { from, to }, … }, … }
    let mut fields = Fields(certificate).within(SEQUENCE)?.within(SEQUENCE)?;
    if fields.0.first() == Some(&VERSION) {
        fields.next()?;
    }
    for _ in ["serial number", "algorithm", "issuer"] {
        fields.next()?;
    }
    let mut validity = fields.within(SEQUENCE)?;
    validity.next()?;
    let (kind, time) = validity.next()?;
    let digits = std::str::from_utf8(time).ok()?;
    let text = match kind {
        // Two digits of the year: RFC 5280, 4.1.2.5.1.
        UTC_TIME if digits < "50" => format!("20{digits}"),
        UTC_TIME => format!("19{digits}"),
        GENERALIZED_TIME => digits.to_owned(),
        _ => return None,
    };
    NaiveDateTime::parse_from_str(&text, "%Y%m%d%H%M%SZ").ok().map(|time| time.and_utc())
}

/// The remaining fields of a structure in DER.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Takes the next field; returns its tag and content.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            // A length of one to four bytes.
            0x81..=0x84 => {
                let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (bytes.iter().fold(0, |length, byte| (length << 8) | usize::from(*byte)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }

    /// Takes the next field, which must have this tag; returns the fields within.
    fn within(&mut self, tag: u8) -> Option<Self> {
        self.next().filter(|(found, _)| *found == tag).map(|(_, content)| Self(content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Authority;

    #[test]
    fn the_end_of_a_certificate_is_read_before_and_after_2050() {
        let authority = Authority::new();
        for (year, month, day) in [(2020, 1, 2), (2049, 12, 31), (2050, 1, 1), (2345, 6, 7)] {
            let (certificate, _) = authority.sign_until(&["auth"], (year, month, day));
            let expected = format!("{year}-{month:02}-{day:02}T00:00:00+00:00");
            assert_eq!(not_after(&certificate).unwrap().to_rfc3339(), expected);
        }
    }

    #[test]
    fn a_piece_of_a_certificate_has_no_end() {
        let (certificate, _) = Authority::new().sign_until(&["auth"], (2040, 1, 1));
        assert!(not_after(&[]).is_none() && not_after(&[0xff; 64]).is_none());
        for length in [1, 2, 4, 20, 60] {
            assert_eq!(not_after(&certificate[..length]), None);
        }
    }
}
