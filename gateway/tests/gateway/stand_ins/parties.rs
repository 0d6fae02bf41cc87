//! The stand-in for customers, sources and addresses.

use kit::Error;
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::deliveries::v1::parties_service_server::PartiesService;
use proto::deliveries::v1::*;
use tonic::{Request, Response};

use super::{Answer, Deliveries, note, prost_at};

#[tonic::async_trait]
impl PartiesService for Deliveries {
    async fn list_customers(&self, request: Request<ListCustomersRequest>) -> Answer<ListCustomersResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        Ok(Response::new(ListCustomersResponse { customers: vec![customer("Customer 0")], more: false }))
    }

    async fn count_customers(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }

    async fn batch_get_customers(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Answer<BatchGetCustomersResponse> {
        self.0.staff(&request, note("customers", &request.get_ref().ids)).await?;
        let customers = request.get_ref().ids.iter().map(|name| customer(name)).collect();
        Ok(Response::new(BatchGetCustomersResponse { customers }))
    }

    async fn list_sources(&self, request: Request<ListSourcesRequest>) -> Answer<ListSourcesResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        Ok(Response::new(ListSourcesResponse { sources: vec![], more: false }))
    }

    async fn count_sources(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 0, exact: true }))
    }

    async fn batch_get_sources(&self, request: Request<BatchGetRequest>) -> Answer<BatchGetSourcesResponse> {
        self.0.staff(&request, note("sources", &request.get_ref().ids)).await?;
        Ok(Response::new(BatchGetSourcesResponse { sources: vec![] }))
    }

    async fn get_customer(&self, request: Request<GetCustomerRequest>) -> Answer<Customer> {
        self.0.staff(&request, "customer").await?;
        match request.get_ref().customer_name.as_str() {
            name @ "A/B 100% Co" => Ok(Response::new(customer(name))),
            _ => Err(Error::not_found("CUSTOMER_NOT_FOUND", "There is no such customer.").into()),
        }
    }

    async fn update_customer(&self, request: Request<UpdateCustomerRequest>) -> Answer<Customer> {
        self.0.editor(&request, "customer").await?;
        self.0.keep(&request);
        let UpdateCustomerRequest { customer_name, pod_requirement, .. } = request.into_inner();
        Ok(Response::new(Customer { pod_requirement, ..customer(&customer_name) }))
    }

    async fn get_source(&self, request: Request<GetSourceRequest>) -> Answer<Source> {
        self.0.staff(&request, "source").await?;
        match request.get_ref().id.as_str() {
            "src" => Ok(Response::new(source("Files"))),
            _ => Err(Error::not_found("SOURCE_NOT_FOUND", "There is no such source.").into()),
        }
    }

    async fn create_source(&self, request: Request<CreateSourceRequest>) -> Answer<Source> {
        self.0.editor(&request, "source").await?;
        self.0.keep(&request);
        Ok(Response::new(source(&request.get_ref().name)))
    }

    async fn update_source(&self, request: Request<UpdateSourceRequest>) -> Answer<Source> {
        self.0.editor(&request, "source").await?;
        self.0.keep(&request);
        Ok(Response::new(source(&request.get_ref().name)))
    }

    async fn list_addresses(&self, request: Request<ListAddressesRequest>) -> Answer<ListAddressesResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        let point = Some(GeoPoint { lat: 14.5, lng: 121.0, accuracy: Some(30.0) });
        let addresses = vec![
            Address { address: "12 Rizal St".into(), point },
            Address { address: "13 Rizal St".into(), point: None },
        ];
        Ok(Response::new(ListAddressesResponse { addresses, more: false }))
    }

    async fn count_addresses(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 2, exact: true }))
    }

    async fn match_parties(&self, _: Request<MatchPartiesRequest>) -> Answer<MatchPartiesResponse> {
        Err(tonic::Status::unimplemented("not here"))
    }
}

fn source(name: &str) -> Source {
    Source {
        id: "src".into(),
        name: name.to_owned(),
        created_at: Some(prost_at(1)),
        updated_at: Some(prost_at(1)),
        ..Source::default()
    }
}

fn customer(name: &str) -> Customer {
    Customer {
        customer_name: name.to_owned(),
        created_at: Some(prost_at(1)),
        updated_at: Some(prost_at(1)),
        ..Customer::default()
    }
}
