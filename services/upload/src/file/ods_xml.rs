//! Tokenizes the XML of an OpenDocument spreadsheet into the few names that matter to `ods`.
//!
//! Each start of an element is one token, even if the element is empty. Prefixes are assumed to be the usual
//! ones. The nesting depth is limited, because the reader stores the names of all open elements.

use std::io::BufReader;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::read::ZipFile;

use super::FileError;
use super::damage::damaged;

/// Maximum nesting depth. A spreadsheet has about ten levels.
const MAX_DEPTH: usize = 100;

/// The kind of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Document,
    Style,
    TableProperties,
    Table,
    Row,
    Cell,
    /// Hidden by a merged cell.
    Covered,
    Paragraph,
    /// A part of a paragraph, such as a span or a link; only its text is read.
    Inline,
    Space,
    Tab,
    Break,
    /// Inside a sheet but not one of its cells: a drawing, a form, a nested table.
    Foreign,
    Other,
}

fn name(text: &str, in_sheet: bool) -> Name {
    match text {
        "office:document-content" => Name::Document,
        "style:style" => Name::Style,
        "style:table-properties" => Name::TableProperties,
        "table:table" if !in_sheet => Name::Table,
        "table:table-row" => Name::Row,
        "table:table-cell" => Name::Cell,
        "table:covered-table-cell" => Name::Covered,
        "text:p" | "text:h" => Name::Paragraph,
        "text:span" | "text:a" | "text:ruby" | "text:ruby-base" | "text:meta" => Name::Inline,
        "text:s" => Name::Space,
        "text:tab" => Name::Tab,
        "text:line-break" => Name::Break,
        "table:table" | "table:shapes" | "office:forms" | "table:named-expressions" => Name::Foreign,
        _ => Name::Other,
    }
}

/// The attributes that are read.
const ATTRIBUTES: [&str; 14] = [
    "style:name",
    "table:display",
    "table:name",
    "table:style-name",
    "table:number-columns-repeated",
    "table:number-rows-repeated",
    "office:value-type",
    "calcext:value-type",
    "office:value",
    "office:date-value",
    "office:time-value",
    "office:boolean-value",
    "office:string-value",
    "text:c",
];

/// The start of an element.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: Name,
    /// Whether the element is empty; it then has no end token.
    pub(super) empty: bool,
    attributes: Vec<(&'static str, String)>,
}

impl Tag {
    fn of(start: &BytesStart<'_>, name: Name, empty: bool) -> Result<Self, FileError> {
        let mut attributes = Vec::new();
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| damaged(&e.to_string()))?;
            if let Some(key) = ATTRIBUTES.into_iter().find(|key| *key == attribute.key.0) {
                let value = attribute
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map_err(|e| damaged(&e.to_string()))?;
                attributes.push((key, value.into_owned()));
            }
        }
        Ok(Self { name, empty, attributes })
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }

    /// Returns a repeat count; 1 if absent.
    pub(super) fn count(&self, key: &str) -> u32 {
        self.get(key).and_then(|value| value.parse().ok()).unwrap_or(1)
    }
}

#[derive(Debug)]
pub(super) enum Token {
    Start(Tag),
    /// The end of an element, or of the whole document, even if elements are still open then.
    End(Name),
    Text(String),
}

/// Walks through the XML.
pub(super) struct Walk<'a> {
    xml: Reader<BufReader<ZipFile<'a, BufReader<std::fs::File>>>>,
    buffer: Vec<u8>,
    depth: usize,
    /// Depth of the sheet that is open, if any.
    sheet_at: Option<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(part: BufReader<ZipFile<'a, BufReader<std::fs::File>>>) -> Self {
        Self { xml: Reader::from_reader(part), buffer: Vec::new(), depth: 0, sheet_at: None }
    }

    /// Returns how many bytes of the part were read.
    pub(super) fn position(&self) -> u64 {
        self.xml.buffer_position()
    }

    pub(super) fn next(&mut self) -> Result<Token, FileError> {
        loop {
            self.buffer.clear();
            let event = self.xml.read_event_into(&mut self.buffer).map_err(|e| damaged(&e.to_string()))?;
            match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(damaged("its elements lie too deep in each other"));
                    }
                    let name = name(start.name().0, self.sheet_at.is_some());
                    if name == Name::Table {
                        self.sheet_at = Some(self.depth);
                    }
                    return Ok(Token::Start(Tag::of(&start, name, false)?));
                }
                Event::Empty(start) => {
                    return Ok(Token::Start(Tag::of(
                        &start,
                        name(start.name().0, self.sheet_at.is_some()),
                        true,
                    )?));
                }
                Event::End(end) => {
                    let name = name(end.name().0, self.sheet_at.is_some_and(|at| at != self.depth));
                    self.sheet_at = self.sheet_at.filter(|at| *at != self.depth);
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Token::End(name));
                }
                Event::Text(text) => return Ok(Token::Text(text.xml10_content().into_owned())),
                Event::CData(text) => return Ok(Token::Text(text.xml10_content().into_owned())),
                Event::GeneralRef(entity) => {
                    let character = entity.resolve_char_ref().map_err(|e| damaged(&e.to_string()))?;
                    let text = match character {
                        Some(character) => character.to_string(),
                        None => quick_xml::escape::resolve_predefined_entity(&entity)
                            .ok_or_else(|| damaged("it holds an unknown entity"))?
                            .to_owned(),
                    };
                    return Ok(Token::Text(text));
                }
                Event::Eof => return Ok(Token::End(Name::Document)),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }

    /// Skips to the end of the current element.
    pub(super) fn skip(&mut self) -> Result<(), FileError> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            if let Token::End(Name::Document) = self.next()? {
                break;
            }
        }
        Ok(())
    }

    /// Returns the displayed text of the current cell, with paragraphs as lines. Reads to the end of the
    /// cell.
    pub(super) fn text(&mut self, cell: Name, max_chars: usize) -> Result<String, FileError> {
        let room = max_chars.saturating_mul(4);
        let (mut text, mut paragraphs, mut within) = (String::new(), 0_usize, false);
        loop {
            match self.next()? {
                Token::Start(tag) if tag.name == Name::Paragraph => {
                    if paragraphs > 0 && text.len() < room {
                        text.push('\n');
                    }
                    paragraphs += 1;
                    within = !tag.empty;
                }
                Token::End(Name::Paragraph) => within = false,
                Token::Start(tag) if within && tag.name == Name::Inline => {}
                Token::Start(tag) if within && tag.name == Name::Space => {
                    let spaces = (tag.count("text:c") as usize).min(room.saturating_sub(text.len()));
                    text.extend(std::iter::repeat_n(' ', spaces));
                }
                Token::Start(tag) if within && tag.name == Name::Tab => text.push('\t'),
                Token::Start(tag) if within && tag.name == Name::Break => text.push('\n'),
                Token::Start(tag) if !tag.empty => self.skip()?,
                Token::Text(more) if within && text.len() < room => collapse(&more, &mut text),
                Token::End(name) if name == cell => return Ok(text),
                Token::End(Name::Document) => return Err(damaged("a cell has no end")),
                _ => {}
            }
        }
    }
}

/// Appends a text with any white space collapsed to one space, as the format requires.
fn collapse(more: &str, text: &mut String) {
    for c in more.chars() {
        if !matches!(c, ' ' | '\t' | '\r' | '\n') {
            text.push(c);
        } else if !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
    }
}
