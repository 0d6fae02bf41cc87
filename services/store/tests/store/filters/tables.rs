//! The tables for the tests of filters.

use proto::common::v1::SortDirection;
use sea_orm_migration::prelude::*;
use store::filter::{Field, FieldKind, Related, Search, TextTable};
use store::list::{Bounds, Listing};

pub mod thing {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "thing")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub name: Option<String>,
        pub name_key: Option<String>,
        pub kind: String,
        pub tags: String,
        pub active: bool,
        pub number: i64,
        pub owner: Option<Uuid>,
        pub at: Option<DateTimeUtc>,
        pub until: Option<DateTimeUtc>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
pub use thing::{Column, Entity, Model};

/// Lists each distinct name of a thing once.
pub mod word {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "word")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub word_key: String,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// Remarks about things.
pub mod remark {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "remark")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub thing: i64,
        pub text_key: Option<String>,
        pub kind: String,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub const KINDS: &[&str] = &["Pending", "Complete_No_Variance", "Rejected"];
/// Texts that contain or resemble each other.
pub const TAGS: &[&str] = &["plan", "planner", "a_b", "aXb"];
pub const FIELDS: &[Field<Column>] = &[
    Field::new("name", Column::Name, FieldKind::Text { folded: Column::NameKey }),
    Field::new("kind", Column::Kind, FieldKind::Choice(KINDS)).then(&[Column::Number]),
    Field::new("tags", Column::Tags, FieldKind::Choices(TAGS)).unsortable(),
    Field::new("active", Column::Active, FieldKind::Flag { yes: "Active", no: "Disabled" }),
    Field::new("number", Column::Number, FieldKind::Number).unindexed(),
    Field::new("owner", Column::Owner, FieldKind::Id).unsortable().then(&[Column::Number]),
    Field::new("at", Column::At, FieldKind::Instant).sparse(),
    Field::new("due", Column::Until, FieldKind::FirstInstant { first: Column::Until, or: Column::At })
        .unsortable()
        .unindexed(),
    Field::new("searched", Column::Name, FieldKind::Search { folded: Column::NameKey, by: Search::Grams }),
    Field::new("listed", Column::Name, FieldKind::Search { folded: Column::NameKey, by: WORDS })
        .unsortable()
        .then(&[Column::Number]),
    Field::new("remark", Column::Id, REMARKS).unsortable(),
    Field::new("remarkKind", Column::Id, REMARK_KINDS).unsortable(),
    Field::new("id", Column::Id, FieldKind::Number),
];
pub const WORDS: Search = Search::Listed(&[TextTable { table: "word", key: "word_key", grams: true }]);
pub const REMARKS: FieldKind<Column> = FieldKind::Related {
    on: Column::Id,
    table: "remark",
    key: "thing",
    value: Related::Text { folded: "text_key", by: None },
};
pub const REMARK_KINDS: FieldKind<Column> = FieldKind::Related {
    on: Column::Id,
    table: "remark",
    key: "thing",
    value: Related::Choice { column: "kind", spellings: KINDS },
};

pub const SEEN: u64 = 12;
/// A list whose thresholds are so small that every paging strategy is used.
pub const LIST: Listing<Entity> = Listing {
    fields: FIELDS,
    key: &[Column::Id],
    default: ("id", SortDirection::Asc),
    bounds: Bounds { few: 3, near: 9, seen: SEEN },
};

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = store::migrate::migrations();
        all.push(Box::new(Things));
        all
    }
}

struct Things;

impl MigrationName for Things {
    fn name(&self) -> &str {
        "things"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Things {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        manager
            .create_table(
                Table::create()
                    .table(Entity)
                    .col(ColumnDef::new(Column::Id).big_integer().not_null().primary_key())
                    .col(ColumnDef::new(Column::Name).text())
                    .col(store::migrate::bytewise_text(Column::NameKey, backend))
                    .col(ColumnDef::new(Column::Kind).text().not_null())
                    .col(ColumnDef::new(Column::Tags).text().not_null())
                    .col(ColumnDef::new(Column::Active).boolean().not_null())
                    .col(ColumnDef::new(Column::Number).big_integer().not_null())
                    .col(ColumnDef::new(Column::Owner).uuid())
                    .col(ColumnDef::new(Column::At).timestamp_with_time_zone())
                    .col(ColumnDef::new(Column::Until).timestamp_with_time_zone())
                    .to_owned(),
            )
            .await?;
        let word =
            store::migrate::bytewise_text(word::Column::WordKey, backend).not_null().primary_key().take();
        manager.create_table(Table::create().table(word::Entity).col(word).to_owned()).await?;
        manager
            .create_table(
                Table::create()
                    .table(remark::Entity)
                    .col(ColumnDef::new(remark::Column::Id).big_integer().not_null().primary_key())
                    .col(ColumnDef::new(remark::Column::Thing).big_integer().not_null())
                    .col(store::migrate::bytewise_text(remark::Column::TextKey, backend))
                    .col(ColumnDef::new(remark::Column::Kind).text().not_null())
                    .to_owned(),
            )
            .await
    }
}
