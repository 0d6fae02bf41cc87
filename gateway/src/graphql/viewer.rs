//! Who asks, and what a resolver gets from its request.

use std::sync::{Arc, Mutex, PoisonError};

use kit::Role;
use kit::rpc::{Client, Transport};

use super::error::Failure;
use super::loaders::Loaders;
use crate::accesses::View;
use crate::session::{Identity, Session};
use crate::state::App;

/// Who asks, with what this request needs to answer.
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

    /// Looks everything up anew from now on: the life of a subscription is many requests.
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

    /// A service that lets drivers do some things too. They have an API of their own; the graph is the
    /// office's.
    pub fn office_client(&self, service: &Transport) -> kit::Result<Client> {
        let session = self.session()?;
        session.require(Role::STAFF)?;
        Ok(session.client(service))
    }
}

pub fn viewer<'a>(context: &async_graphql::Context<'a>) -> Result<&'a Viewer, Failure> {
    context.data_opt::<Viewer>().ok_or_else(|| kit::Error::internal("a request without a viewer").into())
}

/// Writes down that somebody looks at this, before they are shown it. An id that is empty stands for
/// several.
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
    // As with `office_client`: a batch is as good a way in as a list.
    viewer.session()?.require(Role::STAFF)?;
    let loaders = viewer.loaders.as_ref().ok_or_else(|| kit::Error::internal("a session without loaders"))?;
    Ok(loaders.lock().unwrap_or_else(PoisonError::into_inner).clone())
}
