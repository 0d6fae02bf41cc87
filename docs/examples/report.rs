//! Reports a dead letter to Waybill by gRPC, with a client generated from `intake.proto`. Works where calls between
//! services are not encrypted; docs/intake.md has the other ways.

use std::time::Duration;

use proto::deliveries::v1::intake_service_client::IntakeServiceClient;
use proto::deliveries::v1::raise_dead_letter_request::Content;
use proto::deliveries::v1::{RaiseDeadLetterRequest, ReportedLetter};
use tonic::transport::Endpoint;
use tonic::{Code, Status};

const TRIES: u32 = 8;

/// Returns the id of the dead letter. Repeating the call with the same `key` reports it only once: do that later after
/// an error for which [`may_repeat`] is true.
pub async fn report(
    address: String,
    token: &str,
    key: &str,
    letter: ReportedLetter,
) -> Result<String, Status> {
    let endpoint =
        Endpoint::from_shared(address).map_err(|error| Status::invalid_argument(error.to_string()))?;
    let request = RaiseDeadLetterRequest {
        token: token.to_owned(),
        idempotency_key: key.to_owned(),
        content: Some(Content::Letter(letter)),
    };
    let mut tries = 0;
    loop {
        tries += 1;
        match once(&endpoint, request.clone()).await {
            // The server may have stored the letter. Sending it again with the same key is safe.
            Err(status) if may_repeat(status.code()) && tries < TRIES => {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            answer => return answer,
        }
    }
}

async fn once(endpoint: &Endpoint, request: RaiseDeadLetterRequest) -> Result<String, Status> {
    let channel = endpoint.connect().await.map_err(|error| Status::unavailable(error.to_string()))?;
    Ok(IntakeServiceClient::new(channel).raise_dead_letter(request).await?.into_inner().id)
}

/// Returns whether the same call may succeed later: Waybill can't take the letter now, its disk is full
/// (RESOURCE_EXHAUSTED), or something failed on the way (the last three).
pub fn may_repeat(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
            | Code::Cancelled
            | Code::Internal
            | Code::Unknown
    )
}
