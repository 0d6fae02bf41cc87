//! The stand-in for report definitions.

use kit::{Error, Role};
use proto::common::v1::{Count, CountRequest, Filter, SortDirection};
use proto::settings::v1::report_settings_service_server::ReportSettingsService;
use proto::settings::v1::*;
use tonic::{Request, Response};

use super::{Answer, Settings, prost_at};

fn report(id: &str, content: ReportSettingInput) -> ReportSetting {
    ReportSetting {
        id: id.to_owned(),
        content: Some(content),
        created_at: Some(prost_at(1)),
        created_by: "maria".into(),
        updated_at: Some(prost_at(2)),
        updated_by: "ana".into(),
        version: 7,
    }
}

fn content() -> ReportSettingInput {
    let column = |member: &str, width| ReportColumn {
        member: member.into(),
        visible: true,
        width,
        ..ReportColumn::default()
    };
    let filter = Filter {
        key: "Delivery.deliverystatus".into(),
        operator: "equals".into(),
        values: vec!["Delivered".into()],
    };
    ReportSettingInput {
        name: "By day".into(),
        report_key: "deliveries".into(),
        columns: vec![column("Delivery.deliverystatus", None), column("Delivery.count", Some(120))],
        default_filters: vec![filter],
        range_days: 30,
        granularity: Granularity::Day.into(),
        group_by: vec!["Delivery.deliverystatus".into()],
        sort: vec![ReportSort { member: "Delivery.count".into(), direction: SortDirection::Desc.into() }],
        format: ReportFormat::Xlsx.into(),
        is_active: true,
    }
}

#[tonic::async_trait]
impl ReportSettingsService for Settings {
    async fn list_report_settings(
        &self,
        request: Request<ListReportSettingsRequest>,
    ) -> Answer<ListReportSettingsResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        let report_settings = vec![report("r-1", content())];
        Ok(Response::new(ListReportSettingsResponse { report_settings, more: false }))
    }

    async fn count_report_settings(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }

    async fn get_report_setting(&self, request: Request<GetReportSettingRequest>) -> Answer<ReportSetting> {
        self.0.staff(&request, "report").await?;
        match request.get_ref().id.as_str() {
            "r-1" => Ok(Response::new(report("r-1", content()))),
            "r-2" => {
                let bare = ReportSettingInput { granularity: 0, sort: vec![], ..content() };
                Ok(Response::new(report("r-2", bare)))
            }
            _ => Err(Error::not_found("REPORT_SETTING_NOT_FOUND", "There is no such report.").into()),
        }
    }

    async fn create_report_setting(
        &self,
        request: Request<CreateReportSettingRequest>,
    ) -> Answer<ReportSetting> {
        self.0.holder(Role::ADMINS, &request, "report").await?;
        self.0.keep(&request);
        let CreateReportSettingRequest { creation_id, content } = request.into_inner();
        Ok(Response::new(report(&creation_id, content.unwrap())))
    }

    async fn update_report_setting(
        &self,
        request: Request<UpdateReportSettingRequest>,
    ) -> Answer<ReportSetting> {
        self.0.holder(Role::ADMINS, &request, "report").await?;
        self.0.keep(&request);
        let UpdateReportSettingRequest { id, content, .. } = request.into_inner();
        Ok(Response::new(report(&id, content.unwrap())))
    }

    async fn delete_report_setting(
        &self,
        request: Request<DeleteReportSettingRequest>,
    ) -> Answer<DeleteReportSettingResponse> {
        self.0.holder(Role::ADMINS, &request, "report").await?;
        self.0.keep(&request);
        Ok(Response::new(DeleteReportSettingResponse {}))
    }

    async fn list_report_members(
        &self,
        request: Request<ListReportMembersRequest>,
    ) -> Answer<ListReportMembersResponse> {
        self.0.staff(&request, "members").await?;
        let cube = request.get_ref().report_key.clone();
        let member = |name: &str, title: &str, kind: ReportMemberKind| ReportMember {
            member: format!("{cube}.{name}"),
            title: title.to_owned(),
            kind: kind.into(),
        };
        let members = vec![
            member("id", "Delivery Doc", ReportMemberKind::Dimension),
            member("count", "Count", ReportMemberKind::Measure),
            member("at", "Dispatch Date and Time", ReportMemberKind::Time),
        ];
        Ok(Response::new(ListReportMembersResponse { members }))
    }
}
