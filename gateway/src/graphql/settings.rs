//! System settings, which administrators and, for some settings, planners change for everybody.
//!
//! Deliberately absent: permissions and validation, which belong to the service; the logo's file
//! (`presign`).

use async_graphql::{Context, Enum, InputObject, Object};
use proto::settings::v1 as contract;

use super::clients;
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions};
use super::value::{DateTime, given, known, set_time, time};

/// The only setting that everybody in the office sees.
const LOGO: &str = "customer-logo-information";

#[derive(Default)]
pub struct SettingsQuery;

#[Object]
impl SettingsQuery {
    /// The settings that the caller may read.
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn system_settings(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<SystemSetting>, Failure> {
        let ask = contract::ListSettingsRequest { page: Some(page::page(page)?) };
        let found = clients::settings(ctx)?.list_settings(ask).await?.into_inner().settings;
        Ok(found.into_iter().map(SystemSetting).collect())
    }

    async fn system_settings_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::settings(ctx)?.count_settings(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    /// The setting with this id; null if there is none, or the caller may not read it.
    async fn find_system_setting_by_id(
        &self,
        ctx: &Context<'_>,
        id: String,
    ) -> Result<Option<SystemSetting>, Failure> {
        let answer = clients::settings(ctx)?.get_setting(contract::GetSettingRequest { id }).await;
        Ok(found(answer)?.map(SystemSetting))
    }

    /// The setting `customer-logo-information`, which everybody in the office may read; null for another id.
    async fn get_logo_information(
        &self,
        ctx: &Context<'_>,
        id: String,
    ) -> Result<Option<SystemSetting>, Failure> {
        let mut client = clients::settings(ctx)?;
        // Request the logo even for another id, because the service decides whether the caller may read it.
        let answer = client.get_setting(contract::GetSettingRequest { id: LOGO.to_owned() }).await;
        Ok(found(answer)?.filter(|_| id == LOGO).map(SystemSetting))
    }
}

#[derive(Default)]
pub struct SettingsMutation;

#[Object]
impl SettingsMutation {
    async fn update_setting_value(
        &self,
        ctx: &Context<'_>,
        input: UpdateSettingValueInput,
    ) -> Result<SystemSetting, Failure> {
        let UpdateSettingValueInput { id, value, version } = input;
        let ask = contract::UpdateSettingRequest { id, value, version };
        Ok(SystemSetting(clients::settings(ctx)?.update_setting(ask).await?.into_inner()))
    }
}

pub struct SystemSetting(contract::Setting);

#[Object]
impl SystemSetting {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn name(&self) -> &str {
        &self.0.name
    }
    /// The current value; empty for a secret.
    async fn value(&self) -> &str {
        &self.0.value
    }
    async fn r#type(&self) -> Result<SettingType, Failure> {
        known::<contract::SettingType, _>(self.0.r#type)
    }
    async fn group(&self) -> &str {
        &self.0.group
    }
    async fn description(&self) -> &str {
        &self.0.description
    }
    /// Minimum of a number, or of a text's length. `max` is the maximum.
    async fn min(&self) -> Option<&str> {
        self.0.min.as_deref()
    }
    async fn max(&self) -> Option<&str> {
        self.0.max.as_deref()
    }
    async fn pattern(&self) -> Option<&str> {
        self.0.pattern.as_deref()
    }
    /// The only allowed values; empty if any value is allowed.
    async fn options(&self) -> &[String] {
        &self.0.options
    }
    async fn planner_visible(&self) -> bool {
        self.0.planner_visible
    }
    async fn is_secret(&self) -> bool {
        self.0.is_secret
    }
    /// Whether the setting was never changed, so that the configuration applies.
    async fn is_default(&self) -> bool {
        self.0.is_default
    }
    /// When the setting was last changed; null if it was never changed.
    async fn updated_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.updated_at)
    }
    async fn updated_by(&self) -> Option<&str> {
        given(&self.0.updated_by)
    }
    async fn version(&self) -> u64 {
        self.0.version
    }
    /// The newest 20 changes, newest first. Empty in the results of `systemSettings`.
    #[graphql(complexity = "page::times(20, child_complexity)")]
    async fn history(&self) -> Vec<SettingChange<'_>> {
        self.0.history.iter().map(SettingChange).collect()
    }
}

pub struct SettingChange<'a>(&'a contract::SettingChange);

#[Object]
impl SettingChange<'_> {
    async fn at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.at)
    }
    async fn actor(&self) -> &str {
        &self.0.actor
    }
    /// The value before the change; empty for a secret.
    async fn before(&self) -> &str {
        &self.0.before
    }
    async fn after(&self) -> &str {
        &self.0.after
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "camelCase")]
pub enum SettingType {
    Date,
    DateTime,
    Text,
    Number,
    Time,
    Email,
    Url,
    Password,
    Boolean,
}

proto::same_enum!(contract::SettingType => SettingType {
    Date => Date,
    DateTime => DateTime,
    Text => Text,
    Number => Number,
    Time => Time,
    Email => Email,
    Url => Url,
    Password => Password,
    Boolean => Boolean,
});

#[derive(InputObject)]
pub struct UpdateSettingValueInput {
    id: String,
    value: String,
    /// Version of the setting that the caller read; null accepts any version.
    version: Option<u64>,
}
