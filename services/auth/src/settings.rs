//! The settings that this service uses; unset ones come from the configuration.

use ::store::settings::Settings;

::store::obeyed! {
    NAME = "organization-name";
}

/// Returns the organization's name, if it was ever changed.
pub fn organization(settings: &Settings) -> Option<String> {
    settings.get(NAME)
}
