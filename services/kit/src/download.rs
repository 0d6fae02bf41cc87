//! Names of downloaded files: those that the gateway answers, and objects behind links.

use std::fmt::Write;

use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

const MAX_NAME: usize = 100;
/// All characters that are not plain.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// Whether a browser shows a file or saves it.
#[derive(Debug, Clone, Copy)]
pub enum Opens {
    InTheBrowser,
    AsADownload,
}

/// Returns `Content-Disposition` by RFC 6266: the full name, preceded by an ASCII name for programs that
/// support only ASCII.
pub fn disposition(opens: Opens, stem: &str, ending: &str) -> HeaderValue {
    named(opens, stem, &format!(".{ending}"))
}

/// Returns `Content-Disposition` of a file that is saved under a name that somebody gave it.
pub fn saved_as(name: &str) -> HeaderValue {
    let is_ending = |it: &str| (1..=10).contains(&it.len()) && it.bytes().all(|b| b.is_ascii_alphanumeric());
    let (stem, ending) = match name.rfind('.') {
        Some(dot) if is_ending(&name[dot + 1..]) => name.split_at(dot),
        _ => (name, ""),
    };
    named(Opens::AsADownload, stem, ending)
}

/// Names a file by its stem, which may be any text, and its ending, which is plain and has its dot.
fn named(opens: Opens, stem: &str, ending: &str) -> HeaderValue {
    let kind = match opens {
        Opens::InTheBrowser => "inline",
        Opens::AsADownload => "attachment",
    };
    let safe = safe(stem);
    let plain: String = safe.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let mut text = format!("{kind}; filename=\"{plain}{ending}\"");
    if plain != safe {
        let _ = write!(text, "; filename*=UTF-8''{}{ending}", encoded(&safe));
    }
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(kind))
}

/// Removes characters that are special in file systems, invisible, or change the text direction.
fn safe(stem: &str) -> String {
    let safe = |c: char| match c {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => '_',
        c if c.is_control() => '_',
        c => c,
    };
    let safe: String = stem.chars().map(safe).take(MAX_NAME).collect();
    let safe = safe.trim_matches(['.', ' ']);
    if safe.is_empty() { "_".to_owned() } else { safe.to_owned() }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Encodes a name for headers and queries.
pub(crate) fn encoded(name: &str) -> PercentEncode<'_> {
    utf8_percent_encode(name, ENCODED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_letters_and_mean_nothing_else() {
        for (stem, expected) in [
            ("form-D-1-v3", "filename=\"form-D-1-v3.pdf\""),
            ("Über 7", "filename=\"_ber_7.pdf\"; filename*=UTF-8''%C3%9Cber%207.pdf"),
            ("株式", "filename=\"__.pdf\"; filename*=UTF-8''%E6%A0%AA%E5%BC%8F.pdf"),
            ("a/b\\c %\"\r\n", "filename=\"a_b_c_____.pdf\"; filename*=UTF-8''a_b_c%20%25___.pdf"),
            ("a\u{202e}b", "filename=\"a_b.pdf\""),
            ("../../etc/passwd", "filename=\"_.._etc_passwd.pdf\""),
            (".htaccess", "filename=\"htaccess.pdf\""),
            ("..", "filename=\"_.pdf\""),
        ] {
            assert_eq!(
                disposition(Opens::InTheBrowser, stem, "pdf"),
                format!("inline; {expected}"),
                "{stem}"
            );
        }
        let long = disposition(Opens::AsADownload, &"é".repeat(5_000), "csv");
        assert!(long.len() < 800 && long.to_str().unwrap().starts_with("attachment; "), "{long:?}");
    }

    #[test]
    fn a_name_that_somebody_gave_keeps_its_letters_and_its_ending() {
        for (name, expected) in [
            ("door.jpg", "filename=\"door.jpg\""),
            ("Hof 7.JPG", "filename=\"Hof_7.JPG\"; filename*=UTF-8''Hof%207.JPG"),
            ("漢字.jpg", "filename=\"__.jpg\"; filename*=UTF-8''%E6%BC%A2%E5%AD%97.jpg"),
            ("漢字", "filename=\"__\"; filename*=UTF-8''%E6%BC%A2%E5%AD%97"),
            ("a.tar.gz", "filename=\"a.tar.gz\""),
            ("No. 7", "filename=\"No._7\"; filename*=UTF-8''No.%207"),
            (".jpg", "filename=\"_.jpg\""),
            ("..", "filename=\"_\""),
            ("", "filename=\"_\""),
            ("../../a\\b.jpg", "filename=\"_.._a_b.jpg\""),
            ("a\"\r\n;b.jpg", "filename=\"a____b.jpg\"; filename*=UTF-8''a___%3Bb.jpg"),
            ("a\u{202e}gpj.exe", "filename=\"a_gpj.exe\""),
        ] {
            assert_eq!(saved_as(name), format!("attachment; {expected}"), "{name}");
        }
        let long = saved_as(&format!("{}.jpg", "é".repeat(5_000)));
        assert!(long.len() < 800 && long.to_str().unwrap().ends_with(".jpg"), "{long:?}");
    }
}
