//! The fields that a column can hold, and common names of their columns.
//!
//! Here: the table of synonyms, the normalization of names before they are compared, and their similarity. A
//! name that is only similar ("Custmer") is proposed to a person and never used without confirmation, because
//! a wrong guess would fill a wrong field in thousands of rows.

use std::ops::Range;

macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident, $label:literal, $name:literal, [$($synonym:literal),* $(,)?];)+) => {
        /// A field that a column can hold.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Field { $($(#[$doc])* $field,)+ }

        /// One entry for each [`Field`], in the order of its variants: the number of a variant is its index.
        pub(super) const TABLE: &[Entry] = &[
            $(Entry { field: Field::$field, label: $label, name: $name, synonyms: &[$($synonym),*] },)+
        ];
    };
}

pub(super) struct Entry {
    pub(super) field: Field,
    /// The name on screens. If several headings mean this field, the one that equals `label` or `name` wins.
    pub(super) label: &'static str,
    /// The field's name in contracts.
    pub(super) name: &'static str,
    /// Normalized: only lower-case letters and digits.
    synonyms: &'static [&'static str],
}

fields! {
    DeliveryId, "Delivery Doc", "delivery_id", [
        "delivery", "deliverydocument", "deliverydocno", "deliverydocnumber", "deliverydocumentno",
        "deliverydocumentnumber", "deliveryno", "deliverynumber", "deliveryreceipt",
        "deliveryreceiptno", "deliveryreceiptnumber", "deliverynote", "deliverynoteno",
        "deliverynotenumber", "dr", "drno", "drnumber", "dn", "dnno", "dnnumber", "docno",
        "docnumber", "document", "documentno", "documentnumber", "waybill", "waybillno",
        "waybillnumber", "outbounddelivery",
    ];
    ReferenceDoc, "Reference Doc", "referencedoc", [
        "referencedocno", "referencedocument", "referenceno", "referencenumber", "reference",
        "ref", "refdoc", "refno", "refnumber", "invoice", "invoiceno", "invoicenumber",
        "salesinvoice", "salesinvoiceno", "si", "sino", "sinumber",
    ];
    ShipmentNumber, "Shipment no.", "shipmentnumber", [
        "shipment", "shipmentid", "shipmentdoc", "shipno", "shipnumber", "trip", "tripno",
        "tripnumber", "tripid", "load", "loadno", "loadnumber", "loadid", "manifest", "manifestno",
    ];
    CustomerName, "Customer Name", "customername", [
        "customer", "client", "clientname", "consignee", "consigneename", "shipto", "shiptoname",
        "shiptoparty", "store", "storename", "outlet", "branch", "recipientcompany", "deliverto",
        "soldto", "soldtoname",
    ];
    CustomerAddress, "Customer Address", "customeraddress", [
        "address", "deliveryaddress", "shiptoaddress", "consigneeaddress", "storeaddress",
        "destination", "destinationaddress",
    ];
    CustomerEmail, "Customer Email", "customer_email", [
        "customeremailaddress", "email", "emailaddress", "shiptoemail",
    ];
    Trucker, "Trucker", "trucker", [
        "truckername", "haulier", "hauler", "carrier", "carriername", "transporter",
        "transportername", "forwarder", "truckingcompany",
    ];
    DriverId, "Driver ID", "driver_id", ["driverno", "drivernumber", "drivercode"];
    /// Date and time in one cell.
    Schedule, "Dispatch Date and Time", "scheduledatetime", [
        "dispatch", "dispatchdatetime", "dispatchat", "dispatchedat", "schedule", "scheduledat",
        "scheduledatetime", "scheduledateandtime", "scheduleddateandtime", "scheduleddatetime",
        "deliverydatetime", "deliverydateandtime", "etd",
    ];
    /// A date whose time may be in another column.
    ScheduleDate, "Dispatch Date", "scheduledate", [
        "scheduleddate", "deliverydate", "plannedgoodsissue", "goodsissuedate", "shipdate",
        "shippingdate",
    ];
    ScheduleTime, "Dispatch Time", "scheduletime", [
        "scheduledtime", "deliverytime", "shiptime",
    ];
    ItemNumber, "Item Number", "item_number", [
        "itemno", "itemid", "itemline", "line", "lineno", "linenumber", "lineitem",
        "position", "pos", "deliveryitem",
    ];
    Sku, "SKU", "sku", [
        "skucode", "skuno", "itemcode", "material", "materialno", "materialnumber", "materialcode",
        "product", "productcode", "productid", "article", "articleno", "articlenumber", "partno",
        "partnumber",
    ];
    Description, "Description", "description", [
        "itemdescription", "itemname", "productname", "productdescription", "materialdescription",
        "skudescription", "articledescription", "particulars",
    ];
    Unit, "Unit", "unit", [
        "uom", "um", "unitofmeasure", "units", "salesunit", "unitofmeasurement",
    ];
    Quantity, "Quantity", "quantity", [
        "qty", "deliveryquantity", "deliveryqty", "orderquantity", "orderqty", "qtyordered",
        "orderedqty", "orderedquantity", "quantityordered", "expectedquantity", "expectedqty",
    ];
    WeightKg, "Weight (kg)", "weight_kg", [
        "weight", "grossweight", "grossweightkg", "weightinkg", "kg", "kgs", "kilos", "weightkgs",
    ];
    Barcode, "Barcode", "barcode", [
        "barcodeno", "barcodenumber", "ean", "ean13", "eancode", "upc", "gtin",
    ];
    ContactName, "Contact Name", "contact_name", [
        "contact", "contactperson", "recipient", "recipientname", "receiver", "receivername",
        "attention", "attn",
    ];
    ContactPhone, "Contact Phone", "contact_phone", [
        "phone", "phoneno", "phonenumber", "mobile", "mobileno", "mobilenumber", "telephone",
        "tel", "telno", "contactno", "contactnumber", "contactmobile", "recipientphone",
        "cellphone", "cellphoneno",
    ];
    ContactEmail, "Contact Email", "contact_email", [
        "contactemailaddress", "recipientemail", "receiveremail",
    ];
    Instructions, "Instructions", "instructions", [
        "instruction", "deliveryinstructions", "deliveryinstruction", "specialinstructions",
        "remarks", "remark", "notes", "note", "comments", "comment", "deliverynotes",
        "deliveryremarks",
    ];
    InternalNote, "Internal Note", "internal_note", [
        "internalnotes", "internalremarks", "internalcomment", "officenote", "officenotes",
    ];
    Priority, "Priority", "priority", ["urgency", "deliverypriority", "prio"];
    TimeWindowStart, "Time Window Start", "time_window_start", [
        "windowstart", "windowfrom", "timewindowfrom", "deliverfrom", "earliest",
        "earliestdelivery", "receivingfrom", "deliverywindowstart",
    ];
    TimeWindowEnd, "Time Window End", "time_window_end", [
        "windowend", "windowto", "windowuntil", "timewindowto", "deliveruntil", "deliverby",
        "latest", "latestdelivery", "receivinguntil", "deliverywindowend",
    ];
}

impl Field {
    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// Returns all fields, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|entry| entry.field)
    }

    /// Returns the name on screens, such as "Delivery Doc".
    pub fn label(self) -> &'static str {
        self.entry().label
    }

    /// Returns the name in contracts, such as "delivery_id".
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns whether a file must have the field. Dispatch Date can replace Dispatch Date and Time.
    pub fn is_required(self) -> bool {
        matches!(self, Field::DeliveryId | Field::ShipmentNumber | Field::CustomerName | Field::Schedule)
    }

    /// Returns what separates the values when several columns hold the field; `None` if only one column can.
    pub fn joined_by(self) -> Option<&'static str> {
        match self {
            Field::CustomerAddress => Some(", "),
            Field::CustomerName
            | Field::ContactName
            | Field::Description
            | Field::Instructions
            | Field::InternalNote => Some(" "),
            _ => None,
        }
    }

    /// Returns whether rows without a value can get a default. Delivery Doc and Item Number tell rows apart.
    pub fn can_default(self) -> bool {
        !matches!(self, Field::DeliveryId | Field::ItemNumber)
    }

    /// Returns whether the field belongs to an item.
    pub fn is_of_item(self) -> bool {
        use Field::{Barcode, Description, ItemNumber, Quantity, Sku, Unit, WeightKg};
        matches!(self, ItemNumber | Sku | Description | Unit | Quantity | WeightKg | Barcode)
    }

    /// Returns whether a default value of one file can also be right for the next one.
    pub fn has_lasting_default(self) -> bool {
        !matches!(self, Field::Schedule | Field::ScheduleDate)
    }

    /// Returns the field that the contracts call `name`.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|entry| entry.name == name).map(|entry| entry.field)
    }
}

/// Columns that our download of refused rows adds to those of the file.
const DOWNLOAD: [&str; 2] = ["refusedrow", "refusedbecause"];

/// Returns whether our own download added this heading, as in a file that comes back with corrected rows.
pub(super) fn is_of_download(header: &str) -> bool {
    DOWNLOAD.contains(&normal(header).as_str())
}

/// Returns the headings without those that our download of refused rows added behind them.
pub(super) fn without_download(headings: &[String]) -> &[String] {
    // A row with more cells than headings puts columns without a heading before those of the download.
    let is_own = |heading: &String| !heading.trim().is_empty() && !is_of_download(heading);
    let end = headings.iter().rposition(is_own).map_or(0, |last| last + 1);
    headings.get(..end).unwrap_or_default()
}

/// Returns the columns with blank headings before those that our download of refused rows added: they have the cells
/// that a row had beyond its headings. `None` for another file.
pub(super) fn beyond(headings: &[String]) -> Option<Range<usize>> {
    let end = headings.iter().position(|heading| is_of_download(heading))?;
    let last = headings.iter().take(end).rposition(|heading| !heading.trim().is_empty());
    Some(last.map_or(0, |last| last + 1)..end)
}

/// Returns the field that a heading names, and whether the heading is the field's own name.
pub(super) fn find(header: &str) -> Option<(Field, bool)> {
    let wanted = normal(header);
    if wanted.is_empty() {
        return None;
    }
    let own = |e: &&Entry| normal(e.label) == wanted || normal(e.name) == wanted;
    if let Some(entry) = TABLE.iter().find(own) {
        return Some((entry.field, true));
    }
    TABLE.iter().find(|e| e.synonyms.contains(&wanted.as_str())).map(|e| (e.field, false))
}

/// Returns the similarity of a heading to the names of a field, from 0 to 1, by edit distance.
pub(super) fn likeness(header: &str, field: Field) -> f64 {
    let wanted = normal(header);
    let entry = field.entry();
    let own = [normal(entry.label), normal(entry.name)];
    let names = own.iter().map(String::as_str).chain(entry.synonyms.iter().copied());
    names.map(|name| strsim::normalized_damerau_levenshtein(&wanted, name)).fold(0.0, f64::max)
}

/// Returns the key that identifies a header: the keys of its headings.
pub(super) fn fingerprint(headings: &[String]) -> String {
    headings.iter().map(|heading| key(heading).replace('|', " ")).collect::<Vec<_>>().join("|")
}

/// Returns the key of earlier releases, which decisions stored by them still have.
pub(super) fn earlier_fingerprint(headings: &[String]) -> String {
    headings.iter().map(|heading| normal(heading)).collect::<Vec<_>>().join("|")
}

/// Returns the key by which a heading is found in another file. Headings of other scripts, of which `normal` keeps
/// too little, are only folded.
pub(super) fn key(heading: &str) -> String {
    let is_lost = |c: char| c.is_alphabetic() && normal(c.encode_utf8(&mut [0; 4])).is_empty();
    if heading.chars().any(is_lost) { kit::text::fold(heading) } else { normal(heading) }
}

/// Normalizes a name: lower-case letters and digits only, accents dropped, "#" and "№" read as "no".
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Headings are short. A longer text names no field and would only cost time.
    for c in text.chars().take(80).flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            '#' | '№' => out.push_str("no"),
            'à'..='å' | 'ā' | 'ă' | 'ą' => out.push('a'),
            'æ' => out.push_str("ae"),
            'ç' | 'ć' | 'č' => out.push('c'),
            'è'..='ë' | 'ē' | 'ę' | 'ě' => out.push('e'),
            'ì'..='ï' | 'ī' | 'ı' => out.push('i'),
            'ñ' | 'ń' | 'ň' => out.push('n'),
            'ò'..='ö' | 'ø' | 'ō' => out.push('o'),
            'ù'..='ü' | 'ū' | 'ů' => out.push('u'),
            'ý' | 'ÿ' => out.push('y'),
            'š' | 'ś' | 'ş' => out.push('s'),
            'ž' | 'ź' | 'ż' => out.push('z'),
            'ß' => out.push_str("ss"),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_name_means_two_things() {
        let mut seen = HashSet::new();
        for entry in TABLE {
            let own: HashSet<String> = [normal(entry.label), normal(entry.name)].into();
            for name in own {
                assert!(seen.insert(name.clone()), "{name} twice");
            }
            for name in entry.synonyms {
                assert_eq!(normal(name), *name, "not normalised");
                assert!(
                    seen.insert((*name).to_owned())
                        || [normal(entry.label), normal(entry.name)].contains(&(*name).to_owned()),
                    "{name} twice"
                );
            }
        }
    }

    #[test]
    fn columns_of_the_download_identify_no_header() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let own = texts(&["Doc", "Trip"]);
        for added in [&[][..], &["Refused row", "Refused because"], &["", "Refused row", "REFUSED BECAUSE"]] {
            assert_eq!(without_download(&[own.clone(), texts(added)].concat()), own);
        }
        // In front of other columns, they move the places of those.
        let moved = texts(&["Refused row", "Refused because", "Doc"]);
        assert_eq!(without_download(&moved), moved);
        assert!(without_download(&[]).is_empty());
    }

    #[test]
    fn cells_beyond_the_headings_are_found_in_the_download() {
        let found = |texts: &[&str]| beyond(&texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(found(&["Doc", "", "Trip", "", ""]), None);
        assert_eq!(found(&["Doc", "", "Trip", "Refused row", "Refused because"]), Some(3..3));
        // A default value adds its column behind all others.
        assert_eq!(found(&["Doc", "Trip", "", " ", "Refused row", "Refused because", "Unit"]), Some(2..4));
    }

    #[test]
    fn spelling_does_not_matter() {
        for name in ["Delivery Doc", "delivery_doc", " DELIVERY-DOC. ", "Délivery  Doc:", "deliveryId"] {
            assert_eq!(find(name), Some((Field::DeliveryId, true)), "{name}");
        }
        for (name, field) in [
            ("DR no.", Field::DeliveryId),
            ("Delivery #", Field::DeliveryId),
            ("Waybill No", Field::DeliveryId),
            ("SI No.", Field::ReferenceDoc),
            ("Trip No", Field::ShipmentNumber),
            ("Ship-to", Field::CustomerName),
            ("Ship To Address", Field::CustomerAddress),
            ("Haulier", Field::Trucker),
            ("Scheduled at", Field::Schedule),
            ("Delivery Date", Field::ScheduleDate),
            ("Line No.", Field::ItemNumber),
            ("UOM", Field::Unit),
            ("Qty.", Field::Quantity),
            ("Weight", Field::WeightKg),
            ("Remarks", Field::Instructions),
        ] {
            assert_eq!(find(name), Some((field, false)), "{name}");
        }
        assert_eq!(find("Weight (kg)"), Some((Field::WeightKg, true)));
        assert_eq!((find("Plate No."), find("Driver Name")), (None, None));
        assert_eq!(find("  "), None);
    }
}
