//! Customers and sources.

use async_graphql::{Context, Object};
use proto::deliveries::v1 as contract;

use super::error::Failure;
use super::page::{self, Count, Filter, PageOptions};
use super::parties;
use super::value::{DateTime, given, set_time};

#[derive(Default)]
pub struct PartiesQuery;

#[Object]
impl PartiesQuery {
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn customers(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<Customer>, Failure> {
        let mut client = parties(ctx)?;
        let ask = contract::ListCustomersRequest { page: Some(page::page(page)?) };
        let found = client.list_customers(ask).await?.into_inner().customers;
        Ok(found.into_iter().map(Customer).collect())
    }

    async fn customers_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = parties(ctx)?.count_customers(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn sources(&self, ctx: &Context<'_>, page: Option<PageOptions>) -> Result<Vec<Source>, Failure> {
        let mut client = parties(ctx)?;
        let ask = contract::ListSourcesRequest { page: Some(page::page(page)?) };
        let found = client.list_sources(ask).await?.into_inner().sources;
        Ok(found.into_iter().map(Source).collect())
    }

    async fn sources_count(&self, ctx: &Context<'_>, r#where: Option<Vec<Filter>>) -> Result<Count, Failure> {
        let count = parties(ctx)?.count_sources(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }
}

pub struct Customer(pub contract::Customer);

#[Object]
impl Customer {
    async fn customer_name(&self) -> &str {
        &self.0.customer_name
    }
    async fn customer_email(&self) -> Option<&str> {
        self.0.customer_email.as_deref()
    }
    /// Null while none is known.
    async fn customer_address(&self) -> Option<&str> {
        given(&self.0.customer_address)
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn updated_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.updated_at)
    }
    async fn version(&self) -> u64 {
        self.0.version
    }
}

pub struct Source(pub contract::Source);

#[Object]
impl Source {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn name(&self) -> &str {
        &self.0.name
    }
    async fn is_active(&self) -> bool {
        self.0.is_active
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn updated_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.updated_at)
    }
    async fn version(&self) -> u64 {
        self.0.version
    }
}
