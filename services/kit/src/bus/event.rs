//! An event as it is sent, and the rules for its id, its subject and the filters of its readers.

use bytes::Bytes;
use prost::{DecodeError, Message};
use proto::events::Envelope;

use crate::{Error, Result};

/// An event as it is stored and sent. Pass on `bytes`, never a new encoding of `envelope`: decoding drops the
/// fields that only a newer release knows.
#[derive(Debug, Clone)]
pub struct EncodedEvent {
    pub bytes: Bytes,
    pub envelope: Envelope,
}

impl EncodedEvent {
    pub fn decode(bytes: impl Into<Bytes>) -> Result<Self, DecodeError> {
        let bytes = bytes.into();
        let envelope = Envelope::decode(bytes.clone())?;
        Ok(Self { bytes, envelope })
    }
}

impl From<&Envelope> for EncodedEvent {
    fn from(envelope: &Envelope) -> Self {
        Self { bytes: envelope.encode_to_vec().into(), envelope: envelope.clone() }
    }
}

/// Requires a valid id and a literal subject in our namespace; an event without them would reach nobody.
pub fn check(envelope: &Envelope) -> Result<()> {
    let mut tokens = envelope.subject.split('.');
    let ours = tokens.next() == Some(proto::events::PREFIX);
    if !ours || !is_id(&envelope.id) || envelope.subject.split('.').count() < 3 || !tokens.all(is_literal) {
        return Err(Error::internal(format!(
            "not an event of Waybill: id {:?}, subject {:?}",
            envelope.id, envelope.subject
        )));
    }
    Ok(())
}

pub fn check_filter(filter: &str) -> Result<()> {
    let tokens: Vec<&str> = filter.split('.').collect();
    let last = tokens.len() - 1;
    let good = tokens.len() >= 3
        && tokens[0] == proto::events::PREFIX
        && tokens[1..].iter().enumerate().all(|(at, token)| {
            is_literal(token) || *token == "*" || (*token == ">" && at + 1 == last && at > 0)
        });
    match good {
        true => Ok(()),
        false => Err(Error::internal(format!("not a filter for events of Waybill: {filter:?}"))),
    }
}

/// Returns whether the id can be the value of a header, because it is sent as one.
pub fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 100 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

pub fn is_literal(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// Returns whether a subject passes a filter, by the rules of NATS: `*` matches one token, and `>` all
/// remaining ones.
pub fn matches(filter: &str, subject: &str) -> bool {
    let mut subject = subject.split('.');
    for token in filter.split('.') {
        match (token, subject.next()) {
            (">", Some(_)) => return true,
            ("*", Some(_)) => {}
            (token, Some(other)) if token == other => {}
            _ => return false,
        }
    }
    subject.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_match_as_in_nats() {
        let subject = "waybill.deliveries.delivery.imported.v1";
        for filter in [
            subject,
            "waybill.deliveries.>",
            "waybill.*.delivery.imported.v1",
            "waybill.deliveries.delivery.*.v1",
            "waybill.deliveries.delivery.imported.>",
        ] {
            assert!(matches(filter, subject), "{filter}");
        }
        for filter in [
            "waybill.upload.>",
            "waybill.deliveries",
            "waybill.deliveries.*",
            "waybill.deliveries.delivery.imported.v1.>",
            "waybill.deliveries.delivery.imported.v1.*",
            "waybill.deliveries.delivery.imported.v2",
            "",
        ] {
            assert!(!matches(filter, subject), "{filter}");
        }
    }

    #[test]
    fn only_filters_for_our_subjects_are_accepted() {
        for good in ["waybill.upload.>", "waybill.*.deadletter.raised.v1", "waybill.a.*.b"] {
            assert!(check_filter(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ">",
            "waybill.>",
            "waybill",
            "other.upload.>",
            "waybill.a.>.b",
            "waybill.a.b c",
            "waybill..b",
        ] {
            assert!(check_filter(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_events_with_our_subjects_are_published() {
        let event = |id: &str, subject: &str| Envelope {
            id: id.to_owned(),
            subject: subject.to_owned(),
            ..Envelope::default()
        };
        assert!(check(&event("a-1", "waybill.upload.import.finished.v1")).is_ok());
        for (id, subject) in [
            ("", "waybill.upload.import.finished.v1"),
            ("a\r\nb", "waybill.upload.import.finished.v1"),
            ("a", ""),
            ("a", "waybill.upload"),
            ("a", "other.upload.import.finished.v1"),
            ("a", "waybill.*.import.finished.v1"),
            ("a", "waybill.upload.>"),
            ("a", "waybill.upload.a b"),
        ] {
            assert!(check(&event(id, subject)).is_err(), "{id:?} {subject:?}");
        }
    }
}
