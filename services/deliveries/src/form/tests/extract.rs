//! Extracts the text of a PDF like a program that has only the file: from the page's operators, the fonts'
//! character maps, and replacement texts. Supports what our files contain.

use std::collections::HashMap;
use std::io::Read;

use flate2::read::ZlibDecoder;

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Name(String),
    Text(Vec<u8>),
    Number(f64),
    List(Vec<Value>),
    Map(HashMap<String, Value>),
    /// A reference to another object.
    Object(u32),
    Word(String),
}

impl Value {
    fn get(&self, key: &str) -> Option<&Value> {
        if let Self::Map(map) = self { map.get(key) } else { None }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        while self.at < self.bytes.len() && (self.peek().is_ascii_whitespace() || self.peek() == b'%') {
            if self.peek() == b'%' {
                while self.at < self.bytes.len() && self.peek() != b'\n' {
                    self.at += 1;
                }
            } else {
                self.at += 1;
            }
        }
    }

    fn token(&mut self) -> String {
        let start = self.at;
        while self.at < self.bytes.len()
            && !self.peek().is_ascii_whitespace()
            && !b"()<>[]/%".contains(&self.peek())
        {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned()
    }

    fn value(&mut self) -> Option<Value> {
        self.skip_space();
        if self.at >= self.bytes.len() {
            return None;
        }
        let pair = (self.peek(), self.bytes.get(self.at + 1).copied().unwrap_or(0));
        Some(match pair {
            (b'/', _) => {
                self.at += 1;
                Value::Name(self.token())
            }
            (b'(', _) => Value::Text(self.text()),
            (b'<', b'<') => {
                self.at += 2;
                Value::Map(self.map())
            }
            (b'<', _) => Value::Text(self.hex()),
            (b'[', _) => {
                self.at += 1;
                Value::List(self.until("]"))
            }
            (b']', _) => {
                self.at += 1;
                Value::Word("]".to_owned())
            }
            (b'>', b'>') => {
                self.at += 2;
                Value::Word(">>".to_owned())
            }
            _ => self.number_or_word(),
        })
    }

    fn number_or_word(&mut self) -> Value {
        let token = self.token();
        assert!(!token.is_empty(), "what is this at {}", self.at);
        let Ok(number) = token.parse::<f64>() else { return Value::Word(token) };
        // `12 0 R` is a reference.
        let back = self.at;
        self.skip_space();
        if self.token() == "0" {
            self.skip_space();
            if self.token() == "R" {
                return Value::Object(number as u32);
            }
        }
        self.at = back;
        Value::Number(number)
    }

    fn until(&mut self, end: &str) -> Vec<Value> {
        let mut values = Vec::new();
        while let Some(value) = self.value().filter(|value| *value != Value::Word(end.to_owned())) {
            values.push(value);
        }
        values
    }

    fn map(&mut self) -> HashMap<String, Value> {
        let values = self.until(">>");
        let pairs = values.chunks_exact(2).filter_map(|pair| match &pair[0] {
            Value::Name(name) => Some((name.clone(), pair[1].clone())),
            _ => None,
        });
        pairs.collect()
    }

    fn hex(&mut self) -> Vec<u8> {
        let start = self.at + 1;
        while self.peek() != b'>' {
            self.at += 1;
        }
        self.at += 1;
        hex::decode(&self.bytes[start..self.at - 1]).unwrap()
    }

    fn text(&mut self) -> Vec<u8> {
        let (mut text, mut depth) = (Vec::new(), 0);
        loop {
            let byte = self.peek();
            self.at += 1;
            match byte {
                b'(' if depth == 0 => depth = 1,
                b'(' => {
                    depth += 1;
                    text.push(byte);
                }
                b')' if depth == 1 => return text,
                b')' => {
                    depth -= 1;
                    text.push(byte);
                }
                b'\\' => text.push(self.escaped()),
                _ => text.push(byte),
            }
        }
    }

    fn escaped(&mut self) -> u8 {
        let byte = self.peek();
        self.at += 1;
        match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    if (b'0'..=b'7').contains(&self.peek()) {
                        code = code * 8 + u32::from(self.peek() - b'0');
                        self.at += 1;
                    }
                }
                code as u8
            }
            _ => byte,
        }
    }
}

struct Object {
    value: Value,
    stream: Vec<u8>,
}

fn objects(pdf: &[u8]) -> HashMap<u32, Object> {
    let mut objects = HashMap::new();
    let mut at = 0;
    let find = |what: &[u8], from: usize| {
        Some(from + pdf.get(from..)?.windows(what.len()).position(|it| it == what)?)
    };
    while let Some(start) = find(b" 0 obj", at) {
        let digits = pdf[..start].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&pdf[start - digits..start]).unwrap().parse().unwrap();
        let mut reader = Reader { bytes: pdf, at: start + 6 };
        let value = reader.value().unwrap();
        let mut stream = Vec::new();
        reader.skip_space();
        at = reader.at;
        if pdf[at..].starts_with(b"stream") {
            at += 6 + pdf[at + 6..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count().min(2);
            let Some(Value::Number(length)) = value.get("Length") else { panic!("a stream of no length") };
            stream = pdf[at..at + *length as usize].to_vec();
            at += stream.len();
            if value.get("Filter") == Some(&Value::Name("FlateDecode".to_owned())) {
                let mut unpacked = Vec::new();
                ZlibDecoder::new(stream.as_slice()).read_to_end(&mut unpacked).unwrap();
                stream = unpacked;
            }
        }
        objects.insert(number, Object { value, stream });
    }
    objects
}

/// Returns the character for each code of a font.
fn characters(map: &[u8]) -> HashMap<u16, String> {
    let mut reader = Reader { bytes: map, at: 0 };
    let mut characters = HashMap::new();
    let mut before: Vec<Value> = Vec::new();
    while let Some(value) = reader.value() {
        let Value::Word(word) = &value else {
            before.push(value);
            continue;
        };
        let texts: Vec<&[u8]> = before
            .iter()
            .filter_map(|it| if let Value::Text(text) = it { Some(text.as_slice()) } else { None })
            .collect();
        match word.as_str() {
            "endbfchar" => {
                for pair in texts.chunks_exact(2) {
                    characters.insert(code(pair[0]), utf16(pair[1]));
                }
            }
            "endbfrange" => panic!("ranges are not written"),
            _ => {}
        }
        before.clear();
    }
    characters
}

fn code(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |code, byte| (code << 8) | u16::from(*byte))
}

fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(code).collect();
    String::from_utf16(&units).unwrap()
}

/// Decodes a text that uses no font, such as a replacement text.
fn spoken(bytes: &[u8]) -> String {
    match bytes.strip_prefix(b"\xfe\xff") {
        Some(rest) => utf16(rest),
        None => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Returns the text of the pages, without decoration. Fails if a box is drawn in place of a character.
pub fn pages(pdf: &[u8]) -> Vec<String> {
    let objects = objects(pdf);
    let root = objects.values().find(|it| it.value.get("Type") == Some(&Value::Name("Pages".to_owned())));
    let Some(Value::List(kids)) = root.and_then(|it| it.value.get("Kids")) else { panic!("no pages") };
    let deref = |value: &Value| match value {
        Value::Object(number) => objects[number].value.clone(),
        value => value.clone(),
    };
    let page = |kid: &Value| {
        let page = deref(kid);
        let resources = deref(page.get("Resources").unwrap());
        let fonts = resources.get("Font").map(deref);
        let mut maps = HashMap::new();
        if let Some(Value::Map(fonts)) = fonts {
            for (name, font) in fonts {
                let Some(Value::Object(map)) = deref(&font).get("ToUnicode").cloned() else {
                    panic!("{name} cannot be read")
                };
                maps.insert(name, characters(&objects[&map].stream));
            }
        }
        let Some(Value::Object(content)) = page.get("Contents") else { panic!("an empty page") };
        text(&objects[content].stream, &maps)
    };
    kids.iter().map(page).collect()
}

/// How marked content affects the text in it.
#[derive(Clone, Copy, PartialEq)]
enum Marked {
    Plain,
    /// A screen reader skips the text or reads its replacement.
    Silent,
}

fn text(content: &[u8], fonts: &HashMap<String, HashMap<u16, String>>) -> String {
    let mut reader = Reader { bytes: content, at: 0 };
    let (mut text, mut before, mut marks) = (String::new(), Vec::new(), Vec::new());
    let mut font = None;
    while let Some(value) = reader.value() {
        let Value::Word(word) = &value else {
            before.push(value);
            continue;
        };
        match (word.as_str(), before.as_slice()) {
            ("Tf", [Value::Name(name), ..]) => font = fonts.get(name),
            ("BMC" | "BDC", [Value::Name(tag), rest @ ..]) => {
                let instead = rest.first().and_then(|it| it.get("ActualText"));
                let mark =
                    if tag == "Artifact" || instead.is_some() { Marked::Silent } else { Marked::Plain };
                if let Some(Value::Text(instead)) = instead.filter(|_| !marks.contains(&Marked::Silent)) {
                    text.push_str(&spoken(instead));
                }
                marks.push(mark);
            }
            ("EMC", _) => {
                marks.pop();
            }
            ("Tj" | "TJ", [shown]) => {
                let parts = if let Value::List(parts) = shown {
                    parts.as_slice()
                } else {
                    std::slice::from_ref(shown)
                };
                for part in parts {
                    let Value::Text(codes) = part else { continue };
                    for code in codes.chunks_exact(2).map(code) {
                        assert_ne!(code, 0, "a box after {text:?}");
                        if !marks.contains(&Marked::Silent) {
                            text.push_str(
                                font.and_then(|font| font.get(&code)).map_or("\u{fffd}", String::as_str),
                            );
                        }
                    }
                }
            }
            _ => {}
        }
        before.clear();
    }
    text
}
