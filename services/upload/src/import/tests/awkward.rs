//! Imports the fixtures that are hard to read. `expected.txt` beside them has the expected result of each.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ::store::{Db, on_both};
use proto::deliveries::v1::ImportRow;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use uuid::Uuid;

use super::world::World;
use crate::Migrator;
use crate::entity::upload_log::Status;
use crate::entity::upload_row::Message;
use crate::entity::upload_warning;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/awkward")
}

/// Returns the expected result of each file, by name.
fn expected() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(folder().join("expected.txt")).unwrap();
    let sections = text.split("== ").filter(|section| !section.is_empty());
    let parts = sections.map(|section| section.split_once('\n').unwrap());
    parts.map(|(name, lines)| (name.to_owned(), lines.trim_end().to_owned())).collect()
}

fn files() -> Vec<String> {
    let names = std::fs::read_dir(folder()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.ends_with(".py") && name != "expected.txt").collect();
    names.sort();
    names
}

fn sent(row: &ImportRow) -> String {
    let at = proto::instant(row.scheduledatetime.unwrap()).unwrap().format("%Y-%m-%d %H:%M");
    let item = row.item.as_ref().map_or_else(
        || "no item".to_owned(),
        |item| {
            let quantity = item.quantity_thousandths as f64 / 1_000.0;
            format!("{} {} {quantity}", item.item_number, item.sku.as_deref().unwrap_or_default())
        },
    );
    let note = row.instructions.as_deref().map(|text| format!(" | {}", text.replace('\n', "⏎")));
    let ImportRow { line, delivery_id, shipmentnumber, customername, .. } = row;
    format!(
        "{line}: {delivery_id} | {shipmentnumber} | {customername} | {at} | {item}{}",
        note.unwrap_or_default()
    )
}

fn said(message: &Message) -> String {
    let column = message.column.as_deref().map(|column| format!("{column} "));
    format!("{}{}", column.unwrap_or_default(), message.code)
}

async fn warnings(world: &World, id: Uuid) -> Vec<String> {
    use upload_warning::{Column, Entity};
    let rows = Entity::find().filter(Column::UploadLogId.eq(id)).order_by_asc(Column::Number);
    let rows = rows.all(world.db().read()).await.unwrap();
    let text =
        |row: upload_warning::Model| format!("warning {} {}", row.code, row.heading.unwrap_or_default());
    rows.into_iter().map(text).map(|text| text.trim_end().to_owned()).collect()
}

async fn import(world: &World, name: &str) -> String {
    let id = world.upload_bytes(name, std::fs::read(folder().join(name)).unwrap()).await;
    assert!(world.attempt().await);
    let log = world.log(id).await;
    match log.status {
        Status::NeedsMapping => return "waits for its columns to be matched".to_owned(),
        Status::Failed => return format!("failed: {}", log.failure_code.unwrap()),
        _ => {}
    }
    let requests = world.deliveries.requests().into_iter().filter(|it| it.upload_log_id == id.to_string());
    let mut lines: Vec<(i64, String)> =
        requests.flat_map(|it| it.rows).map(|row| (row.line.into(), sent(&row))).collect();
    let taken = lines.len();
    let refused = world.rows(id).await;
    lines.extend(refused.iter().map(|row| {
        let messages: Vec<_> = row.messages.0.iter().map(said).collect();
        (row.row_number, format!("{} refused: {}", row.row_number, messages.join(", ")))
    }));
    assert_eq!((log.rows_created as usize, log.rows_failed as usize), (taken, refused.len()), "{name}");
    assert_eq!(log.rows_total, log.rows_created + log.rows_failed, "{name}");
    lines.sort();
    let lines = lines.into_iter().map(|(_, line)| line).chain(warnings(world, id).await);
    lines.collect::<Vec<_>>().join("\n")
}

on_both!(every_awkward_file_becomes_exactly_what_is_written_beside_it, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let (expected, files) = (expected(), files());
    assert_eq!(files, expected.keys().cloned().collect::<Vec<_>>());
    assert!(files.len() >= 40);
    let mut wrong = Vec::new();
    for name in &files {
        let found = import(&world, name).await;
        if found != expected[name] {
            wrong.push(format!("{name}\n-- expected\n{}\n-- found\n{found}", expected[name]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
});
