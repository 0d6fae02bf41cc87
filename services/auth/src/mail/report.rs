//! Sends mails with a report attached. The caller waits for the result and decides whether to try again.

use std::time::SystemTime;

use lettre::AsyncTransport;
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, Message, MultiPart, SinglePart};

use super::{Letter, Mailing, Route, TIMEOUT, reason};

/// A file to attach.
pub struct File {
    /// May contain any letters; they are encoded as in RFC 2231.
    pub name: String,
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
}

pub const CSV: &str = "text/csv; charset=utf-8";
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// What became of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    Sent,
    /// It cannot be sent; a second attempt would fail as well.
    Refused(String),
    /// It was not sent, and a later attempt may succeed.
    Delayed(String),
    /// The connection ended before the server's answer, so the mail may have arrived.
    Uncertain(String),
}

impl Mailing {
    /// Sends a mail with a file, once, and waits for the server's answer.
    pub async fn deliver_report(&self, id: &str, letter: Letter, file: File, now: SystemTime) -> Delivery {
        let Route::Server(server) = &self.route else {
            return Delivery::Refused("mail is off".to_owned());
        };
        let message = match self.with_file(id, letter, file, now) {
            Ok(message) => message,
            Err(why) => return Delivery::Refused(why.to_owned()),
        };
        match tokio::time::timeout(TIMEOUT * 2, server.send(message)).await {
            Ok(Ok(_)) => Delivery::Sent,
            Ok(Err(error)) if error.is_permanent() || error.is_client() => Delivery::Refused(reason(&error)),
            Ok(Err(error)) if error.status().is_some() || error.is_tls() => Delivery::Delayed(reason(&error)),
            Ok(Err(error)) => Delivery::Uncertain(reason(&error)),
            Err(_) => Delivery::Uncertain("the server takes too long".to_owned()),
        }
    }

    fn with_file(
        &self,
        id: &str,
        letter: Letter,
        file: File,
        now: SystemTime,
    ) -> Result<Message, &'static str> {
        let Letter { to, text } = letter;
        let body = SinglePart::builder().header(ContentType::TEXT_PLAIN).body(self.body(text.body));
        let File { name, content_type, bytes } = file;
        let content_type = ContentType::parse(content_type).map_err(|_| "its file has an unknown type")?;
        // Base64 keeps the line ends of the file.
        let bytes = Body::new_with_encoding(bytes, ContentTransferEncoding::Base64);
        let bytes = bytes.map_err(|_| "its file could not be encoded")?;
        let parts =
            MultiPart::mixed().singlepart(body).singlepart(Attachment::new(name).body(bytes, content_type));
        let headers = self.headers(id, &to, text.subject, now)?;
        headers.multipart(parts).map_err(|_| "it has no envelope")
    }
}
