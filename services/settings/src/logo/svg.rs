//! Reduces a drawing to parts that only draw.
//!
//! There are two layers that do not rely on each other: `svg-hush` drops everything that it recognizes as
//! dangerous and rewrites what is left; then [`check`] reads the result and refuses everything that is not on
//! its own, shorter lists, and drawings that lost parts. Nothing moves, nothing is loaded, and the cost of
//! drawing is bounded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kit::Result;
use kit::blob::MAX_PUBLISHED_LOGO_BYTES;
use svg_hush::data_url_filter::{DataUrl, DataUrlFilterResult};
use xml::reader::{ParserConfig, XmlEvent};

use super::drawing::Drawing;
use super::pixels::{invalid, png};

const MAX_ELEMENTS: usize = 5_000;
const MAX_PICTURES: usize = 4;
const MAX_PIXELS_WITHIN: u64 = 4_000_000;

/// Returns a safe form of the drawing. Fails if there is none.
pub fn clean(bytes: &[u8]) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(bytes).map_err(|_| invalid("Choose an SVG, JPEG or PNG file."))?;
    let text = text.trim_start_matches('\u{feff}');
    if !text.trim_start().starts_with('<') {
        return Err(invalid("Choose an SVG, JPEG or PNG file."));
    }
    let folded = text.to_ascii_lowercase();
    if folded.contains("<!doctype") || folded.contains("<!entity") {
        return Err(invalid("Save the SVG without a document type."));
    }
    // Count the elements before parsing builds anything from them.
    let starts = text.as_bytes().windows(2).filter(|pair| pair[0] == b'<' && !b"/!?".contains(&pair[1]));
    if starts.count() > MAX_ELEMENTS {
        return Err(invalid("The SVG is too complicated. Save it in a simpler form, or as PNG."));
    }
    let mut cleaned = Vec::with_capacity(text.len());
    filter()
        .filter(text.as_bytes(), &mut cleaned)
        .map_err(|error| invalid("The SVG cannot be read. Save it again, or as PNG.").with_source(error))?;
    if cleaned.len() as u64 > MAX_PUBLISHED_LOGO_BYTES {
        return Err(invalid("The SVG is too large. Save it in a simpler form, or as PNG."));
    }
    check(&cleaned)?;
    Ok(cleaned)
}

/// Returns the filter that encodes embedded pictures anew as small PNGs and drops all other data URLs.
fn filter() -> svg_hush::Filter {
    let mut filter = svg_hush::Filter::new();
    let seen = Arc::new(AtomicUsize::new(0));
    filter.set_data_url_filter(move |url: &DataUrl| {
        if seen.fetch_add(1, Ordering::Relaxed) >= MAX_PICTURES {
            return DataUrlFilterResult::Drop;
        }
        let rewritten = url.decode_to_vec().ok().and_then(|(data, _)| png(&data, MAX_PIXELS_WITHIN).ok());
        match rewritten {
            Some(data) => DataUrlFilterResult::Rewrite { mime_type: "image/png".to_owned(), data },
            None => DataUrlFilterResult::Drop,
        }
    });
    filter
}

/// Refuses everything that is not known to be harmless.
pub(super) fn check(bytes: &[u8]) -> Result<()> {
    let refused =
        || invalid("The SVG has elements that aren't allowed in a logo. Simplify it, or save it as PNG.");
    let reader = ParserConfig::new().ignore_comments(false).create_reader(bytes);
    let mut drawing = Drawing::default();
    for event in reader {
        let is_fine = match event.map_err(|error| refused().with_source(error))? {
            XmlEvent::StartElement { name, attributes, namespace } => {
                drawing.open(&name, &attributes, &namespace)
            }
            XmlEvent::EndElement { .. } => drawing.close(),
            XmlEvent::Characters(text) | XmlEvent::Whitespace(text) => drawing.text(&text),
            XmlEvent::StartDocument { .. } | XmlEvent::EndDocument => true,
            XmlEvent::ProcessingInstruction { .. }
            | XmlEvent::CData(_)
            | XmlEvent::Comment(_)
            | XmlEvent::Doctype { .. } => false,
        };
        if !is_fine {
            return Err(refused());
        }
    }
    if !drawing.has_room() {
        return Err(invalid("The SVG has neither a size nor a viewBox. Save it again, or as PNG."));
    }
    if !drawing.is_complete() {
        return Err(invalid(
            "Parts of the SVG are missing or would be lost, such as large pictures, text on a path, or gradients and styles with letters other than A–Z in their names. Save it as PNG.",
        ));
    }
    if !drawing.draws() {
        return Err(invalid("The SVG has no visible content."));
    }
    if !drawing.is_cheap() {
        return Err(invalid("The SVG is too complicated. Save it in a simpler form, or as PNG."));
    }
    Ok(())
}
