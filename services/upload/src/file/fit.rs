//! What a value reveals about how its column is read.

/// The readings that fit one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit<T> {
    /// Both readings give the same value, or neither fits.
    Any,
    /// Only this reading fits.
    Only(T),
    /// Both readings fit, and give different values.
    Open,
}
