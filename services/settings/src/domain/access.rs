//! Who may read and change a setting. Each row states this by an [`Access`] for readers and one for editors.

use kit::principal::{Principal, Role};
use kit::{Error, Result};

::store::text_enum!(
    /// The lowest role that has access.
    Access { Admin => "admin", Planner => "planner", Staff => "staff" }
);

/// The settings that a caller may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All settings: for administrators, and for other services, which need the values.
    All,
    Planner,
    /// The settings that all staff may see: for all other office users, also without a role.
    Staff,
}

impl Reach {
    /// Returns the settings that the caller may read.
    pub fn of_reader(principal: &Principal) -> Result<Self> {
        match principal {
            Principal::Service { .. } => Ok(Self::All),
            person => Self::of_person(person.require_office()?),
        }
    }

    /// Returns the reach of a caller who lists or changes settings. Fails for callers who may not change any
    /// setting.
    pub fn of_editor(principal: &Principal) -> Result<Self> {
        Self::of_person(principal.require(&[Role::Admin, Role::TransportPlanner])?)
    }

    fn of_person(person: &Principal) -> Result<Self> {
        if person.require(Role::ADMINS).is_ok() {
            return Ok(Self::All);
        }
        let planner = person.require(&[Role::TransportPlanner]).is_ok();
        Ok(if planner { Self::Planner } else { Self::Staff })
    }

    /// Returns whether a caller with this reach may read a setting that has these readers. Callers must
    /// report a hidden setting as a missing one.
    pub fn may_read(self, readers: Access) -> bool {
        match self {
            Self::All => true,
            Self::Planner => readers != Access::Admin,
            Self::Staff => readers == Access::Staff,
        }
    }

    pub fn require_change(self, editors: Access) -> Result<()> {
        let may = match self {
            Self::All => true,
            Self::Planner => editors != Access::Admin,
            Self::Staff => false,
        };
        if may { Ok(()) } else { Err(Error::forbidden("SETTING_NOT_YOURS")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(roles: &[Role]) -> Principal {
        Principal::User {
            id: "u1".into(),
            username: "maria".into(),
            roles: roles.to_vec(),
            session: "s1".into(),
            driver_id: None,
        }
    }

    #[test]
    fn the_widest_role_counts() {
        let reach = |roles: &[Role]| Reach::of_reader(&person(roles)).ok();
        assert_eq!(reach(&[Role::TransportPlanner, Role::Admin]), Some(Reach::All));
        assert_eq!(reach(&[Role::Viewer, Role::TransportPlanner]), Some(Reach::Planner));
        assert_eq!(reach(&[Role::Dispatcher]), Some(Reach::Staff));
        assert_eq!(reach(&[Role::Driver]), None);
        assert_eq!(reach(&[]), Some(Reach::Staff), "the logo is in the drawer of everybody");
        assert_eq!(Reach::of_reader(&Principal::Service { name: "gateway".into() }).ok(), Some(Reach::All));
    }

    #[test]
    fn only_who_sets_something_is_an_editor() {
        let reach = |roles: &[Role]| Reach::of_editor(&person(roles)).ok();
        assert_eq!(reach(&[Role::Admin]), Some(Reach::All));
        assert_eq!(reach(&[Role::TransportPlanner]), Some(Reach::Planner));
        assert_eq!(reach(&[Role::Dispatcher]), None);
        assert_eq!(Reach::of_editor(&Principal::Service { name: "upload".into() }).ok(), None);
    }

    #[test]
    fn a_row_says_who_reads_and_who_changes() {
        for (reach, access, reads, changes) in [
            (Reach::All, Access::Admin, true, true),
            (Reach::Planner, Access::Admin, false, false),
            (Reach::Planner, Access::Planner, true, true),
            (Reach::Planner, Access::Staff, true, true),
            (Reach::Staff, Access::Planner, false, false),
            (Reach::Staff, Access::Staff, true, false),
        ] {
            assert_eq!(reach.may_read(access), reads, "{reach:?} reads {access:?}");
            assert_eq!(reach.require_change(access).is_ok(), changes, "{reach:?} changes {access:?}");
        }
    }
}
