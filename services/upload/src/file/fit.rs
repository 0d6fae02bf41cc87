//! Whether a value shows how its column is to be read.

/// What one value says about the ways of reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit<T> {
    /// Reads the same in both ways, or in none.
    Any,
    /// Reads in this way only.
    Only(T),
    /// Reads in both, as different values.
    Open,
}
