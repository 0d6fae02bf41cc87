//! Enums that are stored as text.

/// Declares an enum. Each variant has one spelling, used in the database, on the wire and on screen.
///
/// Shape: `store::text_enum!(/** What it is. */ Name { Variant => "spelling", ... });`
/// The crate that uses it must depend on sea-orm.
#[macro_export]
macro_rules! text_enum {
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
