//! What a value reveals about how its column is read.

/// Which of the two readings of a column, such as day first or month first, fit one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit<T> {
    /// Both readings give the same value, or neither fits.
    Any,
    /// Only this reading fits.
    Only(T),
    /// Both readings fit, and give different values.
    Open,
}
