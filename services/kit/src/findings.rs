//! Findings of `waybill doctor`: what is fine, what needs a look, what is wrong.

use std::fmt;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Good,
    /// May be intended; somebody should look.
    Look,
    /// Data or people are at risk, or something does not work.
    Wrong,
}

/// Findings in the order they were made.
#[derive(Debug, Clone, Default)]
pub struct Findings(Vec<(Level, String)>);

impl Findings {
    pub fn good(&mut self, text: impl Into<String>) {
        self.0.push((Level::Good, text.into()));
    }

    pub fn look(&mut self, text: impl Into<String>) {
        self.0.push((Level::Look, text.into()));
    }

    pub fn wrong(&mut self, text: impl Into<String>) {
        self.0.push((Level::Wrong, text.into()));
    }

    /// Adds the finding `good` if the condition holds; otherwise a finding of the given level, whose text
    /// says what to do.
    pub fn expect(
        &mut self,
        holds: bool,
        otherwise: Level,
        good: impl Into<String>,
        else_: impl Into<String>,
    ) {
        if holds { self.good(good) } else { self.0.push((otherwise, else_.into())) }
    }

    pub fn worst(&self) -> Level {
        self.0.iter().map(|(level, _)| *level).max().unwrap_or(Level::Good)
    }

    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (level, text) in &self.0 {
            let word = match level {
                Level::Good => "ok   ",
                Level::Look => "look ",
                Level::Wrong => "WRONG",
            };
            writeln!(f, "{word}  {text}")?;
        }
        Ok(())
    }
}
