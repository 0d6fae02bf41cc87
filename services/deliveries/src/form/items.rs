//! The table of items. Its header stands on every page it goes on to; a row is never torn apart.

use std::num::NonZeroU32;

use krilla::tagging::{TableHeaderScope, Tag};

use super::font::{Line, Style};
use super::layout::{Flow, HAIR, LABEL, MUTED, TEXT, VALUE, filled};
use super::sheet::{BLACK, Owner, Part, WHOLE};
use super::{Counted, Item, words};

/// More are told by their number.
const MAX_ITEMS: usize = 5_000;
const HEAD: Style = Style { gray: BLACK, ..LABEL }.strong();
const NOTE: Style = Style { size: 11.5, leading: 16.0, gray: 0x33, ..TEXT };
/// From the edge of the table to its text, and between columns.
const INSET: f32 = 6.0;
const GAP: f32 = 13.0;
/// A description in less than this is a tower of syllables.
const DESCRIPTION: f32 = 130.0;
const DASH: &str = "–";

/// The columns of figures.
#[derive(Clone, Copy, PartialEq)]
enum Figure {
    Expected,
    Delivered,
    Rejected,
    Variance,
}

impl Figure {
    fn title(self) -> &'static str {
        match self {
            Figure::Expected => "Expected",
            Figure::Delivered => "Delivered",
            Figure::Rejected => "Rejected",
            Figure::Variance => "Variance",
        }
    }

    fn of(self, item: &Item) -> Option<i128> {
        let counted = item.counted.as_ref();
        let delivered = counted.map(|counted| i128::from(counted.delivered));
        match self {
            Figure::Expected => Some(item.expected.into()),
            Figure::Delivered => delivered,
            Figure::Rejected => counted.map(|counted| counted.rejected.into()),
            Figure::Variance => delivered.map(|delivered| delivered - i128::from(item.expected)),
        }
    }

    fn text(self, value: Option<i128>) -> String {
        match (self, value) {
            (_, None) => DASH.to_owned(),
            (Figure::Variance, Some(value)) => words::difference(value),
            (_, Some(value)) => words::quantity(value),
        }
    }
}

/// Where each column is.
struct Columns {
    number: (f32, f32),
    description: (f32, f32),
    unit: (f32, f32),
    /// Each ends there.
    figures: Vec<(Figure, f32)>,
    /// How large figures are.
    size: f32,
    /// Absent where figures leave no room: then the reason is told below the row.
    reason: Option<(f32, f32)>,
}

struct Row {
    number: Vec<Line>,
    description: Vec<Line>,
    unit: Vec<Line>,
    figures: Vec<Line>,
    reason: Vec<Line>,
    /// How many lines the longest of them has.
    lines: usize,
    /// Across the table, below the rest.
    notes: Vec<Line>,
    height: f32,
}

pub fn table(flow: &mut Flow) {
    let items = &flow.form.items[..flow.form.items.len().min(MAX_ITEMS)];
    let columns = Columns::of(flow, items);
    let table = flow.sheet.part(WHOLE, Tag::Table);
    flow.room(3.0 * VALUE.leading + 6.0 * flow.density.row);
    let header = flow.sheet.part(table, Tag::THead);
    head(flow, &columns, Some(header));
    let body = flow.sheet.part(table, Tag::TBody);
    let total = VALUE.leading + 2.0 * flow.density.row;
    for (at, item) in items.iter().enumerate() {
        let row = Row::of(flow, &columns, item);
        let is_last = at + 1 == items.len();
        // The sum does not stand alone on a page.
        if flow.room(row.height + if is_last { total } else { 0.0 }) {
            head(flow, &columns, None);
        }
        row.draw(flow, &columns, body);
    }
    sum(flow, &columns, table);
}

impl Columns {
    fn of(flow: &Flow, items: &[Item]) -> Self {
        let mut shown = vec![Figure::Expected, Figure::Delivered, Figure::Rejected, Figure::Variance];
        let rejected = |item: &Item| item.counted.as_ref().is_some_and(|counted| counted.rejected != 0);
        if !items.iter().any(rejected) {
            shown.retain(|figure| *figure != Figure::Rejected);
        }
        let measure = |text| flow.fonts.line(text, VALUE.strong()).width;
        let numbers = items.iter().map(|item| measure(&item.item_number));
        let number = numbers.fold(30.0, f32::max).min(72.0);
        let units = items.iter().filter_map(|item| filled(&item.unit)).map(measure);
        let unit = units.fold(30.0, f32::max).min(64.0);
        let reasons = items.iter().filter_map(|item| filled(&item.counted.as_ref()?.reason)).map(measure);
        let reason = reasons.fold(100.0, f32::max).min(146.0);
        let place = |size: f32, reason: Option<f32>| {
            let widths: Vec<_> =
                shown.iter().map(|&figure| (figure, widest(flow, items, figure, size))).collect();
            Self::place(flow, number, unit, &widths, size, reason)
        };
        // First without a column for reasons, then with smaller figures.
        let tries = [(VALUE.size, Some(reason)), (VALUE.size, None), (10.0, None), (8.0, None)];
        let mut fits = tries.into_iter().map(|(size, reason)| place(size, reason));
        fits.find(|columns| columns.description.1 >= DESCRIPTION).unwrap_or_else(|| place(6.0, None))
    }

    fn place(
        flow: &Flow,
        number: f32,
        unit: f32,
        widths: &[(Figure, f32)],
        size: f32,
        reason: Option<f32>,
    ) -> Self {
        let left = flow.left + INSET;
        let right = flow.right - INSET;
        let mut at = right - reason.map_or(0.0, |width| width + GAP);
        let mut figures = Vec::new();
        for &(figure, width) in widths.iter().rev() {
            figures.push((figure, at));
            at -= width + GAP;
        }
        figures.reverse();
        let unit_left = at - unit;
        let description = left + number + GAP;
        Self {
            number: (left, number),
            description: (description, unit_left - GAP - description),
            unit: (unit_left, unit),
            figures,
            size,
            reason: reason.map(|width| (right - width, width)),
        }
    }
}

/// The widest figure of a column, its title and its sum included.
fn widest(flow: &Flow, items: &[Item], figure: Figure, size: f32) -> f32 {
    let widest = items.iter().map(|item| figure.text(figure.of(item)).chars().count()).max();
    let sum = figure.text(total(items, figure)).chars().count();
    // Figures and signs are of one width, so the longest text is the widest.
    let digits = "0".repeat(widest.unwrap_or(0).max(sum));
    let digits = flow.fonts.line(&digits, Style { size, ..VALUE.strong() }).width;
    digits.max(flow.fonts.line(figure.title(), HEAD).width).max(56.0)
}

fn total(items: &[Item], figure: Figure) -> Option<i128> {
    items.iter().map(|item| figure.of(item)).sum()
}

impl Row {
    fn of(flow: &Flow, columns: &Columns, item: &Item) -> Self {
        let fonts = flow.fonts;
        let counted = item.counted.as_ref();
        let differs = counted.is_some_and(|counted| differs(item, counted));
        let style = if differs { VALUE.strong() } else { VALUE };
        let or_none = |text: Option<&str>, width: f32, most: usize| match text {
            Some(text) => fonts.wrap_most(text, style, width, most),
            None => vec![fonts.line(words::NONE, VALUE.gray(MUTED))],
        };
        let reason = counted.and_then(|counted| filled(&counted.reason));
        let figure =
            |figure: Figure| fonts.line(&figure.text(figure.of(item)), Style { size: columns.size, ..style });
        let mut row = Self {
            number: fonts.wrap_most(&item.item_number, style, columns.number.1, 6),
            description: or_none(filled(&item.description), columns.description.1, 10),
            unit: or_none(filled(&item.unit), columns.unit.1, 4),
            figures: columns.figures.iter().map(|&(shown, _)| figure(shown)).collect(),
            reason: columns.reason.map_or_else(Vec::new, |(_, width)| or_none(reason, width, 6)),
            lines: 1,
            notes: Vec::new(),
            height: 0.0,
        };
        let said = [
            counted.and_then(|counted| words::condition(counted.condition)).map(str::to_owned),
            reason.filter(|_| columns.reason.is_none()).map(str::to_owned),
            counted.and_then(|counted| filled(&counted.note)).map(str::to_owned),
        ];
        let said: Vec<_> = said.into_iter().flatten().collect();
        let width = flow.right - INSET - columns.description.0;
        row.notes = fonts.wrap_most(&said.join(" · "), NOTE, width, 24);
        let lines = [&row.number, &row.description, &row.unit, &row.reason].map(Vec::len);
        row.lines = lines.into_iter().fold(1, usize::max);
        row.height =
            row.lines as f32 * VALUE.leading + row.notes.len() as f32 * NOTE.leading + 2.0 * flow.density.row;
        row
    }

    fn draw(self, flow: &mut Flow, columns: &Columns, body: Part) {
        let row = flow.sheet.part(body, Tag::TR);
        let top = flow.y + flow.density.row;
        let cell = |flow: &mut Flow, left: f32, lines: Vec<Line>| {
            let cell = flow.sheet.part(row, Tag::TD);
            flow.sheet.lines(Some(cell), left, top, lines);
            cell
        };
        cell(flow, columns.number.0, self.number);
        let description = cell(flow, columns.description.0, self.description);
        cell(flow, columns.unit.0, self.unit);
        for (line, &(_, right)) in self.figures.into_iter().zip(&columns.figures) {
            cell(flow, right - line.width, vec![line]);
        }
        if let Some((left, _)) = columns.reason {
            cell(flow, left, self.reason);
        }
        // Read with the description, whatever stands between them.
        let below = top + self.lines as f32 * VALUE.leading;
        flow.sheet.lines(Some(description), columns.description.0, below, self.notes);
        flow.y += self.height;
        flow.rule(1.0, HAIR);
    }
}

fn differs(item: &Item, counted: &Counted) -> bool {
    counted.delivered != item.expected || words::condition(counted.condition).is_some()
}

/// The titles of the columns; decoration where they are repeated.
fn head(flow: &mut Flow, columns: &Columns, header: Option<Part>) {
    flow.rule(1.0, BLACK);
    let row = header.map(|header| flow.sheet.part(header, Tag::TR));
    let top = flow.y + flow.density.row;
    let owner =
        |flow: &mut Flow| -> Owner { row.map(|row| flow.sheet.part(row, Tag::TH(TableHeaderScope::Column))) };
    for (title, left) in
        [("Item", columns.number.0), ("Description", columns.description.0), ("Unit", columns.unit.0)]
    {
        let owner = owner(flow);
        flow.sheet.text(owner, left, top, flow.fonts.line(title, HEAD));
    }
    for &(figure, right) in &columns.figures {
        let owner = owner(flow);
        flow.sheet.text_right(owner, right, top, flow.fonts.line(figure.title(), HEAD));
    }
    if let Some((left, _)) = columns.reason {
        let owner = owner(flow);
        flow.sheet.text(owner, left, top, flow.fonts.line("Reason", HEAD));
    }
    flow.y = top + HEAD.leading + flow.density.row;
    flow.rule(1.0, BLACK);
}

fn sum(flow: &mut Flow, columns: &Columns, table: Part) {
    let form = flow.form;
    let count = form.items.len();
    let lines = match count {
        0 => "No items".to_owned(),
        1 => "Total, 1 line".to_owned(),
        count if count > MAX_ITEMS => format!("Total, {count} lines, the first {MAX_ITEMS} are shown"),
        count => format!("Total, {count} lines"),
    };
    let footer = flow.sheet.part(table, Tag::TFoot);
    let row = flow.sheet.part(footer, Tag::TR);
    let top = flow.y + flow.density.row;
    let last = columns.figures.len().saturating_sub(1);
    let cell = flow.sheet.part(row, Tag::TD.with_col_span(NonZeroU32::new(3)));
    let style = VALUE.strong();
    flow.sheet.text(Some(cell), columns.description.0, top, flow.fonts.line(&lines, style));
    for (at, &(figure, right)) in columns.figures.iter().enumerate() {
        let span = if at == last && columns.reason.is_some() { NonZeroU32::new(2) } else { None };
        let cell = flow.sheet.part(row, Tag::TD.with_col_span(span));
        let text = figure.text(total(&form.items, figure));
        flow.sheet.text_right(
            Some(cell),
            right,
            top,
            flow.fonts.line(&text, Style { size: columns.size, ..style }),
        );
    }
    flow.y = top + VALUE.leading + flow.density.row;
}
