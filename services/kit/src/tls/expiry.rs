//! Reads until when a certificate is valid. rustls checks this, but does not report it.

use chrono::{DateTime, Utc};
use x509_cert::Certificate;
use x509_cert::der::Decode;

/// Returns the end of a certificate's validity; `None` if it is not an X.509 certificate.
pub(super) fn not_after(certificate: &[u8]) -> Option<DateTime<Utc>> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let end = certificate.tbs_certificate.validity.not_after.to_unix_duration();
    DateTime::from_timestamp(i64::try_from(end.as_secs()).ok()?, 0)
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
