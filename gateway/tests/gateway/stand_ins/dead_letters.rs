//! The stand-in for dead letters and endpoints, which answers administrators with empty messages, and for
//! bulk changes, which does the same for editors.

use kit::Role;
use proto::common::v1::{Count, CountRequest};
use proto::deliveries::v1::bulk_service_server::BulkService;
use proto::deliveries::v1::dead_letters_service_server::DeadLettersService;
use proto::deliveries::v1::intake_service_server::IntakeService;
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

macro_rules! editors_get {
    ($($method:ident: $ask:ty => $answer:ty,)*) => {
        #[tonic::async_trait]
        impl BulkService for Deliveries {
            $(async fn $method(&self, request: Request<$ask>) -> Answer<$answer> {
                self.0.editor(&request, "bulk").await?;
                self.0.keep(&request);
                Ok(Response::new(<$answer>::default()))
            })*
        }
    };
}

editors_get! {
    start_bulk_change: StartBulkChangeRequest => BulkChange,
    get_bulk_change: GetBulkChangeRequest => BulkChange,
    list_bulk_changes: ListBulkChangesRequest => ListBulkChangesResponse,
    cancel_bulk_change: CancelBulkChangeRequest => BulkChange,
    undo_bulk_change: UndoBulkChangeRequest => BulkChange,
}

#[tonic::async_trait]
impl IntakeService for Deliveries {
    /// One producer has the token "wbp_good". With the key "again", its dead letter exists already. A key
    /// that is not UTF-8, or is too long, is refused.
    async fn raise_dead_letter(
        &self,
        request: Request<RaiseDeadLetterRequest>,
    ) -> Answer<RaiseDeadLetterResponse> {
        let request = request.into_inner();
        if request.token != "wbp_good" {
            return Err(kit::Error::unauthenticated("PRODUCER_TOKEN_INVALID").into());
        }
        let key = &request.idempotency_key;
        if key.contains('\u{fffd}') || key.len() > 200 {
            return Err(kit::Error::invalid_field("id", "Idempotency key is wrong").into());
        }
        match request.content {
            Some(raise_dead_letter_request::Content::Json(json)) if json == b"{}" => {
                Err(kit::Error::invalid_field("deliveryId", "Delivery Doc is required").into())
            }
            _ => {
                let repeated = request.idempotency_key == "again";
                Ok(Response::new(RaiseDeadLetterResponse { id: "L-1".into(), repeated }))
            }
        }
    }

    async fn list_producers(&self, request: Request<ListProducersRequest>) -> Answer<ListProducersResponse> {
        self.0.holder(Role::ADMINS, &request, "dead letters").await?;
        Ok(Response::new(Default::default()))
    }

    async fn save_producer(&self, request: Request<SaveProducerRequest>) -> Answer<Producer> {
        self.0.holder(Role::ADMINS, &request, "dead letters").await?;
        Ok(Response::new(Default::default()))
    }

    async fn delete_producer(
        &self,
        request: Request<DeleteProducerRequest>,
    ) -> Answer<DeleteProducerResponse> {
        self.0.holder(Role::ADMINS, &request, "dead letters").await?;
        Ok(Response::new(Default::default()))
    }

    async fn rotate_producer_token(&self, request: Request<RotateProducerTokenRequest>) -> Answer<Producer> {
        self.0.holder(Role::ADMINS, &request, "dead letters").await?;
        Ok(Response::new(Default::default()))
    }
}
