//! The table of items, with a total per unit, because boxes and pallets cannot be added.

use kit::input::limits;
use proto::deliveries::v1 as wire;
use wire::FormColumnKind as Kind;

use super::filled;
use crate::form::{Counted, Form, Item, words};

/// Shown instead of a count while nothing is counted.
const UNCOUNTED: &str = "–";

#[derive(Clone, Copy)]
enum Column {
    Number,
    Description,
    Unit,
    Expected,
    Delivered,
    Rejected,
    Variance,
    Reason,
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Column::Number => "Item",
            Column::Description => "Description",
            Column::Unit => "Unit",
            Column::Expected => "Expected",
            Column::Delivered => "Delivered",
            Column::Rejected => "Rejected",
            Column::Variance => "Variance",
            Column::Reason => "Reason",
        }
    }

    fn kind(self) -> Kind {
        match self {
            Column::Number => Kind::Number,
            Column::Description => Kind::Description,
            Column::Unit => Kind::Unit,
            Column::Reason => Kind::Reason,
            Column::Expected | Column::Delivered | Column::Rejected | Column::Variance => Kind::Quantity,
        }
    }

    fn cell(self, item: &Item) -> String {
        let text = |text: &Option<String>| filled(text.as_deref()).unwrap_or_default().to_owned();
        match self {
            Column::Number => item.item_number.clone(),
            Column::Description => {
                let parts = [filled(item.description.as_deref()), filled(item.sku.as_deref())];
                parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
            }
            Column::Unit => text(&item.unit),
            Column::Reason => item.counted.as_ref().map_or_else(String::new, |counted| text(&counted.reason)),
            Column::Expected | Column::Delivered | Column::Rejected | Column::Variance => {
                self.quantity(self.amount(item))
            }
        }
    }

    /// Returns the amount in thousandths; `None` while nothing is counted, and for columns without
    /// quantities.
    fn amount(self, item: &Item) -> Option<i128> {
        let counted = item.counted.as_ref();
        let delivered = counted.map(|counted| i128::from(counted.delivered));
        match self {
            Column::Expected => Some(item.expected.into()),
            Column::Delivered => delivered,
            Column::Rejected => counted.map(|counted| counted.rejected.into()),
            Column::Variance => delivered.map(|delivered| delivered - i128::from(item.expected)),
            Column::Number | Column::Description | Column::Unit | Column::Reason => None,
        }
    }

    fn quantity(self, amount: Option<i128>) -> String {
        match (self, amount) {
            (_, None) => UNCOUNTED.to_owned(),
            (Column::Variance, Some(amount)) => words::difference(amount),
            (_, Some(amount)) => words::quantity(amount),
        }
    }
}

pub fn table(form: &Form) -> wire::FormTable {
    let items = &form.items[..form.items.len().min(limits::ITEMS)];
    let columns = columns(items);
    let column = |it: &Column| wire::FormColumn { kind: it.kind().into(), title: it.title().to_owned() };
    wire::FormTable {
        title: "Delivery items".to_owned(),
        columns: columns.iter().map(column).collect(),
        rows: items.iter().map(|item| row(item, &columns, !form.without.notes)).collect(),
        totals: totals(form, items, &columns),
        empty: "This delivery has no items.".to_owned(),
    }
}

/// Returns the columns that have content for these items.
fn columns(items: &[Item]) -> Vec<Column> {
    let counted = || items.iter().filter_map(|item| item.counted.as_ref());
    let has_unit = items.iter().any(|item| filled(item.unit.as_deref()).is_some());
    let has_rejected = counted().any(|it| it.rejected != 0);
    let has_reason = counted().any(|it| filled(it.reason.as_deref()).is_some());
    let columns = [
        (Column::Number, true),
        (Column::Description, true),
        (Column::Unit, has_unit),
        (Column::Expected, true),
        (Column::Delivered, true),
        (Column::Rejected, has_rejected),
        (Column::Variance, true),
        (Column::Reason, has_reason),
    ];
    columns.into_iter().filter(|(_, is_shown)| *is_shown).map(|(column, _)| column).collect()
}

fn row(item: &Item, columns: &[Column], has_notes: bool) -> wire::FormRow {
    let counted = item.counted.as_ref();
    let condition = counted.and_then(|it| words::condition(it.condition));
    let note = counted.and_then(|it| filled(it.note.as_deref())).filter(|_| has_notes);
    let notes = [condition.map(|it| format!("Condition: {it}")), note.map(str::to_owned)];
    wire::FormRow {
        cells: columns.iter().map(|column| column.cell(item)).collect(),
        notes: notes.into_iter().flatten().collect(),
        strong: counted.is_some_and(|counted| differs(item, counted)),
    }
}

fn differs(item: &Item, counted: &Counted) -> bool {
    counted.delivered != item.expected || words::condition(counted.condition).is_some()
}

/// Returns one row of totals per unit, in the order in which the units first occur.
fn totals(form: &Form, items: &[Item], columns: &[Column]) -> Vec<wire::FormRow> {
    let mut units: Vec<(String, Vec<&Item>)> = Vec::new();
    for item in items {
        let unit = filled(item.unit.as_deref()).unwrap_or_default();
        match units.iter_mut().find(|(known, _)| known.to_lowercase() == unit.to_lowercase()) {
            Some((_, of_unit)) => of_unit.push(item),
            None => units.push((unit.to_owned(), vec![item])),
        }
    }
    let total = |(unit, items): (String, Vec<&Item>)| {
        let cell = |column: &Column| match column {
            Column::Number | Column::Reason => String::new(),
            Column::Description if items.len() == 1 => "Total, 1 line".to_owned(),
            Column::Description => format!("Total, {} lines", items.len()),
            Column::Unit => unit.clone(),
            _ => column.quantity(items.iter().map(|item| column.amount(item)).sum()),
        };
        wire::FormRow { cells: columns.iter().map(cell).collect(), notes: Vec::new(), strong: true }
    };
    let mut totals: Vec<_> = units.into_iter().map(total).collect();
    if let Some(last) = totals.last_mut().filter(|_| form.items.len() > items.len()) {
        last.notes.push(format!("The first {} of {} lines.", items.len(), form.items.len()));
    }
    totals
}
