//! A scripted service of parties, which knows those of the test.

use ::store::filter::fold;
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::deliveries::v1::parties_service_server::{PartiesService, PartiesServiceServer};
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use super::world::Deliveries;

pub fn parties(deliveries: Deliveries) -> PartiesServiceServer<Parties> {
    PartiesServiceServer::new(Parties(deliveries))
}

pub struct Parties(Deliveries);

impl Deliveries {
    /// Makes parties of this kind known, in place of others.
    pub fn know(&self, kind: PartyKind, names: &[&'static str]) {
        let mut said = self.0.lock().unwrap();
        said.known.retain(|(other, _)| *other != kind);
        said.known.extend(names.iter().map(|name| (kind, *name)));
    }

    /// Returns the number of requests about parties.
    pub fn matches(&self) -> usize {
        self.0.lock().unwrap().matched.len()
    }

    fn answer_matches(&self, request: MatchPartiesRequest) -> MatchPartiesResponse {
        let mut said = self.0.lock().unwrap();
        let known: Vec<&str> =
            said.known.iter().filter(|(kind, _)| *kind == request.kind()).map(|(_, name)| *name).collect();
        let party = |name: &str| Party { name: name.to_owned(), label: format!("{name}!") };
        let find = |name: &str| known.iter().find(|it| fold(it) == fold(name));
        let unknown = request.names.iter().filter(|name| !known.is_empty() && find(name).is_none());
        let unmatched = unknown.map(|name| UnmatchedParty {
            name: name.clone(),
            suggestions: known.iter().take(3).map(|name| party(name)).collect(),
        });
        let answer = MatchPartiesResponse {
            unmatched: unmatched.collect(),
            targets: request.targets.iter().filter_map(|name| find(name)).map(|name| party(name)).collect(),
        };
        said.matched.push(request);
        answer
    }
}

/// The other handlers of the contract, which imports never call.
macro_rules! unused {
    ($($name:ident($request:ty) -> $answer:ty;)+) => {
        #[tonic::async_trait]
        impl PartiesService for Parties {
            async fn match_parties(
                &self,
                request: Request<MatchPartiesRequest>,
            ) -> Result<Response<MatchPartiesResponse>, Status> {
                Ok(Response::new(self.0.answer_matches(request.into_inner())))
            }

            $(async fn $name(&self, _: Request<$request>) -> Result<Response<$answer>, Status> {
                Err(Status::unimplemented("not here"))
            })+
        }
    };
}

unused! {
    list_customers(ListCustomersRequest) -> ListCustomersResponse;
    count_customers(CountRequest) -> Count;
    batch_get_customers(BatchGetRequest) -> BatchGetCustomersResponse;
    get_customer(GetCustomerRequest) -> Customer;
    update_customer(UpdateCustomerRequest) -> Customer;
    list_sources(ListSourcesRequest) -> ListSourcesResponse;
    count_sources(CountRequest) -> Count;
    batch_get_sources(BatchGetRequest) -> BatchGetSourcesResponse;
    get_source(GetSourceRequest) -> Source;
    create_source(CreateSourceRequest) -> Source;
    update_source(UpdateSourceRequest) -> Source;
    list_addresses(ListAddressesRequest) -> ListAddressesResponse;
    count_addresses(CountRequest) -> Count;
}
