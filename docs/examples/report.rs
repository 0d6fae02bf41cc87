//! Reports a dead letter to Waybill by gRPC, with a client generated from `intake.proto`.

use proto::deliveries::v1::intake_service_client::IntakeServiceClient;
use proto::deliveries::v1::raise_dead_letter_request::Content;
use proto::deliveries::v1::{RaiseDeadLetterRequest, ReportedLetter};
use tonic::Code;
use tonic::transport::Endpoint;

/// Returns the id of the dead letter. Safe to repeat with the same key until it answers.
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
            // Nobody knows whether it was kept: the same again finds out.
            Err(status) if matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded) => {
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
            Err(status) => return Err(status),
        }
    }
}
