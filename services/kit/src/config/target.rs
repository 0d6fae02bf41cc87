//! What a process can run: everything, the gateway, or one service.

/// What runs in this process. The full list of services is in the crate `waybill`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    All,
    Gateway,
    Service(Part),
}

/// The properties of a service that the configuration of its process depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub name: &'static str,
    /// Whether the service stores files.
    pub keeps_objects: bool,
}

impl Target {
    pub fn as_str(self) -> &'static str {
        match self {
            Target::All => "all",
            Target::Gateway => "gateway",
            Target::Service(part) => part.name,
        }
    }

    pub fn runs_gateway(self) -> bool {
        matches!(self, Target::All | Target::Gateway)
    }

    /// Returns whether the service of this name runs here.
    pub fn runs(self, service: &str) -> bool {
        match self {
            Target::All => true,
            Target::Gateway => false,
            Target::Service(part) => part.name == service,
        }
    }

    /// Returns whether any service that runs here stores files.
    pub fn keeps_objects(self) -> bool {
        match self {
            Target::All => true,
            Target::Gateway => false,
            Target::Service(part) => part.keeps_objects,
        }
    }
}
