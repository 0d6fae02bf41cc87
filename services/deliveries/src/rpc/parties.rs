//! Customers and sources.

use kit::Result;
use kit::principal::{Role, principal};
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::deliveries::v1::parties_service_server::PartiesService;
use proto::deliveries::v1::*;
use sea_orm::Order;
use tonic::{Request, Response, Status};

use super::bounded;
use crate::entity::{customer, source};
use crate::store::{customers, sources};
use crate::{Context, fields};
use ::store::filter::condition;
use ::store::list;
use ::store::page::{order, window};

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
        use customer::Column as C;
        let page = request.into_inner().page.unwrap_or_default();
        let condition = condition(fields::CUSTOMERS, &page.r#where)?;
        let default = (C::CustomerNameKey, Order::Asc);
        let order = order(fields::CUSTOMERS, &page.sort, default, C::CustomerNameKey)?;
        let (rows, more) = list::page::<customer::Entity, _>(
            &self.context.db,
            condition,
            &order,
            C::CustomerNameKey,
            window(&page)?,
        )
        .await?;
        Ok(Response::new(ListCustomersResponse {
            customers: rows.into_iter().map(Into::into).collect(),
            more,
        }))
    }

    async fn count_customers(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let condition = condition(fields::CUSTOMERS, &request.into_inner().r#where)?;
        let count =
            list::count::<customer::Entity>(&self.context.db, condition, customer::Column::CustomerNameKey)
                .await?;
        Ok(Response::new(count))
    }

    async fn batch_get_customers(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetCustomersResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let names = bounded(request.into_inner().ids)?;
        let rows = customers::by_names(&self.context.db, &names).await?;
        Ok(Response::new(BatchGetCustomersResponse { customers: rows.into_iter().map(Into::into).collect() }))
    }

    async fn list_sources(
        &self,
        request: Request<ListSourcesRequest>,
    ) -> Result<Response<ListSourcesResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        use source::Column as C;
        let page = request.into_inner().page.unwrap_or_default();
        let condition = condition(fields::SOURCES, &page.r#where)?;
        let order = order(fields::SOURCES, &page.sort, (C::NameKey, Order::Asc), C::Id)?;
        let (rows, more) =
            list::page::<source::Entity, _>(&self.context.db, condition, &order, C::Id, window(&page)?)
                .await?;
        Ok(Response::new(ListSourcesResponse { sources: rows.into_iter().map(Into::into).collect(), more }))
    }

    async fn count_sources(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let condition = condition(fields::SOURCES, &request.into_inner().r#where)?;
        let count = list::count::<source::Entity>(&self.context.db, condition, source::Column::Id).await?;
        Ok(Response::new(count))
    }

    async fn batch_get_sources(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetSourcesResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = sources::by_ids(&self.context.db, &ids).await?;
        Ok(Response::new(BatchGetSourcesResponse { sources: rows.into_iter().map(Into::into).collect() }))
    }
}
