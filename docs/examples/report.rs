//! Reports a dead letter to Waybill by gRPC, with a client generated from `intake.proto`. Works where calls between
//! services are not encrypted; docs/intake.md has the other ways.

use proto::deliveries::v1::intake_service_client::IntakeServiceClient;
use proto::deliveries::v1::raise_dead_letter_request::Content;
use proto::deliveries::v1::{RaiseDeadLetterRequest, ReportedLetter};
use tonic::Code;
use tonic::transport::Endpoint;

/// Returns the id of the dead letter. Repeating the call with the same `key` reports it only once.
pub async fn report(
    address: String,
    token: &str,
    key: &str,
    letter: ReportedLetter,
) -> Result<String, tonic::Status> {
    let unavailable = |error| tonic::Status::unavailable(format!("{error}"));
    let endpoint = Endpoint::from_shared(address).map_err(unavailable)?;
    loop {
        let channel = endpoint.connect().await.map_err(unavailable)?;
        let request = RaiseDeadLetterRequest {
            token: token.to_owned(),
            idempotency_key: key.to_owned(),
            content: Some(Content::Letter(letter.clone())),
        };
        match IntakeServiceClient::new(channel).raise_dead_letter(request).await {
            Ok(answer) => return Ok(answer.into_inner().id),
            // The server may have stored the letter. Sending it again with the same key is safe.
            Err(status) if matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded) => {
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
            Err(status) => return Err(status),
        }
    }
}
