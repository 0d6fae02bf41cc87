//! Formats of values, by the type of their setting. Strict, so that every reader of a stored value
//! understands it in the same way.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use kit::input::email::is_email;
use kit::input::text;
use proto::settings::v1::SettingType;

::store::text_enum!(
    Type {
        Date => "date",
        DateTime => "dateTime",
        Text => "text",
        Number => "number",
        Time => "time",
        Email => "email",
        Url => "url",
        Password => "password",
        Boolean => "boolean",
    }
);

proto::same_enum!(SettingType => Type {
    Date => Date,
    DateTime => DateTime,
    Text => Text,
    Number => Number,
    Time => Time,
    Email => Email,
    Url => Url,
    Password => Password,
    Boolean => Boolean,
});

impl Type {
    /// Returns whether values of this type are left out of responses, events and the history.
    pub fn is_secret(self) -> bool {
        self == Type::Password
    }
}

pub const MAX_CHARS: usize = 4_000;

/// Returns the value in the form that is stored, or what is wrong with it. Only secrets are not trimmed.
pub fn check(kind: Type, value: &str) -> Result<String, String> {
    let kept =
        if kind.is_secret() { secret(value)? } else { text::required_name("Value", value, MAX_CHARS)? };
    let text = kept.as_str();
    match kind {
        Type::Text | Type::Password => Ok(()),
        Type::Date if date(text).is_none() => Err("Value must be a date such as 2027-05-31"),
        Type::DateTime if date_time(text).is_none() => {
            Err("Value must be a date and time such as 2027-05-31T14:30")
        }
        Type::Time if time(text).is_none() => Err("Value must be a time such as 14:30"),
        Type::Number if number(text).is_none() => Err("Value must be a number such as 12 or 1.5"),
        Type::Email if !is_email(text) => Err("Value must be formatted like an email address"),
        Type::Url if !is_url(text) => {
            Err("Value must be an address that begins with http:// or https://, without a password")
        }
        Type::Boolean if !["true", "false"].contains(&text) => Err("Value must be true or false"),
        _ => Ok(()),
    }
    .map_err(str::to_owned)?;
    Ok(kept)
}

/// Checks a secret without trimming it, because spaces at its ends belong to it.
fn secret(value: &str) -> Result<String, String> {
    if value.is_empty() {
        return Err("Value is required".to_owned());
    }
    if value.chars().count() > MAX_CHARS {
        return Err(format!("Value must have no more than {MAX_CHARS} characters"));
    }
    if value.chars().any(text::is_invisible) {
        return Err("Value must not contain control characters".to_owned());
    }
    Ok(value.to_owned())
}

/// Parses YYYY-MM-DD, a calendar date from year 1 on.
pub fn date(text: &str) -> Option<NaiveDate> {
    let shaped = is_shaped(text, "0000-00-00") && !text.starts_with("0000");
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| shaped)
}

/// Parses YYYY-MM-DDTHH:MM.
pub fn date_time(text: &str) -> Option<NaiveDateTime> {
    let (day, clock) = text.split_once('T')?;
    Some(date(day)?.and_time(time(clock)?))
}

/// Parses HH:MM.
pub fn time(text: &str) -> Option<NaiveTime> {
    NaiveTime::parse_from_str(text, "%H:%M").ok().filter(|_| is_shaped(text, "00:00"))
}

/// Parses a decimal number such as 12 or -1.5, without exponent, plus sign, NaN or infinity.
pub fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !all(whole) || !all(part) || digits.len() > 18 || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    text.parse().ok()
}

fn is_shaped(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(b, s)| if s == b'0' { b.is_ascii_digit() } else { b == s })
}

/// Returns whether the text is a web address with a host. Refuses credentials, because everybody sees the
/// address.
fn is_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "1"));
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    !text.contains(char::is_whitespace)
        && !text.contains(['\\', '"', '<', '>', '`'])
        && name.split('.').all(label)
        && port.parse::<u16>().is_ok_and(|port| port > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each type, values that it accepts and values that it refuses.
    const VALUES: &[(Type, &[&str], &[&str])] = &[
        (
            Type::Date,
            &["2027-05-31", "2028-02-29", "0001-01-01"],
            &[
                "2027-02-29",
                "2027-5-31",
                "31/05/2027",
                "2027-05-31T00:00",
                "0000-01-01",
                "+027-05-31",
                "tomorrow",
            ],
        ),
        (
            Type::DateTime,
            &["2027-05-31T14:30", "2027-05-31T00:00"],
            &[
                "2027-05-31",
                "2027-05-31 14:30",
                "2027-05-31T24:00",
                "2027-05-31T14:30:00",
                "2027-05-31T14:30Z",
                "T",
            ],
        ),
        (Type::Time, &["00:00", "23:59"], &["24:00", "7:30", "07:60", "07:30:00", "7pm"]),
        (
            Type::Number,
            &["0", "12", "-3", "1.5", "0.25", "123456789012345678"],
            &[
                "1,5",
                "1e3",
                "+1",
                "01",
                ".5",
                "5.",
                "-",
                "NaN",
                "inf",
                "0x10",
                "1 000",
                "1234567890123456789",
                "٣",
            ],
        ),
        (
            Type::Email,
            &["ops@example.com", "first.last+tag@sub.example.com", "ü@example.com"],
            &[
                "ops",
                "ops@example",
                "@example.com",
                "a b@example.com",
                "a@b@example.com",
                ".a@example.com",
                "a@-b.com",
                "a@b.com,c@d.com",
            ],
        ),
        (
            Type::Url,
            &["https://example.com", "http://localhost:8080/a?b#c", "https://bücher.example/ü"],
            &[
                "example.com",
                "ftp://example.com",
                "javascript:alert(1)",
                "https://",
                "https://user:secret@example.com",
                "https://user@example.com",
                "https://exa mple.com",
                "https://example.com:0",
                "https://example.com:99999",
                "https://a..b",
                "https://example.com/\"x",
                "//example.com",
            ],
        ),
        (Type::Boolean, &["true", "false"], &["True", "yes", "1", "on"]),
        (Type::Text, &["anything", "ünïcödé", "0"], &["two\nlines", "zero\u{200b}width", "bell\u{7}"]),
        (Type::Password, &["a b", " space around "], &["nul\0"]),
    ];

    #[test]
    fn each_type_takes_its_own_values_and_no_others() {
        for (kind, good, bad) in VALUES {
            for text in *good {
                assert!(check(*kind, text).is_ok(), "{kind:?} takes {text}");
            }
            for text in *bad {
                assert!(check(*kind, text).is_err(), "{kind:?} refuses {text:?}");
            }
            for empty in ["", "   "] {
                let refused = check(*kind, empty);
                let secret_of_spaces = kind.is_secret() && !empty.is_empty();
                assert_eq!(refused.is_err(), !secret_of_spaces, "{kind:?} {empty:?}");
            }
            assert_eq!(check(*kind, ""), Err("Value is required".to_owned()));
        }
    }

    #[test]
    fn values_are_trimmed_and_bounded() {
        assert_eq!(check(Type::Text, "  Waybill  ").as_deref(), Ok("Waybill"));
        assert_eq!(check(Type::Number, " 3 ").as_deref(), Ok("3"));
        assert_eq!(check(Type::Password, " x ").as_deref(), Ok(" x "));
        assert!(check(Type::Text, &"é".repeat(MAX_CHARS)).is_ok());
        assert!(check(Type::Text, &"é".repeat(MAX_CHARS + 1)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn what_passes_can_be_read(text in "\\PC{0,24}") {
            proptest::prop_assert_eq!(check(Type::Number, &text).is_ok(), number(text.trim()).is_some());
            if let Ok(day) = check(Type::Date, &text) {
                proptest::prop_assert_eq!(date(&day).map(|it| it.to_string()), Some(day));
            }
        }
    }
}
