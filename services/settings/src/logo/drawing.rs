//! The allowlist for SVG drawings: elements and attributes, lost parts, and limits on the work of drawing them.

use std::collections::HashMap;

use xml::attribute::OwnedAttribute;
use xml::name::OwnedName;
use xml::namespace::Namespace;

const SVG: &str = "http://www.w3.org/2000/svg";
/// Maximum nesting depth. Browsers give up on deeper nesting; drawing programs produce a few dozen levels.
const MAX_DEPTH: usize = 100;
/// Maximum number of elements that a browser draws once all references are followed.
const MAX_DRAWN: u64 = 50_000;
/// Maximum number of elements drawn, if each element used everything that style sheets refer to.
const MAX_STYLED: u64 = 500_000;
/// The number of elements that an effect counts for, because it is a pass over many pixels.
const COST_OF_EFFECT: u64 = 100;
/// Maximum number of steps from the root to an element: into content, or along references.
const MAX_STEPS: usize = 400;

/// Elements that draw something by themselves.
const SHAPES: &[&str] =
    &["circle", "ellipse", "image", "line", "path", "polygon", "polyline", "rect", "text", "use"];
/// Elements whose content is drawn only by a reference to it.
const STORES: &[&str] =
    &["clipPath", "defs", "filter", "linearGradient", "mask", "pattern", "radialGradient", "symbol"];
/// Elements that draw only what their `href` names. The first layer drops an `href` that it doesn't accept.
const REFERRING: &[&str] = &["image", "textPath", "use"];
const OTHERS: &[&str] = &["a", "desc", "g", "stop", "style", "svg", "textPath", "title", "tspan"];
/// The allowed effects. Missing are noise and lighting, which are expensive, and `feImage`, which loads
/// something from outside the drawing.
const EFFECTS: &[&str] = &[
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feMerge",
    "feMergeNode",
    "feOffset",
];
/// The functions that style sheets may use: for colors, positions and sizes.
const FUNCTIONS: &[&str] = &[
    "calc",
    "hsl",
    "hsla",
    "matrix",
    "rgb",
    "rgba",
    "rotate",
    "scale",
    "scalex",
    "scaley",
    "skewx",
    "skewy",
    "translate",
    "translatex",
    "translatey",
    "url",
];
/// Attributes whose value may be any text.
const WORDS: &[&str] = &["class", "id", "name", "title", "description", "font-family", "lang", "role"];

/// An open element, with the data that is needed when it is closed.
struct Open {
    node: usize,
    stores: bool,
    is_style: bool,
}

/// The cost of drawing an element: its own, its content's, and that of everything they refer to.
#[derive(Default)]
struct Node {
    own: u64,
    children: Vec<usize>,
    targets: Vec<String>,
}

#[derive(Default)]
pub struct Drawing {
    nodes: Vec<Node>,
    ids: HashMap<String, usize>,
    open: Vec<Open>,
    style: String,
    /// References in style sheets. The check does not resolve which elements they apply to, so they count for
    /// all elements.
    targets_of_styles: Vec<String>,
    has_room: bool,
    draws: bool,
    has_lost_parts: bool,
}

impl Drawing {
    pub fn open(&mut self, name: &OwnedName, attributes: &[OwnedAttribute], namespace: &Namespace) -> bool {
        let element = name.local_name.as_str();
        let effect = EFFECTS.contains(&element);
        let known = [SHAPES, STORES, OTHERS].iter().any(|list| list.contains(&element)) || effect;
        let plain = name.prefix.is_none() && name.namespace.as_deref() == Some(SVG);
        let is_root = self.nodes.is_empty();
        // The parser does not report namespace declarations as attributes, so check them separately.
        let declared = namespace.0.iter().all(|(prefix, uri)| match prefix.as_str() {
            "" => uri == SVG,
            "xml" | "xmlns" => true,
            _ => false,
        });
        if !known || !plain || !declared || self.open.len() >= MAX_DEPTH {
            return false;
        }
        if is_root != (self.open.is_empty()) || (is_root && element != "svg") {
            return false;
        }
        let mut node = Node { own: if effect { COST_OF_EFFECT } else { 1 }, ..Node::default() };
        for attribute in attributes {
            if attribute.name.prefix.is_some() || !is_harmless(element, attribute, &mut node.targets) {
                return false;
            }
            if attribute.name.local_name == "id" {
                // Refuse duplicate ids, because browsers may resolve them differently.
                if self.ids.insert(attribute.value.clone(), self.nodes.len()).is_some() {
                    return false;
                }
            }
        }
        if is_root {
            self.has_room = has_room(attributes);
        }
        let refers = attributes.iter().any(|attribute| attribute.name.local_name == "href");
        self.has_lost_parts |= REFERRING.contains(&element) && !refers;
        let stores = self.open.last().is_some_and(|within| within.stores) || STORES.contains(&element);
        self.draws |= !stores && SHAPES.contains(&element);
        let at = self.nodes.len();
        if let Some(within) = self.open.last() {
            self.nodes[within.node].children.push(at);
        }
        self.nodes.push(node);
        self.open.push(Open { node: at, stores, is_style: element == "style" });
        true
    }

    pub fn close(&mut self) -> bool {
        let Some(closed) = self.open.pop() else { return false };
        if !closed.is_style {
            return true;
        }
        let style = std::mem::take(&mut self.style);
        self.has_lost_parts |= has_lost_selectors(&style);
        is_harmless_style(&style, &mut self.targets_of_styles)
    }

    pub fn text(&mut self, text: &str) -> bool {
        if self.open.last().is_some_and(|within| within.is_style) {
            self.style.push_str(text);
        }
        true
    }

    pub fn has_room(&self) -> bool {
        self.has_room
    }

    pub fn draws(&self) -> bool {
        self.draws
    }

    /// Returns whether nothing is missing that other parts refer to.
    pub fn is_complete(&self) -> bool {
        let mut targets = self.nodes.iter().flat_map(|node| &node.targets).chain(&self.targets_of_styles);
        // No reference leads to an empty id.
        !self.has_lost_parts && targets.all(|target| !target.is_empty() && self.ids.contains_key(target))
    }

    /// Returns whether drawing is cheap. References can multiply the work with every step, or form a cycle.
    pub fn is_cheap(&self) -> bool {
        let mut costs = vec![Cost::Unknown; self.nodes.len()];
        let Some(drawn) = self.cost(0, &mut costs, 0) else { return false };
        let Some(styles) = self.sum(&self.targets_of_styles, &mut costs, 0) else { return false };
        drawn <= MAX_DRAWN && drawn.saturating_mul(styles.saturating_add(1)) <= MAX_STYLED
    }

    fn sum(&self, targets: &[String], costs: &mut [Cost], steps: usize) -> Option<u64> {
        let mut sum = 0_u64;
        for &node in targets.iter().filter_map(|target| self.ids.get(target)) {
            sum = sum.saturating_add(self.cost(node, costs, steps)?);
        }
        Some(sum)
    }

    /// Returns the cost of drawing a node; `None` if there is a cycle or the steps are too many.
    fn cost(&self, node: usize, costs: &mut [Cost], steps: usize) -> Option<u64> {
        match costs[node] {
            Cost::Known(cost) => return Some(cost),
            Cost::Open => return None,
            Cost::Unknown if steps > MAX_STEPS => return None,
            Cost::Unknown => {}
        }
        costs[node] = Cost::Open;
        let Node { own, children, targets } = &self.nodes[node];
        let mut cost = self.sum(targets, costs, steps + 1)?.saturating_add(*own);
        for &child in children {
            cost = cost.saturating_add(self.cost(child, costs, steps + 1)?);
        }
        costs[node] = Cost::Known(cost);
        Some(cost)
    }
}

#[derive(Clone, Copy)]
enum Cost {
    Unknown,
    Open,
    Known(u64),
}

/// Returns whether the root has a size or a viewBox. Without either the browser chooses a size.
fn has_room(attributes: &[OwnedAttribute]) -> bool {
    let of = |name: &str| attributes.iter().find(|it| it.name.local_name == name).map(|it| it.value.trim());
    let positive = |number: &str| number.parse::<f64>().is_ok_and(|it| it.is_finite() && it > 0.0);
    let length = |text: &str| {
        let units = ["px", "pt", "pc", "mm", "cm", "in", "em", "ex"];
        positive(units.iter().find_map(|unit| text.strip_suffix(unit)).unwrap_or(text).trim())
    };
    let parts = |text: &str| {
        let numbers: Vec<&str> =
            text.split([' ', ',', '\t', '\n', '\r']).filter(|it| !it.is_empty()).collect();
        let all = numbers.iter().all(|it| it.parse::<f64>().is_ok_and(f64::is_finite));
        all && matches!(numbers[..], [_, _, width, height] if positive(width) && positive(height))
    };
    match of("viewBox") {
        Some(view) => parts(view),
        None => of("width").is_some_and(length) && of("height").is_some_and(length),
    }
}

/// Returns whether a selector in a style sheet isn't ASCII. It matches nothing, because the first layer drops such
/// letters from classes and ids, but not from style sheets.
fn has_lost_selectors(style: &str) -> bool {
    style.split('}').filter_map(|rule| rule.split_once('{')).any(|(selectors, _)| !selectors.is_ascii())
}

fn is_harmless(element: &str, attribute: &OwnedAttribute, targets: &mut Vec<String>) -> bool {
    let (name, value) = (attribute.name.local_name.as_str(), attribute.value.as_str());
    if name.to_ascii_lowercase().starts_with("on") {
        return false;
    }
    if name == "href" {
        return match value.strip_prefix('#') {
            Some(id) => {
                targets.push(id.to_owned());
                true
            }
            None => element == "image" && value.starts_with("data:image/png;base64,"),
        };
    }
    if WORDS.contains(&name) || name.starts_with("aria-") || name.starts_with("data-") {
        return true;
    }
    is_harmless_style(value, targets)
}

/// Returns whether a style loads nothing, imports nothing and hides nothing. Appends its references to
/// `targets`.
fn is_harmless_style(style: &str, targets: &mut Vec<String>) -> bool {
    // Refuse escapes, which can spell anything, and comments, which can split a word.
    let forbidden = ["/*", "//", "javascript:"];
    if style.contains(['\\', '@', '<']) || forbidden.iter().any(|part| style.contains(part)) {
        return false;
    }
    let folded = style.to_ascii_lowercase();
    for (at, _) in folded.match_indices('(') {
        let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || !c.is_ascii();
        let function = folded[..at].rsplit(|c| !part_of_word(c)).next().unwrap_or_default();
        // Within calc, parentheses may have no function name before them.
        if !function.is_empty() && !FUNCTIONS.contains(&function) {
            return false;
        }
        if function == "url" {
            let within = style[at + 1..].split(')').next().unwrap_or_default();
            let Some(id) = within.trim().trim_matches(['"', '\'']).strip_prefix('#') else { return false };
            targets.push(id.to_owned());
        }
    }
    true
}

#[cfg(test)]
#[path = "drawing_tests.rs"]
mod tests;
