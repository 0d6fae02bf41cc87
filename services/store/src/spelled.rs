//! Closed sets that are kept as text.

/// A closed set kept as text, each with one spelling: in the database, on the wire, on the screen.
///
/// Shape: `store::spelled!(/** What it is. */ Name { Variant => "spelling", ... });`
/// The crate that uses it depends on sea-orm.
#[macro_export]
macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident { $($variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, sea_orm::EnumIter, sea_orm::DeriveActiveEnum)]
        #[sea_orm(rs_type = "String", db_type = "String(sea_orm::prelude::StringLen::None)")]
        pub enum $name { $(#[sea_orm(string_value = $text)] $variant),+ }

        impl $name {
            pub const SPELLINGS: &[&str] = &[$($text),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}
