//! Asks running services to rebuild their copies of other services' data.

use kit::clock::Clock;
use kit::config::Config;
use kit::{Error, Result};
use store::{Db, copies};

use crate::target;

/// Who requests the rebuild, for the log.
const ACTOR: &str = "command line";

/// Requests a rebuild of one copy, or of all. The running services do the work. Returns the text to print.
pub async fn ask(config: &Config, clock: &Clock, name: Option<&str>) -> Result<String> {
    let wanted = target::copies(name);
    if wanted.is_empty() {
        let names: Vec<&str> = target::copies(None).iter().map(|(_, copy)| copy.name).collect();
        let text = format!("There is no copy with this name. Copies: {}", names.join(", "));
        return Err(Error::invalid("COPY_UNKNOWN", text));
    }
    let mut lines = Vec::new();
    for (row, copy) in wanted {
        let db = Db::connect(&row.database(config), &config.database).await?;
        let asked = async {
            row.migrations.require_current(&db, row.name).await?;
            copies::request(&db, &copy, ACTOR, clock.now()).await
        };
        let asked = asked.await;
        db.close().await;
        lines.push(match asked? {
            true => format!("{} is rebuilt as soon as {} runs", copy.name, row.name),
            false => format!("{} is being rebuilt already", copy.name),
        });
    }
    Ok(lines.join("\n"))
}
