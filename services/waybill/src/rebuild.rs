//! Asks running services to rebuild their copies of other services' data.

use kit::clock::Clock;
use kit::config::{Config, Target};
use kit::{Error, Result};
use store::Db;
use store::copies::{self, Copy};

use crate::database;
use crate::target::{self, Row};

/// Who requests the rebuild, for the log.
const ACTOR: &str = "command line";

/// Requests a rebuild of one copy, or of all, that the target's services keep. The running services do the
/// work. Opens every database before the first request, so that one that cannot be used leaves nothing half
/// done. Prints each request as it is made.
///
/// # Errors
///
/// `COPY_UNKNOWN` if the target keeps no such copy; those of [`database::open_current`].
pub async fn ask(
    config: &Config,
    clock: &Clock,
    target: Target,
    name: Option<&str>,
    say: impl Fn(&str),
) -> Result<()> {
    let wanted = kept(target, name);
    if wanted.is_empty() {
        let names: Vec<&str> = kept(target, None).iter().map(|(_, copy)| copy.name).collect();
        let names = names.join(", ");
        let text = if names.is_empty() {
            format!("{} keeps no copies", target.as_str())
        } else if target::copies(name).is_empty() {
            format!("There is no copy with this name. Copies: {names}")
        } else {
            format!("{} does not keep this copy. Its copies: {names}", target.as_str())
        };
        return Err(Error::invalid("COPY_UNKNOWN", text));
    }
    let mut keepers: Vec<&'static Row> = wanted.iter().map(|(row, _)| *row).collect();
    keepers.dedup_by_key(|row| row.name);
    let opened = database::open_current(config, &keepers).await?;
    let requested = request(&opened, &wanted, clock, say).await;
    database::close(&opened).await;
    requested
}

fn kept(target: Target, name: Option<&str>) -> Vec<(&'static Row, Copy)> {
    target::copies(name).into_iter().filter(|(row, _)| target.runs(row.name)).collect()
}

async fn request(
    opened: &[(&'static Row, Db)],
    wanted: &[(&'static Row, Copy)],
    clock: &Clock,
    say: impl Fn(&str),
) -> Result<()> {
    for (row, db) in opened {
        for (_, copy) in wanted.iter().filter(|(keeper, _)| keeper.name == row.name) {
            match copies::request(db, copy, ACTOR, clock.now()).await? {
                true => say(&format!("{} is rebuilt as soon as {} runs", copy.name, row.name)),
                false => say(&format!("{} is being rebuilt already", copy.name)),
            }
        }
    }
    Ok(())
}
