//! A driver's day with many deliveries, the first of which goes to another driver while the day is read.

use proto::common::v1::Page;
use proto::deliveries::v1::Delivery;

use super::{Stage, delivery};

impl Stage {
    /// Gives the driver this many deliveries. The first goes to another driver once a page was read.
    pub fn long_day(&self, count: u32) {
        self.memory.lock().unwrap().day = (1..=count).collect();
    }

    /// Returns one page of the day, and whether there are more rows.
    pub fn page_of_day(&self, page: &Page) -> (Vec<Delivery>, bool) {
        let mut memory = self.memory.lock().unwrap();
        let day = &mut memory.day;
        if day.is_empty() {
            return ((1..=page.limit.min(100)).map(delivery).collect(), false);
        }
        let excludes = |id: &String| {
            page.r#where.iter().any(|it| it.key == "id" && it.operator == "!equals" && it.values.contains(id))
        };
        let rows = day.iter().copied().map(delivery).filter(|row| !excludes(&row.id));
        let mut rows = rows.skip(page.offset as usize);
        let found = rows.by_ref().take(page.limit as usize).collect();
        let more = rows.next().is_some();
        day.retain(|number| *number != 1);
        (found, more)
    }

    /// Returns the ids that the driver may read.
    pub fn readable(&self, ids: &[String]) -> Vec<String> {
        let own: Vec<_> =
            self.memory.lock().unwrap().day.iter().map(|number| format!("D-{number}")).collect();
        ids.iter().filter(|id| own.is_empty() || own.contains(id)).cloned().collect()
    }
}
