//! Customers, sources and known addresses.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use proto::deliveries::v1 as contract;

use super::clients;
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions};
use super::value::{DateTime, GeoPoint, GeoPointInput, given, set_time};

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
        let mut client = clients::parties(ctx)?;
        let ask = contract::ListCustomersRequest { page: Some(page::page(page)?) };
        let found = client.list_customers(ask).await?.into_inner().customers;
        Ok(found.into_iter().map(Customer).collect())
    }

    async fn customers_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::parties(ctx)?.count_customers(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    async fn customer(&self, ctx: &Context<'_>, customer_name: String) -> Result<Option<Customer>, Failure> {
        let answer =
            clients::parties(ctx)?.get_customer(contract::GetCustomerRequest { customer_name }).await;
        Ok(found(answer)?.map(Customer))
    }

    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn sources(&self, ctx: &Context<'_>, page: Option<PageOptions>) -> Result<Vec<Source>, Failure> {
        let mut client = clients::parties(ctx)?;
        let ask = contract::ListSourcesRequest { page: Some(page::page(page)?) };
        let found = client.list_sources(ask).await?.into_inner().sources;
        Ok(found.into_iter().map(Source).collect())
    }

    async fn sources_count(&self, ctx: &Context<'_>, r#where: Option<Vec<Filter>>) -> Result<Count, Failure> {
        let count = clients::parties(ctx)?.count_sources(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    async fn source(&self, ctx: &Context<'_>, id: String) -> Result<Option<Source>, Failure> {
        let answer = clients::parties(ctx)?.get_source(contract::GetSourceRequest { id }).await;
        Ok(found(answer)?.map(Source))
    }

    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn addresses(&self, ctx: &Context<'_>, page: Option<PageOptions>) -> Result<Vec<Address>, Failure> {
        let mut client = clients::parties(ctx)?;
        let ask = contract::ListAddressesRequest { page: Some(page::page(page)?) };
        let found = client.list_addresses(ask).await?.into_inner().addresses;
        Ok(found.into_iter().map(Address::from).collect())
    }

    async fn addresses_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::parties(ctx)?.count_addresses(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }
}

#[derive(Default)]
pub struct PartiesMutation;

#[Object]
impl PartiesMutation {
    /// Replaces all fields of a customer except the name; those that are left out become empty.
    async fn update_customer(
        &self,
        ctx: &Context<'_>,
        input: UpdateCustomerInput,
    ) -> Result<Customer, Failure> {
        let ask = contract::UpdateCustomerRequest {
            customer_name: input.customer_name,
            version: input.version,
            customer_email: input.customer_email,
            customer_address: input.customer_address.unwrap_or_default(),
            code: input.code,
            phone: input.phone,
            address_point: input.address_point.map(Into::into),
            pod_requirement: input.pod_requirement.map(proofs),
        };
        Ok(Customer(clients::parties(ctx)?.update_customer(ask).await?.into_inner()))
    }

    async fn create_source(&self, ctx: &Context<'_>, input: CreateSourceInput) -> Result<Source, Failure> {
        let CreateSourceInput { name, is_active, pod_requirement } = input;
        let pod_requirement = pod_requirement.map(proofs);
        let ask = contract::CreateSourceRequest { name, is_active, pod_requirement };
        Ok(Source(clients::parties(ctx)?.create_source(ask).await?.into_inner()))
    }

    /// Replaces all fields of a source. Without `podRequirement`, the organization's setting applies.
    async fn update_source(&self, ctx: &Context<'_>, input: UpdateSourceInput) -> Result<Source, Failure> {
        let UpdateSourceInput { id, version, name, is_active, pod_requirement } = input;
        let pod_requirement = pod_requirement.map(proofs);
        let ask = contract::UpdateSourceRequest { id, version, name, is_active, pod_requirement };
        Ok(Source(clients::parties(ctx)?.update_source(ask).await?.into_inner()))
    }
}

fn proofs(proofs: Vec<String>) -> contract::ProofSet {
    contract::ProofSet { proofs }
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
    /// Null while the address is unknown.
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
    async fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }
    async fn phone(&self) -> Option<&str> {
        self.0.phone.as_deref()
    }
    async fn address_point(&self) -> Option<GeoPoint> {
        self.0.address_point.map(GeoPoint::from)
    }
    /// The kinds of proof that the customer's deliveries require. Null means that the source's requirement or
    /// the organization's setting applies. An empty list means that no proof is required.
    async fn pod_requirement(&self) -> Option<&[String]> {
        self.0.pod_requirement.as_ref().map(|it| it.proofs.as_slice())
    }
    async fn created_by(&self) -> &str {
        &self.0.created_by
    }
    async fn updated_by(&self) -> &str {
        &self.0.updated_by
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
    /// The kinds of proof that the source's deliveries require. Null means that the organization's setting
    /// applies. An empty list means that no proof is required.
    async fn pod_requirement(&self) -> Option<&[String]> {
        self.0.pod_requirement.as_ref().map(|it| it.proofs.as_slice())
    }
    async fn created_by(&self) -> &str {
        &self.0.created_by
    }
    async fn updated_by(&self) -> &str {
        &self.0.updated_by
    }
}

#[derive(SimpleObject)]
pub struct Address {
    address: String,
    point: Option<GeoPoint>,
}

impl From<contract::Address> for Address {
    fn from(address: contract::Address) -> Self {
        let contract::Address { address, point } = address;
        Self { address, point: point.map(GeoPoint::from) }
    }
}

#[derive(InputObject)]
pub struct UpdateCustomerInput {
    customer_name: String,
    version: u64,
    customer_email: Option<String>,
    customer_address: Option<String>,
    code: Option<String>,
    phone: Option<String>,
    address_point: Option<GeoPointInput>,
    pod_requirement: Option<Vec<String>>,
}

#[derive(InputObject)]
pub struct CreateSourceInput {
    name: String,
    #[graphql(default = true)]
    is_active: bool,
    pod_requirement: Option<Vec<String>>,
}

#[derive(InputObject)]
pub struct UpdateSourceInput {
    id: String,
    version: u64,
    name: String,
    is_active: bool,
    pod_requirement: Option<Vec<String>>,
}
