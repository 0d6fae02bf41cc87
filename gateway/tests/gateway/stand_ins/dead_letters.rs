//! The stand-in for dead letters and endpoints, which answers administrators with empty messages.

use kit::Role;
use proto::common::v1::{Count, CountRequest};
use proto::deliveries::v1::dead_letters_service_server::DeadLettersService;
use proto::deliveries::v1::*;
use tonic::{Request, Response};

use super::{Answer, Deliveries};

macro_rules! administrators_get {
    ($($method:ident: $ask:ty => $answer:ty,)*) => {
        #[tonic::async_trait]
        impl DeadLettersService for Deliveries {
            $(async fn $method(&self, request: Request<$ask>) -> Answer<$answer> {
                self.0.holder(Role::ADMINS, &request, "dead letters").await?;
                Ok(Response::new(<$answer>::default()))
            })*
        }
    };
}

administrators_get! {
    list_dead_letters: ListDeadLettersRequest => ListDeadLettersResponse,
    count_dead_letters: CountDeadLettersRequest => Count,
    get_dead_letter: GetDeadLetterRequest => DeadLetter,
    list_dead_letter_groups: CountRequest => ListDeadLetterGroupsResponse,
    resend_dead_letter: ResendDeadLetterRequest => DeadLetter,
    start_dead_letter_job: StartDeadLetterJobRequest => DeadLetterJob,
    get_dead_letter_job: GetDeadLetterJobRequest => DeadLetterJob,
    list_dead_letter_jobs: ListDeadLetterJobsRequest => ListDeadLetterJobsResponse,
    cancel_dead_letter_job: CancelDeadLetterJobRequest => DeadLetterJob,
    list_outbound_endpoints: ListOutboundEndpointsRequest => ListOutboundEndpointsResponse,
    save_outbound_endpoint: SaveOutboundEndpointRequest => OutboundEndpoint,
    delete_outbound_endpoint: DeleteOutboundEndpointRequest => DeleteOutboundEndpointResponse,
    rotate_outbound_secret: RotateOutboundSecretRequest => OutboundEndpoint,
    resume_outbound_endpoint: ResumeOutboundEndpointRequest => OutboundEndpoint,
    test_outbound_endpoint: TestOutboundEndpointRequest => TestOutboundEndpointResponse,
}
