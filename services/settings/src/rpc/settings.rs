//! System settings. Each row states who may read and change it.

use kit::principal::{Principal, Role, caller, principal};
use proto::common::v1::{Count, CountRequest};
use proto::settings::v1::settings_service_server::SettingsService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::Shared;
use crate::domain::access::Reach;
use crate::store::settings;
use ::store::audit::Actor;

pub struct Service {
    pub shared: Shared,
}

#[tonic::async_trait]
impl SettingsService for Service {
    async fn list_settings(
        &self,
        request: Request<ListSettingsRequest>,
    ) -> Result<Response<ListSettingsResponse>, Status> {
        let reach = Reach::of_editor(principal(&request)?)?;
        let context = &self.shared.context;
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = settings::page(&context.db, reach, &page).await?;
        let settings = rows.into_iter().map(|row| row.told(&context.defaults)).collect();
        Ok(Response::new(ListSettingsResponse { settings, more }))
    }

    async fn count_settings(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        let reach = Reach::of_editor(principal(&request)?)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(settings::count(&self.shared.context.db, reach, &filters).await?))
    }

    async fn get_setting(&self, request: Request<GetSettingRequest>) -> Result<Response<Setting>, Status> {
        let principal = principal(&request)?;
        let reach = Reach::of_reader(principal)?;
        // Only people who may change settings get earlier values.
        let with_history = Reach::of_editor(principal).is_ok();
        let context = &self.shared.context;
        let row = settings::get(&context.db, reach, &request.into_inner().id).await?;
        let with_history = with_history && reach.require_change(row.editors).is_ok();
        let mut setting = row.told(&context.defaults);
        if with_history {
            let changes = settings::changes(&context.db, &setting.id).await?;
            setting.history = changes.into_iter().map(Into::into).collect();
        }
        Ok(Response::new(setting))
    }

    async fn update_setting(
        &self,
        request: Request<UpdateSettingRequest>,
    ) -> Result<Response<Setting>, Status> {
        let reach = Reach::of_editor(principal(&request)?)?;
        let actor = Actor::from(caller(&request)?);
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        let row = settings::update(context, reach, request.into_inner(), by).await?;
        Ok(Response::new(row.told(&context.defaults)))
    }

    async fn republish_settings(
        &self,
        request: Request<RepublishSettingsRequest>,
    ) -> Result<Response<RepublishSettingsResponse>, Status> {
        let principal = principal(&request)?;
        if !matches!(principal, Principal::Service { .. }) {
            principal.require(Role::ADMINS)?;
        }
        let actor = Actor::from(caller(&request)?);
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        let settings = settings::republish(&context.db, by).await?;
        Ok(Response::new(RepublishSettingsResponse { settings }))
    }
}
