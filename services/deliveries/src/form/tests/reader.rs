//! As much of a PDF reader as it takes to see what a form says: which texts are on which page, in which
//! font, and which pictures there are.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use flate2::read::ZlibDecoder;

pub struct Pdf {
    objects: BTreeMap<u32, Object>,
}

struct Object {
    dictionary: String,
    stream: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub text: String,
    pub font: String,
    pub size: f32,
}

struct Font {
    name: String,
    letters: HashMap<u16, String>,
}

enum Token {
    Bytes(Vec<u8>),
    Word(String),
}

impl Pdf {
    pub fn read(bytes: &[u8]) -> Self {
        let mut objects = BTreeMap::new();
        let mut at = find(bytes, b" 0 obj\n", 0);
        while let Some(header) = at {
            let digits = bytes[..header].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let number = std::str::from_utf8(&bytes[header - digits..header]).unwrap().parse().unwrap();
            let start = header + b" 0 obj\n".len();
            let end = find(bytes, b"\nendobj", start).unwrap();
            let stream = find(bytes, b"\nstream\n", start).filter(|stream| *stream < end);
            let dictionary = String::from_utf8_lossy(&bytes[start..stream.unwrap_or(end)]).into_owned();
            let mut object = Object { dictionary, stream: Vec::new() };
            let mut next = end;
            if let Some(stream) = stream {
                let from = stream + b"\nstream\n".len();
                next = from + object.number("/Length ").unwrap();
                object.stream = bytes[from..next].to_vec();
            }
            objects.insert(number, object);
            at = find(bytes, b" 0 obj\n", next);
        }
        Self { objects }
    }

    pub fn catalog(&self) -> &str {
        &self.all("/Type/Catalog").next().unwrap().dictionary
    }

    /// Dictionaries that have that text in them.
    pub fn count(&self, text: &str) -> usize {
        self.objects.values().map(|object| object.dictionary.matches(text).count()).sum()
    }

    /// Width and height of the pictures, in the order in which they are in the file.
    pub fn pictures(&self) -> Vec<(usize, usize)> {
        let size = |object: &Object| Some((object.number("/Width ")?, object.number("/Height ")?));
        self.all("/Subtype/Image").filter_map(size).collect()
    }

    pub fn pages(&self) -> Vec<Vec<Text>> {
        let tree = self.all("/Type/Pages").next().unwrap();
        let kids = tree.dictionary.split_once("/Kids[").unwrap().1.split_once(']').unwrap().0;
        let numbers = kids.split(" 0 R").filter_map(|number| number.trim().parse().ok());
        numbers.map(|number: u32| self.texts(&self.objects[&number])).collect()
    }

    fn all(&self, text: &'static str) -> impl Iterator<Item = &Object> {
        self.objects.values().filter(move |object| object.dictionary.contains(text))
    }

    fn object(&self, of: &Object, key: &str) -> &Object {
        &self.objects[&(of.number(key).unwrap() as u32)]
    }

    fn texts(&self, page: &Object) -> Vec<Text> {
        let fonts = self.fonts(self.object(page, "/Resources "));
        let mut texts: Vec<Text> = Vec::new();
        let mut operands: Vec<Token> = Vec::new();
        // Of what is open: what is read in its place.
        let mut open: Vec<Option<String>> = Vec::new();
        let mut font = None;
        let mut size = 0.0;
        let mut is_new = true;
        for token in tokens(&inflated(&self.object(page, "/Contents ").stream)) {
            let Token::Word(word) = token else {
                operands.push(token);
                continue;
            };
            let said = match word.as_str() {
                "BMC" | "BDC" => {
                    is_new |= open.is_empty();
                    open.push(actual_text(&operands));
                    open.last().unwrap().clone()
                }
                "EMC" => {
                    open.pop();
                    None
                }
                "Tf" => {
                    let [.., Token::Word(name), Token::Word(points)] = operands.as_slice() else { panic!() };
                    font = Some(&fonts[name]);
                    size = points.parse().unwrap();
                    None
                }
                "Tj" | "TJ" if open.iter().all(Option::is_none) => {
                    Some(operands.iter().map(|operand| font.unwrap().read(operand)).collect())
                }
                "Tj" | "TJ" | "q" | "Q" | "cm" | "cs" | "CS" | "scn" | "SCN" | "BT" | "ET" | "Tr" | "Tm" => None,
                _ => {
                    operands.push(Token::Word(word));
                    continue;
                }
            };
            operands.clear();
            if let Some(said) = said {
                match texts.last_mut() {
                    Some(last) if !is_new => last.text.push_str(&said),
                    _ => texts.push(Text { text: said, font: String::new(), size: 0.0 }),
                }
                is_new = false;
            }
            if let (Some(last), Some(font), false) = (texts.last_mut(), font, is_new) {
                last.font.clone_from(&font.name);
                last.size = size;
            }
        }
        texts
    }

    fn fonts(&self, resources: &Object) -> HashMap<String, Font> {
        let listed = resources.dictionary.split_once("/Font<<").unwrap().1.split_once(">>").unwrap().0;
        let fonts = listed.split(" 0 R").filter_map(|entry| entry.rsplit_once(' '));
        fonts
            .map(|(key, number)| {
                let object = &self.objects[&number.parse().unwrap()];
                let letters = inflated(&self.object(object, "/ToUnicode ").stream);
                let name = object.dictionary.split_once("/BaseFont/").unwrap().1;
                let name = name.split('/').next().unwrap().to_owned();
                (key.to_owned(), Font { name, letters: to_unicode(&String::from_utf8(letters).unwrap()) })
            })
            .collect()
    }
}

impl Object {
    fn number(&self, key: &str) -> Option<usize> {
        let rest = self.dictionary.split_once(key)?.1;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }
}

impl Font {
    fn read(&self, token: &Token) -> String {
        let Token::Bytes(bytes) = token else { return String::new() };
        let codes = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        codes.map(|code| self.letters[&code].as_str()).collect()
    }
}

fn to_unicode(map: &str) -> HashMap<u16, String> {
    let pair = |line: &str| {
        let (code, text) = line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <")?;
        Some((u16::from_str_radix(code, 16).ok()?, utf16(&hex(text.as_bytes()))))
    };
    let chars = map.lines().filter_map(pair).filter(|(code, text)| (*code, text.as_str()) != (0, "\u{ffff}"));
    chars.collect()
}

fn actual_text(operands: &[Token]) -> Option<String> {
    let at = operands.iter().position(|it| matches!(it, Token::Word(word) if word == "/ActualText"))?;
    let Token::Bytes(bytes) = &operands[at + 1] else { panic!() };
    Some(match bytes.strip_prefix(&[0xfe, 0xff]) {
        Some(bytes) => utf16(bytes),
        None => String::from_utf8(bytes.clone()).unwrap(),
    })
}

fn utf16(bytes: &[u8]) -> String {
    let units: Vec<_> = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    String::from_utf16(&units).unwrap()
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<_> = digits.iter().filter_map(|digit| (*digit as char).to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair.get(1).unwrap_or(&0)) as u8).collect()
}

fn tokens(content: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < content.len() {
        match content[at] {
            b'(' => {
                let (bytes, end) = literal(content, at + 1);
                tokens.push(Token::Bytes(bytes));
                at = end;
            }
            b'<' if content[at + 1] != b'<' => {
                let end = find(content, b">", at).unwrap();
                tokens.push(Token::Bytes(hex(&content[at + 1..end])));
                at = end + 1;
            }
            b'<' | b'>' | b'[' | b']' => at += 1,
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let rest = &content[at + 1..];
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"()<>[]/".contains(byte);
                let end = at + 1 + rest.iter().position(is_end).unwrap_or(rest.len());
                tokens.push(Token::Word(String::from_utf8(content[at..end].to_vec()).unwrap()));
                at = end;
            }
        }
    }
    tokens
}

/// A string in parentheses, and where it ends.
fn literal(content: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    let mut depth = 0;
    loop {
        let byte = content[at];
        at += 1;
        match byte {
            b'\\' => {
                let digits: String = content[at..at + 3]
                    .iter()
                    .take_while(|digit| (b'0'..b'8').contains(digit))
                    .map(|digit| *digit as char)
                    .collect();
                if digits.is_empty() {
                    bytes.push(match content[at] {
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'b' => 8,
                        b'f' => 12,
                        byte => byte,
                    });
                    at += 1;
                } else {
                    bytes.push(u8::from_str_radix(&digits, 8).unwrap());
                    at += digits.len();
                }
            }
            b')' if depth == 0 => return (bytes, at),
            _ => {
                depth += i32::from(byte == b'(') - i32::from(byte == b')');
                bytes.push(byte);
            }
        }
    }
}

fn inflated(bytes: &[u8]) -> Vec<u8> {
    let mut inflated = Vec::new();
    ZlibDecoder::new(bytes).read_to_end(&mut inflated).unwrap();
    inflated
}

fn find(bytes: &[u8], text: &[u8], from: usize) -> Option<usize> {
    bytes[from..].windows(text.len()).position(|window| window == text).map(|at| from + at)
}
