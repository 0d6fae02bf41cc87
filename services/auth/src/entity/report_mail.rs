use sea_orm::entity::prelude::*;

::store::text_enum!(
    /// What is known about a mail.
    State { Sending => "sending", Sent => "sent", Refused => "refused", Uncertain => "uncertain" }
);

/// A mail with a report. The row is added before the mail is sent, so that it is never sent twice.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "report_mail")]
pub struct Model {
    /// SHA-256 of the key that the caller chose.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key_hash: Vec<u8>,
    pub state: State,
    pub claimed_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
