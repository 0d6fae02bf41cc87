//! Pages and bounded counts of any table.
//!
//! [`page`] and [`count`] suit tables that stay small. A [`Listing`] is for tables with up to millions of
//! rows: whatever the filters and sorts, it responds fast or says how to narrow the request. Reasons are in
//! docs/adr/0015.

mod asked;
mod order;
mod part;
mod walk;

use futures::FutureExt;
use futures::future::BoxFuture;
use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page, SortDirection};
use sea_orm::sea_query::{Asterisk, Expr, ExprTrait, IntoIden, Query, SelectStatement, UnionType};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, EntityTrait,
    FromQueryResult, IdenStatic, ModelTrait, Order, PaginatorTrait, QueryFilter, QueryResult, QuerySelect,
    QueryTrait, Select,
};

use crate::error::is_timeout;
use crate::filter::{Field, Start};
use crate::page::{SortBy, Window, after, apply, order_by, window};
use crate::{Db, Reading, db};
use asked::Asked;
use walk::{among, rows, walk};

/// Counts of filtered rows are exact up to this number; larger counts are reported as "at least".
pub const COUNT_BOUND: u64 = 10_000;

/// Returns one page of a table, and whether more rows follow.
pub async fn page<E, C>(
    db_: &Db,
    condition: Condition,
    order: &[(impl Into<SortBy<C>> + Copy, Order)],
    key: C,
    window: Window,
) -> Result<(Vec<E::Model>, bool)>
where
    E: EntityTrait<Column = C>,
    C: ColumnTrait,
    E::Model: Send,
{
    page_by::<E, C>(db_, condition, order, &[key], window).await
}

/// Like [`page`], for a table whose key has several columns.
pub async fn page_by<E, C>(
    db_: &Db,
    condition: Condition,
    order: &[(impl Into<SortBy<C>> + Copy, Order)],
    key: &[C],
    window: Window,
) -> Result<(Vec<E::Model>, bool)>
where
    E: EntityTrait<Column = C>,
    C: ColumnTrait,
    E::Model: Send,
{
    let order: Vec<(SortBy<C>, Order)> = order.iter().map(|(by, way)| ((*by).into(), way.clone())).collect();
    let query = walk::<E>(condition, &order, key, window, db_.backend());
    Ok(window.cut(query.all(db_.read()).await.map_err(db)?))
}

/// Counts matching rows, up to [`COUNT_BOUND`].
pub async fn count<E>(db_: &Db, condition: Condition, key: E::Column) -> Result<Count>
where
    E: EntityTrait,
    E::Model: Send + Sync,
{
    let query = E::find().select_only().column(key).filter(condition).limit(COUNT_BOUND + 1);
    Ok(bounded(query.count(db_.read()).await.map_err(db)?))
}

fn bounded(total: u64) -> Count {
    Count { total: Ord::min(total, COUNT_BOUND), exact: total <= COUNT_BOUND }
}

/// Thresholds for choosing a paging strategy.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Up to this many matches are fetched and then sorted.
    pub few: u64,
    /// With more matches than `few`, this many rows are first scanned in sort order.
    pub near: u64,
    /// Maximum number of rows scanned to count matches that no index finds.
    pub seen: u64,
}

impl Bounds {
    pub const DEFAULT: Bounds = Bounds { few: 2_000, near: 50_000, seen: 100_000 };
}

/// A list of a table that may be large. Each sortable field has an index that continues with `Field::then`
/// and ends with the key.
pub struct Listing<E: EntityTrait> {
    pub fields: &'static [Field<E::Column>],
    /// The columns of the key.
    pub key: &'static [E::Column],
    /// The default order.
    pub default: (&'static str, SortDirection),
    pub bounds: Bounds,
}

impl<E> Listing<E>
where
    E: EntityTrait,
    E::Model: Send + Sync,
{
    // Futures are boxed here, because the compiler otherwise looks through all that is within them once more for each
    // of the many calls that wait for one.

    /// Returns one page, and whether more rows follow.
    pub fn page<'a>(&'a self, db_: &'a Db, page: &'a Page) -> BoxFuture<'a, Result<(Vec<E::Model>, bool)>> {
        self.page_of(db_, page, &[])
    }

    /// Like [`Self::page`], but reads only these columns of each row, or all if there are none.
    pub fn page_of<'a, R>(
        &'a self,
        db_: &'a Db,
        page: &'a Page,
        columns: &'a [E::Column],
    ) -> BoxFuture<'a, Result<(Vec<R>, bool)>>
    where
        R: FromQueryResult + Send + Sync + 'a,
    {
        async move {
            let (rows, more) = self.found(db_, page, columns).await?;
            let rows: Result<Vec<R>, DbErr> = rows.iter().map(|row| R::from_query_result(row, "")).collect();
            Ok((rows.map_err(db)?, more))
        }
        .boxed()
    }

    /// Like [`Self::page`], but reads only these columns. All other fields have the values of `blank`. Equal requests
    /// that arrive at the same time share a read.
    pub fn page_in_part<'a>(
        &'a self,
        db_: &'a Db,
        page: &'a Page,
        columns: &'a [E::Column],
        blank: &'a E::Model,
    ) -> BoxFuture<'a, Result<(Vec<E::Model>, bool)>>
    where
        E::Model: ModelTrait<Entity = E>,
    {
        let read = async move {
            let (rows, more) = self.found(db_, page, columns).await?;
            let rows: Result<Vec<_>, DbErr> =
                rows.iter().map(|row| part::read(row, columns, blank)).collect();
            Ok::<_, Error>((rows.map_err(db)?, more))
        };
        let shown: Vec<&str> = columns.iter().map(IdenStatic::as_str).collect();
        let what = format!("{shown:?} from {} to {}, sorted by {:?},", page.offset, page.limit, page.sort);
        db_.shared_reads().answer(self.key_of(&what, &page.r#where), read).boxed()
    }

    fn found<'a>(
        &'a self,
        db_: &'a Db,
        page: &'a Page,
        columns: &'a [E::Column],
    ) -> BoxFuture<'a, Result<(Vec<QueryResult>, bool)>> {
        async move {
            let window = window(page)?;
            let asked = self.asked(&page.r#where, &page.sort, db_.backend())?;
            if asked.plain || (asked.together && !(asked.partial && db_.is_postgres())) {
                // On SQLite, connections have the time limit of a filtered page, with or without a transaction.
                let reader = if asked.plain { db_.read() } else { db_.read_within(Reading::Page) };
                let refusal = if asked.plain { db } else { too_broad };
                let query = walk::<E>(asked.condition, &asked.order, self.key, window, db_.backend());
                return Ok(window.cut(rows(query, columns, reader).await.map_err(refusal)?));
            }
            let read = db_.begin_read(Reading::Page).await?;
            let rows = self.find(&read, &asked, window, columns).await.map_err(too_broad)?;
            read.commit().await.map_err(db)?;
            Ok(window.cut(rows))
        }
        .boxed()
    }

    /// Counts matching rows, up to [`COUNT_BOUND`].
    pub fn count<'a>(&'a self, db_: &'a Db, filters: &'a [Filter]) -> BoxFuture<'a, Result<Count>> {
        let count = async move {
            let asked = self.asked(filters, &[], db_.backend())?;
            let read = db_.begin_read(Reading::Page).await?;
            let mut count = bounded(self.matching(&read, &asked, COUNT_BOUND + 1).await.map_err(too_broad)?);
            if !asked.narrows && count.exact {
                let all =
                    number(&read, &counted(self.keys(), self.bounds.seen + 1)).await.map_err(too_broad)?;
                count.exact = all <= self.bounds.seen;
            }
            read.commit().await.map_err(db)?;
            Ok::<_, Error>(count)
        };
        db_.shared_reads().answer(self.key_of("rows", filters), count).boxed()
    }

    /// Counts the distinct values that a column has in matching rows, up to [`COUNT_BOUND`]. NULL is not a
    /// value here.
    pub fn count_values<'a>(
        &'a self,
        db_: &'a Db,
        filters: &'a [Filter],
        column: E::Column,
    ) -> BoxFuture<'a, Result<Count>> {
        let count = async move {
            let asked = self.asked(filters, &[], db_.backend())?;
            let read = db_.begin_read(Reading::Page).await?;
            let values = E::find().select_only().column(column).distinct();
            let values = values.filter(asked.condition).filter(column.is_not_null());
            let count = number(&read, &counted(values, COUNT_BOUND + 1)).await.map_err(too_broad)?;
            read.commit().await.map_err(db)?;
            Ok::<_, Error>(bounded(count))
        };
        db_.shared_reads().answer(self.key_of(IdenStatic::as_str(&column), filters), count).boxed()
    }

    /// Returns the key by which equal reads are shared.
    fn key_of(&self, what: &str, filters: &[Filter]) -> String {
        let (fields, bounds) = (self.fields.as_ptr(), self.bounds);
        format!("{what} of {} {fields:p} {bounds:?} {filters:?}", E::default().table_name())
    }

    /// Returns the rows that follow a given one in the list's order: a chunk of an export. Continues from the
    /// values of `last`, so that the last chunk costs as much as the first.
    pub async fn stretch(
        &self,
        db_: &Db,
        page: &Page,
        last: Option<&E::Model>,
        limit: u64,
    ) -> Result<Vec<E::Model>>
    where
        E::Model: ModelTrait<Entity = E>,
    {
        let asked = self.asked(&page.r#where, &page.sort, db_.backend())?;
        let mut query = E::find().filter(asked.condition);
        if let Some(last) = last {
            let Some(later) = after(&asked.order, last) else { return Ok(Vec::new()) };
            query = query.filter(later);
        }
        let query = apply(query, &asked.order, db_.backend()).limit(limit);
        let read = db_.begin_read(Reading::Export).await?;
        let rows = query.all(&read).await.map_err(too_broad)?;
        read.commit().await.map_err(db)?;
        Ok(rows)
    }

    /// Returns some columns of all matches, unordered; at most this many rows.
    pub async fn columns<R>(
        &self,
        db_: &Db,
        filters: &[Filter],
        columns: &[E::Column],
        most: u64,
    ) -> Result<Vec<R>>
    where
        R: FromQueryResult + Send + Sync,
    {
        let asked = self.asked(filters, &[], db_.backend())?;
        let query = E::find().select_only().columns(columns.iter().copied()).filter(asked.condition);
        let read = db_.begin_read(Reading::Export).await?;
        let rows = query.limit(most).into_model().all(&read).await.map_err(too_broad)?;
        read.commit().await.map_err(db)?;
        Ok(rows)
    }

    async fn find(
        &self,
        read: &DatabaseTransaction,
        asked: &Asked<E>,
        window: Window,
        columns: &[E::Column],
    ) -> Result<Vec<QueryResult>, DbErr> {
        let backend = read.get_database_backend();
        let among = |keys| rows(among::<E>(self.key, keys, &asked.order, backend), columns, read);
        if asked.together {
            let query = walk::<E>(asked.condition.clone(), &asked.order, self.key, window, backend);
            return rows(query, columns, read).await;
        }
        if !asked.narrows {
            return among(self.walked(asked, window, backend)).await;
        }
        if self.matching(read, asked, self.bounds.few + 1).await? > self.bounds.few {
            // With many matches, the first rows in sort order usually contain enough of them.
            let page = among(self.near(asked, window, backend)).await?;
            if page.len() as u64 > window.limit {
                return Ok(page);
            }
        }
        // Few matches are quickly found and sorted. Many matches get here only if the first rows in sort
        // order contain too few of them.
        among(self.sorted(asked, window, backend)).await
    }

    async fn matching(&self, read: &DatabaseTransaction, asked: &Asked<E>, most: u64) -> Result<u64, DbErr> {
        number(read, &self.counted(asked, most, read.get_database_backend())).await
    }

    fn counted(&self, asked: &Asked<E>, most: u64, backend: DbBackend) -> SelectStatement {
        if asked.narrows {
            return counted(self.keys().filter(asked.condition.clone()), most);
        }
        // No index finds the matches, so scan in sort order, but at most this many rows.
        let head = apply(asked.select().limit(self.bounds.seen), &asked.order, backend).into_query();
        let mut some = Query::select();
        some.columns(self.key.iter().map(|column| column.as_column_ref()));
        some.from_subquery(head, E::default().table_name().into_iden());
        some.cond_where(asked.condition.clone()).limit(most);
        total(some)
    }

    /// Selects keys by scanning in sort order until there are enough.
    fn walked(&self, asked: &Asked<E>, window: Window, backend: DbBackend) -> SelectStatement {
        let keys = self.keys().filter(asked.condition.clone());
        apply(keys, &asked.order, backend).limit(window.limit + 1).offset(window.offset).into_query()
    }

    /// Selects keys like `walked`, but scans at most `near` rows. The matches among them are the first ones of the
    /// list, because the ranges of several heads are merged before the filters apply.
    fn near(&self, asked: &Asked<E>, window: Window, backend: DbBackend) -> SelectStatement {
        let rows = match asked.heads.as_slice() {
            [start] => self.head(start, asked, backend),
            _ => self.merged(asked, backend),
        };
        let mut page = self.cut(rows, asked, window, backend);
        page.cond_where(asked.condition.clone()).take()
    }

    /// Selects the first `near` rows of a range, in the list's order.
    fn head(&self, start: &Start<E::Column>, asked: &Asked<E>, backend: DbBackend) -> SelectStatement {
        let rows = asked.select().filter(start.rows.clone()).limit(self.bounds.near);
        let missing = start.missing.filter(|_| backend == DbBackend::Postgres);
        let first =
            missing.zip(asked.order.first()).map(|(column, (_, way))| (SortBy::Column(column), way.clone()));
        let order: Vec<_> = first.into_iter().chain(asked.order.iter().cloned()).collect();
        apply(rows, &order, backend).into_query()
    }

    /// Selects the first `near` rows of all ranges together, in the list's order.
    fn merged(&self, asked: &Asked<E>, backend: DbBackend) -> SelectStatement {
        let mut ranges = asked.heads.iter().map(|start| match backend {
            // SQLite merges index scans only if no range has an order or a limit of its own.
            DbBackend::Sqlite => asked.select().filter(start.rows.clone()).into_query(),
            // Postgres may read and sort a whole range unless the range is ordered and limited, too.
            _ => Query::select()
                .column(Asterisk)
                .from_subquery(self.head(start, asked, backend), "head")
                .take(),
        });
        let mut all = ranges.next().unwrap_or_default();
        for range in ranges {
            all.union(UnionType::All, range);
        }
        let mut rows = Query::select();
        rows.column(Asterisk).from_subquery(all, E::default().table_name().into_iden());
        order_by(&mut rows, &asked.order, backend);
        rows.limit(self.bounds.near).take()
    }

    /// Selects keys by finding all matches and then sorting them.
    fn sorted(&self, asked: &Asked<E>, window: Window, backend: DbBackend) -> SelectStatement {
        // The limit keeps the database from choosing a scan in sort order after all.
        let all = asked.select().filter(asked.condition.clone()).limit(i64::MAX.unsigned_abs());
        self.cut(all.into_query(), asked, window, backend)
    }

    /// Selects the rows of a statement under the table's name, so that conditions on the table apply to them.
    fn cut(
        &self,
        rows: SelectStatement,
        asked: &Asked<E>,
        window: Window,
        backend: DbBackend,
    ) -> SelectStatement {
        let mut page = Query::select();
        page.columns(self.key.iter().map(|column| column.as_column_ref()));
        page.from_subquery(rows, E::default().table_name().into_iden());
        order_by(&mut page, &asked.order, backend);
        page.limit(window.limit + 1).offset(window.offset).take()
    }

    fn keys(&self) -> Select<E> {
        E::find().select_only().columns(self.key.iter().copied())
    }

    /// Returns every statement that a page and its count may use, for tests of query plans.
    #[cfg(feature = "testing")]
    pub fn statements(
        &self,
        page: &Page,
        backend: DbBackend,
    ) -> Result<Vec<(&'static str, SelectStatement)>> {
        let window = window(page)?;
        let asked = self.asked(&page.r#where, &page.sort, backend)?;
        let rows = |keys| among::<E>(self.key, keys, &asked.order, backend).into_query();
        if asked.plain {
            let query = walk::<E>(asked.condition.clone(), &asked.order, self.key, window, backend);
            return Ok(vec![("page", query.into_query())]);
        }
        let mut all = vec![("count", self.counted(&asked, COUNT_BOUND + 1, backend))];
        if asked.together {
            let query = walk::<E>(asked.condition.clone(), &asked.order, self.key, window, backend);
            all.push(("page", query.into_query()));
        } else if asked.narrows {
            all.push(("few", self.counted(&asked, self.bounds.few + 1, backend)));
            all.push(("near", rows(self.near(&asked, window, backend))));
            all.push(("sorted", rows(self.sorted(&asked, window, backend))));
        } else {
            all.push(("walked", rows(self.walked(&asked, window, backend))));
        }
        Ok(all)
    }
}

fn counted<E: EntityTrait>(rows: Select<E>, most: u64) -> SelectStatement {
    total(rows.limit(most).into_query())
}

fn total(rows: SelectStatement) -> SelectStatement {
    let total = Expr::col(Asterisk).count();
    Query::select().expr_as(total, "total").from_subquery(rows, "counted").take()
}

async fn number(read: &DatabaseTransaction, total: &SelectStatement) -> Result<u64, DbErr> {
    let row = read.query_one(total).await?;
    let total: i64 = row.map_or(Ok(0), |row| row.try_get("", "total"))?;
    Ok(total.unsigned_abs())
}

fn too_broad(error: DbErr) -> Error {
    if !is_timeout(&error) {
        return db(error);
    }
    let text = "This search is too broad. Add a date range or another filter, or search for three characters \
                or more.";
    Error::precondition("LIST_TOO_BROAD", text).with_source(error)
}
