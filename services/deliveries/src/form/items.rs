//! The table of items. Its header is repeated on every page; the cells of a row are never split.

use krilla::tagging::{TableHeaderScope, Tag};
use proto::deliveries::v1::{FormColumnKind as Kind, FormRow, FormTable};

use super::flow::{Flow, HAIR, LABEL, TEXT, VALUE};
use super::font::{Line, Style};
use super::sheet::{BLACK, Owner, Part, WHOLE};

const HEAD: Style = Style { gray: BLACK, ..LABEL }.strong();
const NOTE: Style = Style { size: 11.5, leading: 16.0, gray: 0x33, ..TEXT };
/// Space from the edge of the table to its text, and between columns.
const INSET: f32 = 6.0;
const GAP: f32 = 13.0;
/// Minimum width of a description; a narrower column would have a line per syllable.
const DESCRIPTION: f32 = 130.0;
/// Maximum number of lines of a cell; more than any field fills.
const MAX_LINES: usize = 34;

/// One column of the table.
#[derive(Clone, Copy)]
struct Column {
    /// Index of the column in the form's description.
    at: usize,
    kind: Kind,
    left: f32,
    width: f32,
}

/// The positions of the columns.
struct Columns {
    shown: Vec<Column>,
    /// Font size of quantities.
    size: f32,
    /// The column that does not fit: its text is placed below the row.
    folded: Option<usize>,
}

struct Row {
    cells: Vec<Vec<Line>>,
    /// Texts drawn across the table, below the cells.
    notes: Vec<Line>,
    /// Height of the cells.
    height: f32,
}

pub fn table(flow: &mut Flow) {
    let Some(table) = &flow.words.items else { return };
    if table.rows.is_empty() {
        flow.room(VALUE.leading);
        let part = flow.sheet.part(WHOLE, Tag::P);
        flow.sheet.text(Some(part), flow.left, flow.y, flow.fonts.line(&table.empty, TEXT));
        flow.y += VALUE.leading;
        return;
    }
    let columns = Columns::of(flow, table);
    let part = flow.sheet.part(WHOLE, Tag::Table);
    flow.room(3.0 * VALUE.leading + 6.0 * flow.density.row);
    let header = flow.sheet.part(part, Tag::THead);
    head(flow, table, &columns, Some(header));
    let body = flow.sheet.part(part, Tag::TBody);
    let totals: Vec<_> = table.totals.iter().map(|row| Row::of(flow, &columns, row)).collect();
    let total = totals.first().map_or(0.0, |row| row.height);
    for (at, row) in table.rows.iter().enumerate() {
        let row = Row::of(flow, &columns, row);
        // Keep the last row and the first total on one page.
        let below = if at + 1 == table.rows.len() { total } else { 0.0 };
        row.draw(flow, table, &columns, body, below);
        flow.rule(1.0, HAIR);
    }
    let footer = flow.sheet.part(part, Tag::TFoot);
    for row in totals {
        row.draw(flow, table, &columns, footer, 0.0);
    }
}

impl Columns {
    fn of(flow: &Flow, table: &FormTable) -> Self {
        let folded = table.columns.iter().position(|column| column.kind() == Kind::Reason);
        // Try all columns, then all but the one for reasons, then smaller quantities.
        let tries = [(VALUE.size, None), (VALUE.size, folded), (10.0, folded), (8.0, folded)];
        let mut fits = tries.into_iter().map(|(size, folded)| Self::place(flow, table, size, folded));
        fits.find(Self::is_readable).unwrap_or_else(|| Self::place(flow, table, 6.0, folded))
    }

    fn is_readable(&self) -> bool {
        let mut descriptions = self.shown.iter().filter(|it| it.kind == Kind::Description);
        descriptions.all(|it| it.width >= DESCRIPTION)
    }

    /// Places the columns; the description gets the remaining width.
    fn place(flow: &Flow, table: &FormTable, size: f32, folded: Option<usize>) -> Self {
        let kinds = table.columns.iter().map(|column| column.kind()).enumerate();
        let kinds: Vec<_> = kinds.filter(|(at, _)| Some(*at) != folded).collect();
        let width = |&(at, kind): &(usize, Kind)| widest(flow, table, at, kind, size);
        let widths: Vec<_> = kinds.iter().map(width).collect();
        let taken = widths.iter().sum::<f32>() + GAP * (kinds.len().saturating_sub(1)) as f32;
        let rest = flow.width() - 2.0 * INSET - taken;
        let mut left = flow.left + INSET;
        let mut shown = Vec::new();
        for ((at, kind), width) in kinds.into_iter().zip(widths) {
            let width = if kind == Kind::Description { rest } else { width };
            shown.push(Column { at, kind, left, width });
            left += width + GAP;
        }
        Self { shown, size, folded }
    }
}

/// Returns the width that a column needs, including title and totals.
fn widest(flow: &Flow, table: &FormTable, at: usize, kind: Kind, size: f32) -> f32 {
    let rows = table.rows.iter().chain(&table.totals);
    let cells = rows.filter_map(|row| row.cells.get(at));
    let (least, most) = match kind {
        Kind::Description => return 0.0,
        Kind::Number => (30.0, 72.0),
        Kind::Unit => (30.0, 64.0),
        Kind::Reason => (100.0, 146.0),
        Kind::Quantity | Kind::Unspecified => {
            // Digits and signs have equal widths, so the longest text is the widest.
            let digits = "0".repeat(cells.map(|cell| cell.chars().count()).max().unwrap_or(0));
            let digits = flow.fonts.line(&digits, Style { size, ..VALUE.strong() }).width;
            let title = table.columns.get(at).map_or("", |column| column.title.as_str());
            return digits.max(flow.fonts.line(title, HEAD).width).max(56.0);
        }
    };
    cells.map(|cell| flow.fonts.line(cell, VALUE.strong()).width).fold(least, f32::max).min(most)
}

impl Row {
    fn of(flow: &Flow, columns: &Columns, row: &FormRow) -> Self {
        let fonts = flow.fonts;
        let style = if row.strong { VALUE.strong() } else { VALUE };
        let text = |at: usize| row.cells.get(at).map_or("", String::as_str);
        let cell = |column: &Column| match column.kind {
            Kind::Quantity => vec![fonts.line(text(column.at), Style { size: columns.size, ..style })],
            _ => fonts.wrap_most(text(column.at), style, column.width, MAX_LINES),
        };
        let cells: Vec<_> = columns.shown.iter().map(cell).collect();
        let lines = cells.iter().map(Vec::len).fold(1, usize::max);
        let left = columns.notes_left(flow);
        let folded = columns.folded.map(text).filter(|text| !text.is_empty());
        let notes = folded.into_iter().chain(row.notes.iter().map(String::as_str));
        let notes = notes.flat_map(|note| fonts.wrap(note, NOTE, flow.right - INSET - left)).collect();
        Self { cells, notes, height: lines as f32 * VALUE.leading + 2.0 * flow.density.row }
    }

    /// Draws a row. Starts a new page if the cells, the first three lines of notes and the height `below` do
    /// not fit together.
    fn draw(self, flow: &mut Flow, table: &FormTable, columns: &Columns, body: Part, below: f32) {
        let notes = self.notes.len().min(3) as f32 * NOTE.leading;
        if flow.room(self.height + notes + below) {
            head(flow, table, columns, None);
        }
        let row = flow.sheet.part(body, Tag::TR);
        let top = flow.y + flow.density.row;
        // Tag the notes as part of the description's cell, so that screen readers read them after it.
        let mut owner = None;
        for (lines, column) in self.cells.into_iter().zip(&columns.shown) {
            let cell = flow.sheet.part(row, Tag::TD);
            if column.kind == Kind::Description {
                owner = Some(cell);
            }
            let mut y = top;
            for line in lines {
                let leading = line.style.leading;
                let is_figure = column.kind == Kind::Quantity;
                let left = if is_figure { column.left + column.width - line.width } else { column.left };
                flow.sheet.text(Some(cell), left, y, line);
                y += leading;
            }
        }
        flow.y += self.height - flow.density.row;
        let left = columns.notes_left(flow);
        for line in self.notes {
            if flow.room(NOTE.leading + flow.density.row) {
                head(flow, table, columns, None);
                flow.y += flow.density.row;
            }
            flow.sheet.text(owner, left, flow.y, line);
            flow.y += NOTE.leading;
        }
        flow.y += flow.density.row;
    }
}

impl Columns {
    fn notes_left(&self, flow: &Flow) -> f32 {
        let description = self.shown.iter().find(|column| column.kind == Kind::Description);
        description.map_or(flow.left + INSET, |column| column.left)
    }
}

/// Draws the titles of the columns. Further pages pass no `header`: screen readers read the titles once.
fn head(flow: &mut Flow, table: &FormTable, columns: &Columns, header: Option<Part>) {
    flow.rule(1.0, BLACK);
    let row = header.map(|header| flow.sheet.part(header, Tag::TR));
    let top = flow.y + flow.density.row;
    for column in &columns.shown {
        let title = table.columns.get(column.at).map_or("", |it| it.title.as_str());
        let owner: Owner = row.map(|row| flow.sheet.part(row, Tag::TH(TableHeaderScope::Column)));
        let line = flow.fonts.line(title, HEAD);
        let is_figure = column.kind == Kind::Quantity;
        let left = if is_figure { column.left + column.width - line.width } else { column.left };
        flow.sheet.text(owner, left, top, line);
    }
    flow.y = top + HEAD.leading + flow.density.row;
    flow.rule(1.0, BLACK);
}
