//! Customers, sources and addresses.

use ::store::audit::Actor;
use kit::Result;
use kit::principal::{Role, caller, principal};
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::deliveries::v1::parties_service_server::PartiesService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use super::{bounded, match_parties};
use crate::Context;
use crate::domain::party;
use crate::queries::addresses;
use crate::{commands, queries};

pub struct Service {
    pub context: Context,
}

#[tonic::async_trait]
impl PartiesService for Service {
    async fn list_customers(
        &self,
        request: Request<ListCustomersRequest>,
    ) -> Result<Response<ListCustomersResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = queries::customers::LIST.page(&self.context.db, &page).await?;
        Ok(Response::new(ListCustomersResponse {
            customers: rows.into_iter().map(Into::into).collect(),
            more,
        }))
    }

    async fn count_customers(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(queries::customers::LIST.count(&self.context.db, &filters).await?))
    }

    async fn batch_get_customers(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetCustomersResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let names = bounded(request.into_inner().ids)?;
        let rows = queries::customers::by_names(&self.context.db, &names).await?;
        Ok(Response::new(BatchGetCustomersResponse { customers: rows.into_iter().map(Into::into).collect() }))
    }

    async fn get_customer(&self, request: Request<GetCustomerRequest>) -> Result<Response<Customer>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let row = queries::customers::get(&self.context.db, &request.into_inner().customer_name).await?;
        Ok(Response::new(row.into()))
    }

    async fn update_customer(
        &self,
        request: Request<UpdateCustomerRequest>,
    ) -> Result<Response<Customer>, Status> {
        principal(&request)?.require(Role::EDITORS)?;
        let actor = Actor::from(caller(&request)?);
        let request = request.into_inner();
        let (name, version) = (request.customer_name.clone(), request.version);
        let form = party::customer(request)?;
        let Context { db, clock, .. } = &self.context;
        let row = commands::customers::update(db, &name, version, form, actor.at(clock.now())).await?;
        Ok(Response::new(row.into()))
    }

    async fn list_sources(
        &self,
        request: Request<ListSourcesRequest>,
    ) -> Result<Response<ListSourcesResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = queries::sources::LIST.page(&self.context.db, &page).await?;
        Ok(Response::new(ListSourcesResponse { sources: rows.into_iter().map(Into::into).collect(), more }))
    }

    async fn count_sources(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(queries::sources::LIST.count(&self.context.db, &filters).await?))
    }

    async fn batch_get_sources(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetSourcesResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = queries::sources::by_ids(&self.context.db, &ids).await?;
        Ok(Response::new(BatchGetSourcesResponse { sources: rows.into_iter().map(Into::into).collect() }))
    }

    async fn get_source(&self, request: Request<GetSourceRequest>) -> Result<Response<Source>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let row = queries::sources::get(&self.context.db, &request.into_inner().id).await?;
        Ok(Response::new(row.into()))
    }

    async fn create_source(&self, request: Request<CreateSourceRequest>) -> Result<Response<Source>, Status> {
        principal(&request)?.require(Role::EDITORS)?;
        let actor = Actor::from(caller(&request)?);
        let CreateSourceRequest { name, is_active, pod_requirement } = request.into_inner();
        let form = party::source(&name, is_active, pod_requirement)?;
        let Context { db, clock, .. } = &self.context;
        Ok(Response::new(commands::sources::create(db, form, actor.at(clock.now())).await?.into()))
    }

    async fn update_source(&self, request: Request<UpdateSourceRequest>) -> Result<Response<Source>, Status> {
        principal(&request)?.require(Role::EDITORS)?;
        let actor = Actor::from(caller(&request)?);
        let UpdateSourceRequest { id, version, name, is_active, pod_requirement } = request.into_inner();
        let form = party::source(&name, is_active, pod_requirement)?;
        let Context { db, clock, .. } = &self.context;
        Ok(Response::new(
            commands::sources::update(db, &id, version, form, actor.at(clock.now())).await?.into(),
        ))
    }

    async fn list_addresses(
        &self,
        request: Request<ListAddressesRequest>,
    ) -> Result<Response<ListAddressesResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = addresses::LIST.page(&self.context.db, &page).await?;
        Ok(Response::new(ListAddressesResponse {
            addresses: rows.into_iter().map(Into::into).collect(),
            more,
        }))
    }

    async fn count_addresses(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(addresses::LIST.count(&self.context.db, &filters).await?))
    }

    async fn match_parties(
        &self,
        request: Request<MatchPartiesRequest>,
    ) -> Result<Response<MatchPartiesResponse>, Status> {
        principal(&request)?.require_service("upload")?;
        Ok(Response::new(match_parties::matches(&self.context.db, request.into_inner()).await?))
    }
}
