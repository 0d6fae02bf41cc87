//! Reads a request for a list: its filters, its order, and which indexes serve them.

use kit::{Error, Result};
use proto::common::v1::{Filter, Sort};
use sea_orm::{Condition, DbBackend, EntityTrait, IdenStatic, Order, QuerySelect, Select};

use super::Listing;
use super::order::{goes_on, is_of_index};
use crate::filter::{Clauses, Start, Style, find};
use crate::page::{SortBy, end, sorted_by};

/// A validated request for a list.
pub(super) struct Asked<E: EntityTrait> {
    pub condition: Condition,
    /// The columns of the key, of the order and of the filters. Statements that look for keys select no other, so
    /// that an index which has them saves SQLite a look at each row.
    pub columns: Vec<E::Column>,
    pub order: Vec<(SortBy<E::Column>, Order)>,
    /// Ranges of an index that together contain all matches, each in the order of `order`.
    pub heads: Vec<Start<E::Column>>,
    /// Whether an index finds the matches.
    pub narrows: bool,
    /// Whether there are no filters and one index has the list's order. If so, a page is read straight from that index,
    /// without a time limit.
    pub plain: bool,
    /// Whether the matches follow one another in the index that the list is sorted by. If so, a page is read
    /// straight from that index, without counting matches first.
    pub together: bool,
    /// Whether the index that the list is sorted by has only the rows with one value of another field. Postgres
    /// uses it only if it plans for this very value.
    pub partial: bool,
}

impl<E: EntityTrait> Asked<E> {
    pub fn select(&self) -> Select<E> {
        E::find().select_only().columns(self.columns.iter().copied())
    }
}

impl<E: EntityTrait> Listing<E> {
    pub(super) fn asked(&self, filters: &[Filter], sorts: &[Sort], backend: DbBackend) -> Result<Asked<E>> {
        let default = Sort { key: self.default.0.to_owned(), direction: self.default.1.into() };
        let sorts = if sorts.is_empty() { std::slice::from_ref(&default) } else { sorts };
        let mut order = sorted_by(self.fields, sorts)?;
        end(&mut order, self.key);
        let clauses = Clauses::parse(self.fields, filters)?;
        let style = Style::of(backend);
        let sort_fields =
            sorts.iter().map(|sort| find(self.fields, &sort.key)).collect::<Result<Vec<_>>>()?;
        for field in &sort_fields {
            if let Some((key, value)) = field.within.filter(|(key, value)| !clauses.are_only(key, value)) {
                let text = format!("the list can be sorted by {} only if {key} equals {value}", field.key);
                return Err(Error::invalid_field("sort", text));
            }
        }
        let first = sort_fields.first().copied();
        let within = first.and_then(|field| field.within);
        let within = within.map(|(key, _)| find(self.fields, key)).transpose()?;
        let sorted = within.into_iter().chain(first).filter_map(|field| clauses.leading(field, style));
        let together = sorts.len() == 1 && first.is_some_and(|field| clauses.is_one_range(field));
        let plain = clauses.is_empty() && first.is_some_and(|field| is_of_index(field, self.key, &order));
        let equal = clauses.in_order(|then| goes_on(then, self.key, &order), style);
        let start = sorted.fold(Condition::all(), Condition::add);
        let heads = match equal.is_empty() {
            true => vec![Start { rows: start, missing: None }],
            false => {
                let narrowed = |equal: Start<_>| Start { rows: start.clone().add(equal.rows), ..equal };
                equal.into_iter().map(narrowed).collect()
            }
        };
        let columns = self.key.iter().copied().chain(order.iter().flat_map(|(by, _)| by.columns()));
        let mut columns: Vec<_> = columns.chain(clauses.columns()).collect();
        columns.sort_by_key(IdenStatic::as_str);
        columns.dedup_by_key(|column| column.as_str());
        Ok(Asked {
            condition: clauses.condition(style),
            columns,
            order,
            heads,
            narrows: clauses.narrows(),
            plain,
            together,
            partial: within.is_some(),
        })
    }
}
