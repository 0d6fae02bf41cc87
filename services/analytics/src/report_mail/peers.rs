//! The services that know schedules, accounts and reasons.

use kit::principal::ServiceIdentity;
use kit::rpc::{Client, Transport};
use kit::{Error, Kind, Result};
use proto::auth::v1::report_mail_service_client::ReportMailServiceClient;
use proto::auth::v1::{
    CheckReportMailRequest, CheckReportMailResponse, ReportMailState, SendReportMailRequest,
};
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::{ListReasonsRequest, Reason};
use proto::settings::v1::report_schedules_service_client::ReportSchedulesServiceClient;
use proto::settings::v1::{
    DueReport, DueReportKey, GetDueReportRequest, ListDueReportsRequest, RecordReportResultRequest,
};

use super::outcome::Outcome;
use crate::Context;

#[derive(Clone)]
pub struct Peers {
    settings: Transport,
    auth: Transport,
    deliveries: Transport,
    identity: ServiceIdentity,
}

impl Peers {
    pub fn of(context: &Context) -> Self {
        let Context { settings, auth, deliveries, identity, .. } = context.clone();
        Self { settings, auth, deliveries, identity }
    }

    fn schedules(&self) -> Result<ReportSchedulesServiceClient<Client>> {
        Ok(ReportSchedulesServiceClient::new(self.settings.with_token(self.identity.token()?.into())))
    }

    fn mail(&self) -> Result<ReportMailServiceClient<Client>> {
        Ok(ReportMailServiceClient::new(self.auth.with_token(self.identity.token()?.into())))
    }

    /// Returns the reports that are due, a bounded number.
    pub async fn due(&self) -> Result<Vec<DueReportKey>> {
        let answer = self.schedules()?.list_due_reports(ListDueReportsRequest {}).await;
        Ok(answer.map_err(Error::from)?.into_inner().due)
    }

    /// Returns what is to be sent. Fails with `REPORT_NOT_DUE` if it is no longer due.
    pub async fn report(&self, key: DueReportKey) -> Result<DueReport> {
        let answer = self.schedules()?.get_due_report(GetDueReportRequest { key: Some(key) }).await;
        Ok(answer.map_err(Error::from)?.into_inner())
    }

    /// Reports a result. Returns whether it is outdated: the schedule was changed since, and the occurrence is
    /// still due.
    pub async fn note(&self, key: DueReportKey, outcome: Outcome) -> Result<bool> {
        let (version, mailed) = (outcome.version, outcome.mailed.clone().map(Into::into));
        let (result, sent_count, text) = outcome.parts();
        let (key, result) = (Some(key), result.into());
        let request = RecordReportResultRequest { key, result, sent_count, text, version, mailed };
        let answer = self.schedules()?.record_report_result(request).await;
        Ok(answer.map_err(Error::from)?.into_inner().outdated)
    }

    /// Returns the reasons of outcomes; none from an earlier release, which does not offer them to services.
    pub async fn reasons(&self) -> Result<Vec<Reason>> {
        let token = self.identity.token()?.into();
        let mut deliveries = DeliveriesServiceClient::new(self.deliveries.with_token(token));
        match deliveries.list_reasons(ListReasonsRequest::default()).await.map_err(Error::from) {
            Err(error) if error.kind == Kind::Forbidden => Ok(Vec::new()),
            found => Ok(found?.into_inner().reasons),
        }
    }

    /// Returns who may get a report of this owner.
    pub async fn check(&self, owner: &str, recipients: Vec<String>) -> Result<CheckReportMailResponse> {
        let request = CheckReportMailRequest { owner: owner.to_owned(), recipients };
        Ok(self.mail()?.check_report_mail(request).await.map_err(Error::from)?.into_inner())
    }

    pub async fn send(&self, mail: SendReportMailRequest) -> Result<ReportMailState> {
        Ok(self.mail()?.send_report_mail(mail).await.map_err(Error::from)?.into_inner().state())
    }
}
