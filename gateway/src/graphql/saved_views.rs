//! Saved views of lists, and saved queries of the query lab.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use proto::settings::v1 as contract;

use super::clients;
use super::error::Failure;
use super::page;
use super::value::{DateTime, set_time};

/// Maximum number of views in a response: one person's own, and the queries that others share.
const VIEWS: usize = 250;

#[derive(Default)]
pub struct SavedViewsQuery;

#[Object]
impl SavedViewsQuery {
    /// The caller's saved views of the list `deliveries`, sorted by name. For the list `queryLab`, the
    /// caller's saved queries, followed by those that others share.
    #[graphql(complexity = "page::times(VIEWS, child_complexity)")]
    async fn saved_views(&self, ctx: &Context<'_>, list: String) -> Result<Vec<SavedView>, Failure> {
        let ask = contract::ListSavedViewsRequest { list };
        let found = clients::saved_views(ctx)?.list_saved_views(ask).await?.into_inner().saved_views;
        found.into_iter().map(SavedView::try_from).collect()
    }
}

#[derive(Default)]
pub struct SavedViewsMutation;

#[Object]
impl SavedViewsMutation {
    async fn create_saved_view(
        &self,
        ctx: &Context<'_>,
        input: CreateSavedViewInput,
    ) -> Result<SavedView, Failure> {
        let CreateSavedViewInput { creation_id, saved_view } = input;
        let ask = contract::CreateSavedViewRequest { creation_id, content: Some(saved_view.into()) };
        clients::saved_views(ctx)?.create_saved_view(ask).await?.into_inner().try_into()
    }

    /// Replaces the view, except for its list.
    async fn update_saved_view(
        &self,
        ctx: &Context<'_>,
        input: UpdateSavedViewInput,
    ) -> Result<SavedView, Failure> {
        let UpdateSavedViewInput { id, version, saved_view } = input;
        let ask = contract::UpdateSavedViewRequest { id, version, content: Some(saved_view.into()) };
        clients::saved_views(ctx)?.update_saved_view(ask).await?.into_inner().try_into()
    }

    /// Returns the id of the deleted view.
    async fn delete_saved_view(
        &self,
        ctx: &Context<'_>,
        input: DeleteSavedViewInput,
    ) -> Result<String, Failure> {
        let DeleteSavedViewInput { id, version } = input;
        let ask = contract::DeleteSavedViewRequest { id: id.clone(), version };
        clients::saved_views(ctx)?.delete_saved_view(ask).await?;
        Ok(id)
    }
}

#[derive(SimpleObject)]
pub struct SavedView {
    id: String,
    name: String,
    list: String,
    /// JSON: the filters, sort order and columns of a view, or a query of the query lab. Empty for another
    /// person's query, which the caller can only run.
    state: String,
    /// Whether others may run this query.
    shared: bool,
    /// Username of the owner.
    owner: String,
    is_own: bool,
    updated_at: DateTime,
    version: u64,
}

impl TryFrom<contract::SavedView> for SavedView {
    type Error = Failure;

    fn try_from(view: contract::SavedView) -> Result<Self, Failure> {
        let contract::SavedView { id, content, updated_at, version, owner, own: is_own } = view;
        let contract::SavedViewInput { name, list, state, shared } = content.unwrap_or_default();
        let updated_at = set_time(updated_at)?;
        Ok(Self { id, name, list, state, shared, owner, is_own, updated_at, version })
    }
}

#[derive(InputObject)]
pub struct CreateSavedViewInput {
    /// UUID, chosen by the client. Sending it again returns the saved view that it created.
    creation_id: String,
    saved_view: SavedViewInput,
}

#[derive(InputObject)]
pub struct UpdateSavedViewInput {
    id: String,
    version: u64,
    saved_view: SavedViewInput,
}

#[derive(InputObject)]
pub struct DeleteSavedViewInput {
    id: String,
    version: u64,
}

#[derive(InputObject)]
pub struct SavedViewInput {
    name: String,
    list: String,
    /// JSON: the filters, sort order and columns of a view. For the query lab, an object with the query as
    /// text in the field `query`.
    state: String,
    /// Whether others may run this query; for the query lab only.
    #[graphql(default)]
    shared: bool,
}

impl From<SavedViewInput> for contract::SavedViewInput {
    fn from(input: SavedViewInput) -> Self {
        let SavedViewInput { name, list, state, shared } = input;
        Self { name, list, state, shared }
    }
}
