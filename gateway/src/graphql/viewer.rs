//! The caller, and what a resolver gets from its request.

use std::sync::{Arc, Mutex, PoisonError};

use kit::Role;
use kit::rpc::{Client, Transport};

use super::error::Failure;
use super::loaders::Loaders;
use crate::accesses::View;
use crate::session::{Identity, Session};
use crate::state::App;

/// The caller, and the state of this request.
pub struct Viewer {
    pub app: Arc<App>,
    identity: Identity,
    loaders: Option<Mutex<Arc<Loaders>>>,
}

impl Viewer {
    pub fn new(app: Arc<App>, identity: Identity) -> Self {
        let loaders =
            identity.session().ok().map(|session| Mutex::new(Arc::new(Loaders::new(&app, session))));
        Self { app, identity, loaders }
    }

    /// Drops cached lookups. Subscriptions need this, because cached entities change while they run.
    pub fn forget_loaded(&self) {
        if let (Some(loaders), Ok(session)) = (&self.loaders, self.session()) {
            *loaders.lock().unwrap_or_else(PoisonError::into_inner) =
                Arc::new(Loaders::new(&self.app, session));
        }
    }

    pub fn session(&self) -> kit::Result<&Session> {
        self.identity.session()
    }

    pub fn client(&self, service: &Transport) -> kit::Result<Client> {
        Ok(self.session()?.client(service))
    }

    /// Returns a client of a service that also admits drivers. Refuses drivers here, because they have a
    /// separate API.
    pub fn office_client(&self, service: &Transport) -> kit::Result<Client> {
        let session = self.session()?;
        session.require(Role::STAFF)?;
        Ok(session.client(service))
    }
}

pub fn viewer<'a>(context: &async_graphql::Context<'a>) -> Result<&'a Viewer, Failure> {
    context.data_opt::<Viewer>().ok_or_else(|| kit::Error::internal("a request without a viewer").into())
}

/// Records a view in the audit log; call it before returning the data. An empty id means several entities.
pub async fn viewed(
    context: &async_graphql::Context<'_>,
    view: View,
    (id, name): (&str, &str),
) -> Result<(), Failure> {
    let viewer = viewer(context)?;
    Ok(viewer.app.accesses.viewed(viewer.session()?, view, (id, name)).await?)
}

pub fn loaders(context: &async_graphql::Context<'_>) -> Result<Arc<Loaders>, Failure> {
    let viewer = viewer(context)?;
    // Require staff, as in `office_client`: a batch reveals as much as a list.
    viewer.session()?.require(Role::STAFF)?;
    let loaders = viewer.loaders.as_ref().ok_or_else(|| kit::Error::internal("a session without loaders"))?;
    Ok(loaders.lock().unwrap_or_else(PoisonError::into_inner).clone())
}
