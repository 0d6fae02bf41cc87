//! Sends one message to one receiver, by the rules of Standard Webhooks.
//!
//! The body is signed with every valid secret. Redirects are not followed, and each connection refuses names
//! and addresses inside the network (`kit::outbound`). Responses are stored, up to 16 KiB.

use std::error::Error as _;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use kit::outbound::{self, Reach};
use kit::{Error, Result};
use reqwest::{Client, Response, Url};
use ring::hmac;
use serde_json::json;

use crate::domain::outbound::ErrorClass;
use crate::outbound::sends::Attempted;

/// Time limit for a response.
pub const TIMEOUT: Duration = Duration::from_secs(30);
const MAX_BODY: usize = 16 << 10;
const MAX_TEXT_CHARS: usize = 200;
const USER_AGENT: &str = concat!("Waybill/", env!("CARGO_PKG_VERSION"));
const MASKED: &str = "••••";

/// Sends messages.
#[derive(Clone)]
pub struct Webhooks {
    client: Client,
    reach: Reach,
}

/// A message and its target.
pub struct Message<'a> {
    /// Id of the message; the same in every attempt, so that receivers recognize repetitions.
    pub id: &'a str,
    pub url: &'a str,
    pub body: &'a str,
    /// The secrets in the form `whsec_…`, the current one first.
    pub secrets: &'a [String],
    pub at: DateTime<Utc>,
    pub timeout: Duration,
}

impl Webhooks {
    pub fn new(reach: Reach) -> Result<Self> {
        Ok(Self { client: outbound::client_for(reach, USER_AGENT, TIMEOUT)?, reach })
    }

    /// Sends a message and waits for the response. Never fails: errors are in the result.
    pub async fn send(&self, message: &Message<'_>) -> Attempted {
        let begun = Instant::now();
        let answer = match signature(message) {
            Ok(signature) => self.post(message, &signature).await,
            Err(error) => {
                Answer::failed(ErrorClass::Validation, format!("The secret cannot be used: {error}"))
            }
        };
        Attempted {
            at: message.at,
            ms: u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX),
            status: answer.status,
            headers: shown_headers(message),
            sent: message.body.to_owned(),
            response_body: answer.body,
            failure: answer.failure,
        }
    }

    async fn post(&self, message: &Message<'_>, signature: &str) -> Answer {
        let Some(url) = Url::parse(message.url).ok().filter(|url| self.reach.may_call(url)) else {
            return Answer::failed(
                ErrorClass::Validation,
                "The address of the endpoint isn't allowed".into(),
            );
        };
        let request = self
            .client
            .post(url)
            .timeout(message.timeout)
            .header("content-type", "application/json")
            .header("webhook-id", message.id)
            .header("webhook-timestamp", message.at.timestamp().to_string())
            .header("webhook-signature", signature)
            .body(message.body.to_owned());
        let sent = request.send().await;
        match sent {
            Ok(response) => answered(response).await,
            Err(error) => unanswered(&error, message.timeout),
        }
    }
}

struct Answer {
    status: Option<u16>,
    body: String,
    failure: Option<(ErrorClass, String)>,
}

impl Answer {
    fn failed(class: ErrorClass, text: String) -> Self {
        Self { status: None, body: String::new(), failure: Some((class, text)) }
    }
}

/// Returns the signatures of a message, one for each secret, space-separated.
pub fn signature(message: &Message<'_>) -> Result<String> {
    let mut all = Vec::new();
    for secret in message.secrets {
        let key = secret.strip_prefix("whsec_").unwrap_or(secret);
        let key = STANDARD.decode(key).map_err(|_| Error::internal("a secret is not base64"))?;
        let signed = format!("{}.{}.{}", message.id, message.at.timestamp(), message.body);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), signed.as_bytes());
        all.push(format!("v1,{}", STANDARD.encode(tag.as_ref())));
    }
    Ok(all.join(" "))
}

/// Returns the headers to store, without the signature, which would only help to forge a repetition.
fn shown_headers(message: &Message<'_>) -> String {
    json!({
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        "webhook-id": message.id,
        "webhook-timestamp": message.at.timestamp().to_string(),
        "webhook-signature": format!("v1,{MASKED}"),
    })
    .to_string()
}

async fn answered(mut response: Response) -> Answer {
    let status = response.status();
    let mut bytes = Vec::new();
    // If the connection breaks, keep the part of the body that arrived. Only the status decides whether the
    // message was accepted.
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = MAX_BODY - bytes.len();
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if bytes.len() == MAX_BODY {
            break;
        }
    }
    let body = String::from_utf8_lossy(&bytes).replace('\0', "\u{fffd}");
    let failure = match status.as_u16() {
        200..300 => None,
        300..400 => Some((
            ErrorClass::Redirect,
            format!("{}: The receiver redirects, and redirects aren't followed", status.as_u16()),
        )),
        500.. => Some((ErrorClass::Http5xx, told(status, &body))),
        _ => Some((ErrorClass::Http4xx, told(status, &body))),
    };
    Answer { status: Some(status.as_u16()), body, failure }
}

/// Returns the status code and the receiver's error text; without one, the standard text of the status.
fn told(status: reqwest::StatusCode, body: &str) -> String {
    let said = serde_json::from_str::<serde_json::Value>(body).ok().and_then(|json| {
        ["message", "error", "detail", "title"]
            .iter()
            .find_map(|key| json.get(key)?.as_str().map(str::to_owned))
    });
    let text = said.unwrap_or_else(|| status.canonical_reason().unwrap_or("No reason given").to_owned());
    let text: String = text.chars().filter(|c| !c.is_control()).take(MAX_TEXT_CHARS).collect();
    format!("{}: {text}", status.as_u16())
}

fn unanswered(error: &reqwest::Error, timeout: Duration) -> Answer {
    let mut causes = String::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push_str(&cause.to_string().to_lowercase());
        causes.push(' ');
        next = cause.source();
    }
    let (class, text) = if outbound::is_not_allowed(error) {
        (
            ErrorClass::Validation,
            "The host name of the receiver resolves to an address that isn't allowed".to_owned(),
        )
    } else if error.is_timeout() {
        (ErrorClass::Timeout, format!("The receiver did not answer in {} s", timeout.as_secs()))
    } else if causes.contains("dns") || causes.contains("lookup") {
        (ErrorClass::Dns, "The host name of the receiver can't be resolved".to_owned())
    } else if causes.contains("certificate") {
        (ErrorClass::Tls, "The certificate of the receiver is not valid".to_owned())
    } else if causes.contains("tls") || causes.contains("handshake") {
        (ErrorClass::Tls, "No secure connection to the receiver could be made".to_owned())
    } else {
        (ErrorClass::Connection, "The receiver could not be reached".to_owned())
    };
    Answer::failed(class, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_signed_as_the_published_example() {
        // An example from the specification of Standard Webhooks.
        let message = Message {
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            url: "https://example.com",
            body: "{\"test\": 2432232314}",
            secrets: &["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".into()],
            at: DateTime::from_timestamp(1_614_265_330, 0).unwrap(),
            timeout: TIMEOUT,
        };
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature(&message).unwrap(), expected);
        let both = Message { secrets: &[message.secrets[0].clone(), "whsec_AAAA".into()], ..message };
        let both_signed = signature(&both).unwrap();
        assert_eq!(both_signed.split(' ').count(), 2);
        assert!(both_signed.starts_with(expected));
        assert!(!shown_headers(&both).contains(expected));
    }

    #[test]
    fn a_refusal_is_told_in_the_words_of_the_receiver() {
        let text = |body: &str| told(reqwest::StatusCode::UNPROCESSABLE_ENTITY, body);
        assert_eq!(text("{\"message\":\"No invoice SI-1\"}"), "422: No invoice SI-1");
        assert_eq!(text("<html>"), "422: Unprocessable Entity");
        assert_eq!(text("{\"error\":\"a\\u0000b\\nc\"}"), "422: abc");
        assert!(text(&format!("{{\"error\":\"{}\"}}", "x".repeat(9_000))).len() < 210);
    }
}
