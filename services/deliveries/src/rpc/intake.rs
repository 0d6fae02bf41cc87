//! Reports of other systems, and the producers that administrators register for them.

use ::store::audit::Actor;
use kit::input::Check;
use kit::principal::{Role, caller, principal};
use kit::{Error, Result};
use proto::deliveries::v1::intake_service_server::IntakeService;
use proto::deliveries::v1::raise_dead_letter_request::Content;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::Context;
use crate::commands::intake::take_one;
use crate::domain::intake;
use crate::queries::endpoints;
use crate::{commands, queries};

pub struct Service {
    pub context: Context,
}

#[tonic::async_trait]
impl IntakeService for Service {
    /// A public method: the token in the message identifies the caller.
    async fn raise_dead_letter(
        &self,
        request: Request<RaiseDeadLetterRequest>,
    ) -> Result<Response<RaiseDeadLetterResponse>, Status> {
        let RaiseDeadLetterRequest { token, idempotency_key, content } = request.into_inner();
        let unknown = || Error::unauthenticated("PRODUCER_TOKEN_INVALID");
        let producer =
            queries::producers::by_token(self.context.db.read(), &token).await?.ok_or_else(unknown)?;
        let (letter, message) = match content {
            Some(Content::Letter(letter)) => {
                let whole = prost::Message::encode_to_vec(&letter);
                (intake::check(&idempotency_key, letter), whole)
            }
            Some(Content::Json(json)) => (intake::read(&idempotency_key, &json), json),
            None => (intake::read(&idempotency_key, b""), Vec::new()),
        };
        let kept = take_one(&self.context, &producer, (&idempotency_key, message), letter).await?;
        Ok(Response::new(RaiseDeadLetterResponse { id: kept.id.to_string(), repeated: kept.repeated }))
    }

    async fn list_producers(
        &self,
        request: Request<ListProducersRequest>,
    ) -> Result<Response<ListProducersResponse>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let rows = queries::producers::list(self.context.db.read()).await?;
        let endpoints = endpoints::list(self.context.db.read()).await?;
        let named = rows.into_iter().map(|row| {
            let endpoint = endpoints.iter().find(|it| it.id == row.endpoint_id);
            let endpoint_name = endpoint.map(|it| it.name.clone()).unwrap_or_default();
            Producer { endpoint_name, ..row.into() }
        });
        Ok(Response::new(ListProducersResponse { producers: named.collect() }))
    }

    async fn save_producer(
        &self,
        request: Request<SaveProducerRequest>,
    ) -> Result<Response<Producer>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let Context { db, clock, .. } = &self.context;
        let by = actor.at(clock.now());
        let SaveProducerRequest { id, version, name, endpoint_id, is_active } = request.into_inner();
        let mut check = Check::new();
        let name = if id.is_empty() { intake::producer_name(&mut check, &name) } else { name };
        let choose = |_| "Choose where resends go";
        let endpoint_id = check.read("endpointId", Uuid::try_parse(&endpoint_id).map_err(choose));
        let form =
            commands::producers::Form { name, endpoint_id: endpoint_id.unwrap_or_default(), is_active };
        let form = check.done(form)?;
        Ok(Response::new(match id.as_str() {
            "" => with_token(commands::producers::create(db, form, by).await?),
            id => commands::producers::update(db, id, version, form, by).await?.into(),
        }))
    }

    async fn delete_producer(
        &self,
        request: Request<DeleteProducerRequest>,
    ) -> Result<Response<DeleteProducerResponse>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let Context { db, clock, .. } = &self.context;
        let DeleteProducerRequest { id, version } = request.into_inner();
        commands::producers::delete(db, &id, version, actor.at(clock.now())).await?;
        Ok(Response::new(DeleteProducerResponse {}))
    }

    async fn rotate_producer_token(
        &self,
        request: Request<RotateProducerTokenRequest>,
    ) -> Result<Response<Producer>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let Context { db, clock, .. } = &self.context;
        let RotateProducerTokenRequest { id, version } = request.into_inner();
        Ok(Response::new(with_token(
            commands::producers::rotate(db, &id, version, actor.at(clock.now())).await?,
        )))
    }
}

fn with_token((row, token): commands::producers::WithToken) -> Producer {
    Producer { token, ..row.into() }
}
