//! What a process can run: everything, or one service alone.

/// What runs in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    All,
    Gateway,
    Auth,
    Deliveries,
    Drivers,
    Settings,
    Upload,
}

impl Target {
    pub const EACH: [Target; 6] = [
        Target::Auth,
        Target::Deliveries,
        Target::Drivers,
        Target::Settings,
        Target::Upload,
        Target::Gateway,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Target::All => "all",
            Target::Gateway => "gateway",
            Target::Auth => "auth",
            Target::Deliveries => "deliveries",
            Target::Drivers => "drivers",
            Target::Settings => "settings",
            Target::Upload => "upload",
        }
    }

    /// Whether this target contains the other.
    pub fn runs(self, other: Target) -> bool {
        self == Target::All || self == other
    }
}

impl std::str::FromStr for Target {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [Target::All].into_iter().chain(Target::EACH).find(|target| target.as_str() == text).ok_or_else(
            || {
                let known: Vec<_> = Target::EACH.iter().map(|target| target.as_str()).collect();
                format!("there is no target {text}; known are all, {}", known.join(", "))
            },
        )
    }
}
