//! The texts of the delivery form, as the deliveries service describes it.

use async_graphql::{Enum, SimpleObject};
use proto::deliveries::v1 as contract;

use super::error::Failure;
use super::value::known;

/// A part of a delivery form that can be left out of a copy.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum FormPart {
    Photos,
    Distance,
    Notes,
}

impl From<FormPart> for contract::FormPart {
    fn from(part: FormPart) -> Self {
        match part {
            FormPart::Photos => Self::Photos,
            FormPart::Distance => Self::Distance,
            FormPart::Notes => Self::Notes,
        }
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum FormColumnKind {
    Number,
    Description,
    Unit,
    Quantity,
    Reason,
}

impl TryFrom<contract::FormColumnKind> for FormColumnKind {
    type Error = kit::Error;

    fn try_from(kind: contract::FormColumnKind) -> kit::Result<Self> {
        Ok(match kind {
            contract::FormColumnKind::Number => Self::Number,
            contract::FormColumnKind::Description => Self::Description,
            contract::FormColumnKind::Unit => Self::Unit,
            contract::FormColumnKind::Quantity => Self::Quantity,
            contract::FormColumnKind::Reason => Self::Reason,
            contract::FormColumnKind::Unspecified => return Err(kit::Error::internal("a column of no kind")),
        })
    }
}

/// The texts of a form in reading order, as in the PDF. Texts that are empty are left out.
#[derive(SimpleObject)]
pub struct FormDescription {
    title: String,
    delivery_id: String,
    status: String,
    marks: Vec<String>,
    /// Name of the organization, shown if the logo cannot be displayed.
    organization: String,
    organization_lines: Vec<String>,
    logo_url: Option<String>,
    notices: Vec<FormNotice>,
    sections: Vec<FormSection>,
    items: FormTable,
    notes: Vec<FormNotice>,
    /// Null if nobody has to sign.
    signature: Option<FormSignature>,
    photos: Option<FormPictures>,
    files: Option<FormFiles>,
    qr_code: String,
    /// The URL that the QR code contains.
    url: String,
    checks: Vec<FormFact>,
}

#[derive(SimpleObject)]
pub struct FormNotice {
    lead: String,
    text: String,
    urgent: bool,
}

#[derive(SimpleObject)]
pub struct FormSection {
    /// Title for screen readers.
    title: String,
    facts: Vec<FormFact>,
}

#[derive(SimpleObject)]
pub struct FormFact {
    label: String,
    value: String,
    /// Lines below the value.
    details: Vec<String>,
    marks: Vec<String>,
    strong: bool,
    wide: bool,
}

#[derive(SimpleObject)]
pub struct FormTable {
    /// Title for screen readers.
    title: String,
    columns: Vec<FormColumn>,
    rows: Vec<FormRow>,
    /// Total quantities, one row per unit.
    totals: Vec<FormRow>,
    /// Shown in place of the table when there are no rows.
    empty: String,
}

#[derive(SimpleObject)]
pub struct FormColumn {
    kind: FormColumnKind,
    title: String,
}

#[derive(SimpleObject)]
pub struct FormRow {
    /// One cell per column.
    cells: Vec<String>,
    /// Lines below the cells.
    notes: Vec<String>,
    strong: bool,
}

#[derive(SimpleObject)]
pub struct FormPicture {
    attachment_id: String,
    /// URL of the stored file, without a query. `mutatePresignedUrl` turns it into a download link.
    url: String,
    content_type: String,
    alt: String,
    caption: String,
    details: Vec<String>,
    marks: Vec<String>,
    /// Shown in place of a picture that cannot be displayed.
    unreadable: String,
    /// Shown in place of a picture that was altered.
    damaged: String,
}

#[derive(SimpleObject)]
pub struct FormSignature {
    label: String,
    /// Picture of the latest signature.
    picture: Option<FormPicture>,
    absent: String,
    name: String,
    details: Vec<String>,
    marks: Vec<String>,
}

#[derive(SimpleObject)]
pub struct FormPictures {
    label: String,
    pictures: Vec<FormPicture>,
    /// Text that says how many photos are not included.
    more: String,
}

#[derive(SimpleObject)]
pub struct FormFiles {
    label: String,
    files: Vec<FormNotice>,
}

impl FormDescription {
    pub fn of(description: contract::FormDescription) -> Result<Self, Failure> {
        let it = description;
        Ok(Self {
            title: it.title,
            delivery_id: it.delivery_id,
            status: it.status,
            marks: it.marks,
            organization: it.organization,
            organization_lines: it.organization_lines,
            logo_url: it.logo_url,
            notices: all(it.notices),
            sections: all(it.sections),
            items: FormTable::of(it.items.unwrap_or_default())?,
            notes: all(it.notes),
            signature: it.signature.map(Into::into),
            photos: it.photos.map(Into::into),
            files: it.files.map(Into::into),
            qr_code: it.qr_code,
            url: it.url,
            checks: all(it.checks),
        })
    }
}

impl FormTable {
    fn of(table: contract::FormTable) -> Result<Self, Failure> {
        let column = |it: contract::FormColumn| {
            let kind = known::<contract::FormColumnKind, _>(it.kind)?;
            Ok::<_, Failure>(FormColumn { kind, title: it.title })
        };
        Ok(Self {
            title: table.title,
            columns: table.columns.into_iter().map(column).collect::<Result<_, _>>()?,
            rows: all(table.rows),
            totals: all(table.totals),
            empty: table.empty,
        })
    }
}

fn all<A, B: From<A>>(items: Vec<A>) -> Vec<B> {
    items.into_iter().map(B::from).collect()
}

impl From<contract::FormNotice> for FormNotice {
    fn from(it: contract::FormNotice) -> Self {
        Self { lead: it.lead, text: it.text, urgent: it.urgent }
    }
}

impl From<contract::FormSection> for FormSection {
    fn from(it: contract::FormSection) -> Self {
        Self { title: it.title, facts: all(it.facts) }
    }
}

impl From<contract::FormFact> for FormFact {
    fn from(it: contract::FormFact) -> Self {
        let contract::FormFact { label, value, details, marks, strong, wide } = it;
        Self { label, value, details, marks, strong, wide }
    }
}

impl From<contract::FormRow> for FormRow {
    fn from(it: contract::FormRow) -> Self {
        Self { cells: it.cells, notes: it.notes, strong: it.strong }
    }
}

impl From<contract::FormPicture> for FormPicture {
    fn from(it: contract::FormPicture) -> Self {
        Self {
            attachment_id: it.attachment_id,
            url: it.url,
            content_type: it.content_type,
            alt: it.alt,
            caption: it.caption,
            details: it.details,
            marks: it.marks,
            unreadable: it.unreadable,
            damaged: it.damaged,
        }
    }
}

impl From<contract::FormSignature> for FormSignature {
    fn from(it: contract::FormSignature) -> Self {
        Self {
            label: it.label,
            picture: it.picture.map(Into::into),
            absent: it.absent,
            name: it.name,
            details: it.details,
            marks: it.marks,
        }
    }
}

impl From<contract::FormPictures> for FormPictures {
    fn from(it: contract::FormPictures) -> Self {
        Self { label: it.label, pictures: all(it.pictures), more: it.more }
    }
}

impl From<contract::FormFiles> for FormFiles {
    fn from(it: contract::FormFiles) -> Self {
        Self { label: it.label, files: all(it.files) }
    }
}
