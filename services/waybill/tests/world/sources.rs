//! A tokenizer for Rust sources. Its tokens are words and signs, without comments, string literals and tests.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Word(String),
    /// `::`
    Path,
    Sign(char),
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => out.write_str(word),
            Self::Path => out.write_str("::"),
            Self::Sign(sign) => write!(out, "{sign}"),
        }
    }
}

pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(length) = skipped(rest) {
            length
        } else if rest.starts_with("::") {
            tokens.push(Token::Path);
            2
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..length].to_owned()));
            length
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Sign(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    without_tests(tokens)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of the comment or string literal at the start, or `None` if there is none.
fn skipped(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(text.find("*/").map_or(text.len(), |at| at + 2));
    }
    let bare = text.strip_prefix('b').unwrap_or(text);
    let before = text.len() - bare.len();
    if let Some(raw) = bare.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let length = raw[hashes + 1..].find(&end).map(|at| at + 1 + hashes + end.len());
            return Some(length.map_or(text.len(), |length| before + 1 + length));
        }
    }
    if bare.starts_with('"') {
        return Some(before + quoted(bare, '"').unwrap_or(bare.len()));
    }
    // This is a character literal, not a lifetime.
    let mut after = bare.strip_prefix('\'')?.chars();
    let is_character = after.next()? == '\\' || after.next() == Some('\'');
    is_character.then(|| quoted(bare, '\'')).flatten().map(|length| before + length)
}

/// Returns the length of a string literal including its quotes.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Removes code that is compiled for tests only.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(behind) = test_attribute(&tokens[at..]) {
            at += behind;
            let mut depth = 0;
            while at < tokens.len() {
                match tokens[at] {
                    Token::Sign('{' | '(' | '[') => depth += 1,
                    Token::Sign('}' | ')' | ']') => depth -= 1,
                    _ => {}
                }
                let ends = tokens[at] == Token::Sign(';') || tokens[at] == Token::Sign('}');
                at += 1;
                if depth == 0 && ends {
                    break;
                }
            }
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// Returns the number of tokens in a leading `#[cfg(test)]`, or `None` if there is none.
fn test_attribute(tokens: &[Token]) -> Option<usize> {
    let text: String = tokens.iter().take(6).map(Token::to_string).collect();
    let end = tokens.iter().position(|it| *it == Token::Sign(']'))?;
    text.starts_with("#[cfg(test").then_some(end + 1)
}
