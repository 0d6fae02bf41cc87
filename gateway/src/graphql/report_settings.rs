//! Saved report definitions, and the members (dimensions and measures) that reports can use.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use proto::common::v1 as common;
use proto::settings::v1 as contract;

use super::clients;
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions, SortDirection};
use super::value::{DateTime, known, set_time, spelling, word};

/// Maximum columns of one report.
const COLUMNS: usize = 40;
/// Expected number of members of one kind of report, for estimating the complexity of a query.
const MEMBERS: usize = 50;

#[derive(Default)]
pub struct ReportSettingsQuery;

#[Object]
impl ReportSettingsQuery {
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn report_settings(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<ReportSetting>, Failure> {
        let ask = contract::ListReportSettingsRequest { page: Some(page::page(page)?) };
        let found =
            clients::report_settings(ctx)?.list_report_settings(ask).await?.into_inner().report_settings;
        Ok(found.into_iter().map(ReportSetting::from).collect())
    }

    async fn report_settings_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::report_settings(ctx)?.count_report_settings(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    async fn report_setting(&self, ctx: &Context<'_>, id: String) -> Result<Option<ReportSetting>, Failure> {
        let answer =
            clients::report_settings(ctx)?.get_report_setting(contract::GetReportSettingRequest { id }).await;
        Ok(found(answer)?.map(ReportSetting::from))
    }

    /// Dimensions and measures that a report of this kind may use.
    #[graphql(complexity = "page::times(MEMBERS, child_complexity)")]
    async fn report_members(
        &self,
        ctx: &Context<'_>,
        report_key: ReportKey,
    ) -> Result<Vec<ReportMember>, Failure> {
        let ask = contract::ListReportMembersRequest { report_key: spelling(report_key).to_owned() };
        let found = clients::report_settings(ctx)?.list_report_members(ask).await?.into_inner().members;
        found.into_iter().map(ReportMember::try_from).collect()
    }
}

#[derive(Default)]
pub struct ReportSettingsMutation;

#[Object]
impl ReportSettingsMutation {
    async fn create_report_setting(
        &self,
        ctx: &Context<'_>,
        input: CreateReportSettingInput,
    ) -> Result<ReportSetting, Failure> {
        let CreateReportSettingInput { creation_id, report_setting } = input;
        let ask = contract::CreateReportSettingRequest { creation_id, content: Some(report_setting.into()) };
        Ok(clients::report_settings(ctx)?.create_report_setting(ask).await?.into_inner().into())
    }

    /// Replaces all fields of the report setting.
    async fn update_report_setting(
        &self,
        ctx: &Context<'_>,
        input: UpdateReportSettingInput,
    ) -> Result<ReportSetting, Failure> {
        let UpdateReportSettingInput { id, version, report_setting } = input;
        let ask = contract::UpdateReportSettingRequest { id, version, content: Some(report_setting.into()) };
        Ok(clients::report_settings(ctx)?.update_report_setting(ask).await?.into_inner().into())
    }

    /// Returns the id of the deleted report setting.
    async fn delete_report_setting(
        &self,
        ctx: &Context<'_>,
        input: DeleteReportSettingInput,
    ) -> Result<String, Failure> {
        let DeleteReportSettingInput { id, version } = input;
        let ask = contract::DeleteReportSettingRequest { id: id.clone(), version };
        clients::report_settings(ctx)?.delete_report_setting(ask).await?;
        Ok(id)
    }
}

pub struct ReportSetting {
    row: contract::ReportSetting,
    content: contract::ReportSettingInput,
}

impl From<contract::ReportSetting> for ReportSetting {
    fn from(mut row: contract::ReportSetting) -> Self {
        let content = row.content.take().unwrap_or_default();
        Self { row, content }
    }
}

#[Object]
impl ReportSetting {
    async fn id(&self) -> &str {
        &self.row.id
    }
    async fn name(&self) -> &str {
        &self.content.name
    }
    async fn report_key(&self) -> Result<ReportKey, Failure> {
        word(&self.content.report_key)
    }
    /// The report's columns, from left to right.
    #[graphql(complexity = "page::times(COLUMNS, child_complexity)")]
    async fn columns(&self) -> Vec<ReportColumn> {
        self.content.columns.iter().cloned().map(ReportColumn::from).collect()
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn default_filters(&self) -> Vec<ReportFilter> {
        self.content.default_filters.iter().cloned().map(ReportFilter::from).collect()
    }
    /// Number of days that the report covers, including today.
    async fn range_days(&self) -> u32 {
        self.content.range_days
    }
    /// The same as `rangeDays`.
    async fn default_date_range(&self) -> u32 {
        self.content.range_days
    }
    /// The unit of time to group rows by. Null means that rows are not grouped by time.
    async fn granularity(&self) -> Result<Option<Granularity>, Failure> {
        let granularity = self.content.granularity;
        if granularity == i32::from(contract::Granularity::Unspecified) {
            return Ok(None);
        }
        known::<contract::Granularity, _>(granularity).map(Some)
    }
    /// The columns to group rows by, named by their members. Empty means all visible dimensions; others are left out.
    async fn group_by(&self) -> &[String] {
        &self.content.group_by
    }
    #[graphql(complexity = "page::times(5, child_complexity)")]
    async fn sort(&self) -> Result<Vec<ReportSort>, Failure> {
        self.content.sort.iter().cloned().map(ReportSort::try_from).collect()
    }
    /// The format that the report page and new schedules offer first. PDF means printing.
    async fn format(&self) -> Result<ReportFormat, Failure> {
        known::<contract::ReportFormat, _>(self.content.format)
    }
    async fn is_active(&self) -> bool {
        self.content.is_active
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.row.created_at)
    }
    async fn created_by(&self) -> &str {
        &self.row.created_by
    }
    async fn updated_at(&self) -> Result<DateTime, Failure> {
        set_time(self.row.updated_at)
    }
    async fn updated_by(&self) -> &str {
        &self.row.updated_by
    }
    async fn version(&self) -> u64 {
        self.row.version
    }
}

#[derive(SimpleObject, InputObject)]
#[graphql(input_name = "ReportColumnInput")]
pub struct ReportColumn {
    /// The member's name: cube.dimension or cube.measure.
    member: String,
    /// Heading of the column. Empty means the member's own label.
    label: String,
    /// Whether the column is shown. Rows are not split by a dimension or time that is not.
    visible: bool,
    /// Width in pixels.
    width: Option<u32>,
}

impl From<contract::ReportColumn> for ReportColumn {
    fn from(column: contract::ReportColumn) -> Self {
        let contract::ReportColumn { member, label, visible, width } = column;
        Self { member, label, visible, width }
    }
}

impl From<ReportColumn> for contract::ReportColumn {
    fn from(column: ReportColumn) -> Self {
        let ReportColumn { member, label, visible, width } = column;
        Self { member, label, visible, width }
    }
}

#[derive(SimpleObject)]
pub struct ReportFilter {
    key: String,
    operator: String,
    values: Vec<String>,
}

impl From<common::Filter> for ReportFilter {
    fn from(filter: common::Filter) -> Self {
        let common::Filter { key, operator, values } = filter;
        Self { key, operator, values }
    }
}

#[derive(SimpleObject, InputObject)]
#[graphql(input_name = "ReportSortInput")]
pub struct ReportSort {
    /// The member to sort by, which must be one of the columns.
    member: String,
    direction: SortDirection,
}

impl TryFrom<contract::ReportSort> for ReportSort {
    type Error = Failure;

    fn try_from(sort: contract::ReportSort) -> Result<Self, Failure> {
        let contract::ReportSort { member, direction } = sort;
        Ok(Self { member, direction: known::<common::SortDirection, _>(direction)? })
    }
}

impl From<ReportSort> for contract::ReportSort {
    fn from(sort: ReportSort) -> Self {
        let ReportSort { member, direction } = sort;
        Self { member, direction: common::SortDirection::from(direction).into() }
    }
}

/// A member, which is a dimension or a measure, that reports may use.
#[derive(SimpleObject)]
pub struct ReportMember {
    member: String,
    title: String,
    kind: ReportMemberKind,
}

impl TryFrom<contract::ReportMember> for ReportMember {
    type Error = Failure;

    fn try_from(member: contract::ReportMember) -> Result<Self, Failure> {
        let contract::ReportMember { member, title, kind } = member;
        Ok(Self { member, title, kind: known::<contract::ReportMemberKind, _>(kind)? })
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum ReportMemberKind {
    Dimension,
    Measure,
    Time,
}

proto::same_enum!(contract::ReportMemberKind => ReportMemberKind {
    Dimension => Dimension,
    Measure => Measure,
    Time => Time,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum ReportKey {
    Deliveries,
    Variances,
    Shipments,
    Drivers,
    Customers,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum ReportFormat {
    Csv,
    Xlsx,
    Pdf,
}

proto::same_enum!(contract::ReportFormat => ReportFormat { Csv => Csv, Xlsx => Xlsx, Pdf => Pdf });

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum Granularity {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

proto::same_enum!(contract::Granularity => Granularity {
    Second => Second,
    Minute => Minute,
    Hour => Hour,
    Day => Day,
    Week => Week,
    Month => Month,
    Quarter => Quarter,
    Year => Year,
});

#[derive(InputObject)]
pub struct CreateReportSettingInput {
    /// UUID, chosen by the client. Sending it again returns the report setting that it created.
    creation_id: String,
    report_setting: ReportSettingInput,
}

#[derive(InputObject)]
pub struct UpdateReportSettingInput {
    id: String,
    version: u64,
    report_setting: ReportSettingInput,
}

#[derive(InputObject)]
pub struct DeleteReportSettingInput {
    id: String,
    version: u64,
}

#[derive(InputObject)]
pub struct ReportSettingInput {
    name: String,
    report_key: ReportKey,
    columns: Vec<ReportColumn>,
    default_filters: Vec<Filter>,
    /// Number of days that the report covers, including today.
    range_days: u32,
    /// The unit of time to group rows by. Null means that rows are not grouped by time.
    granularity: Option<Granularity>,
    /// The columns to group rows by, named by their members. Empty means all visible dimensions; others are left out.
    group_by: Vec<String>,
    sort: Vec<ReportSort>,
    /// The format that the report page and new schedules offer first. PDF means printing.
    format: ReportFormat,
    is_active: bool,
}

impl From<ReportSettingInput> for contract::ReportSettingInput {
    fn from(input: ReportSettingInput) -> Self {
        let ReportSettingInput {
            name,
            report_key,
            columns,
            default_filters,
            range_days,
            granularity,
            group_by,
            sort,
            format,
            is_active,
        } = input;
        Self {
            name,
            report_key: spelling(report_key).to_owned(),
            columns: columns.into_iter().map(Into::into).collect(),
            default_filters: page::filters(Some(default_filters)),
            range_days,
            granularity: granularity.map(contract::Granularity::from).unwrap_or_default().into(),
            group_by,
            sort: sort.into_iter().map(Into::into).collect(),
            format: contract::ReportFormat::from(format).into(),
            is_active,
        }
    }
}
