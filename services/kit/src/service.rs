//! The shape of a service: what a process mounts, registers and runs, whichever service it is.
//!
//! Each service crate exports its name, its migrations, a context and one function from the context to a
//! [`Service`]. Deliberately absent: the database, which the process opens and hands over in the context.
//! Why services look like this: docs/adr/0040.

mod task;

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use tonic::service::Routes;

use crate::bus::Consumer;
use crate::bus::intake::Intake;
use crate::health::Check;
use crate::principal::KeySource;
pub use task::{FirstRun, Task};

/// A service that is assembled and not running yet.
///
/// Most services set some fields and take the other ones from [`Service::new`].
pub struct Service {
    /// Name in addresses, subjects and databases.
    pub name: &'static str,
    /// The routes of the contract, without the layers of [`crate::rpc::mount`].
    pub routes: Routes,
    /// Consumers, to be registered before any relay of the process starts.
    pub consumers: Vec<Consumer>,
    /// Takes in reports of other systems from the bus. Set by deliveries alone.
    pub intake: Option<Intake>,
    /// Background work until the process stops. A task that ends earlier stops the process.
    pub tasks: Vec<Task>,
    /// Checks of dependencies for readiness. The process adds the check of the database.
    pub checks: Vec<Check>,
    /// Public keys of access tokens. Set by auth alone: a process that runs auth needs no call to learn them.
    pub keys: Option<Arc<dyn KeySource>>,
    /// The token that is printed at start. Set by auth alone, while there is no account and creating the
    /// first one requires a token.
    pub setup_token: Option<SecretString>,
}

impl Service {
    /// Creates a service that only answers calls.
    pub fn new(name: &'static str, routes: Routes) -> Self {
        Self {
            name,
            routes,
            consumers: Vec::new(),
            intake: None,
            tasks: Vec::new(),
            checks: Vec::new(),
            keys: None,
            setup_token: None,
        }
    }
}

// Written by hand: routes and keys have nothing to print.
impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let consumers: Vec<&str> = self.consumers.iter().map(|it| it.name).collect();
        let tasks: Vec<&str> = self.tasks.iter().map(Task::name).collect();
        f.debug_struct("Service")
            .field("name", &self.name)
            .field("consumers", &consumers)
            .field("tasks", &tasks)
            .field("setup_token", &self.setup_token)
            .finish_non_exhaustive()
    }
}
