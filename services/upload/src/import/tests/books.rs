//! Workbooks of several sheets, built from texts.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

/// A sheet's name and its rows. In an XLSX file, `=12.5` is the number 12.5.
pub type Sheet<'a> = (&'a str, &'a [&'a [&'a str]]);

fn zipped(parts: &[(String, String)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        zip.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        zip.write_all(part.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub fn xlsx(sheets: &[Sheet<'_>]) -> Vec<u8> {
    let rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let link = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{rel}/{kind}\" Target=\"{target}\"/>")
    };
    let numbered = || sheets.iter().enumerate();
    let names: String =
        numbered().map(|(at, (name, _))| format!("<sheet name=\"{name}\" r:id=\"s{at}\"/>")).collect();
    let links: String = numbered()
        .map(|(at, _)| link(&format!("s{at}"), "worksheet", &format!("worksheets/s{at}.xml")))
        .collect();
    let root = link("r", "officeDocument", "xl/workbook.xml");
    let mut parts = vec![
        ("[Content_Types].xml".to_owned(), "<Types/>".to_owned()),
        ("_rels/.rels".to_owned(), format!("<Relationships>{root}</Relationships>")),
        ("xl/_rels/workbook.xml.rels".to_owned(), format!("<Relationships>{links}</Relationships>")),
        ("xl/workbook.xml".to_owned(), format!("<workbook><sheets>{names}</sheets></workbook>")),
    ];
    for (at, (_, rows)) in numbered() {
        let cell = |text: &&str| match text.strip_prefix('=') {
            Some(number) => format!("<c><v>{number}</v></c>"),
            None => format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>"),
        };
        let row = |(at, cells): (usize, &&[&str])| {
            format!("<row r=\"{}\">{}</row>", at + 1, cells.iter().map(cell).collect::<String>())
        };
        let rows: String = rows.iter().enumerate().map(row).collect();
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/s{at}.xml"), sheet));
    }
    zipped(&parts)
}

pub fn ods(sheets: &[Sheet<'_>]) -> Vec<u8> {
    let cell = |text: &&str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
    };
    let row = |cells: &&[&str]| {
        format!("<table:table-row>{}</table:table-row>", cells.iter().map(cell).collect::<String>())
    };
    let table = |(name, rows): &Sheet<'_>| {
        let rows: String = rows.iter().map(row).collect();
        format!("<table:table table:name=\"{name}\">{rows}</table:table>")
    };
    let tables: String = sheets.iter().map(table).collect();
    let content = format!(
        "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
         xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" \
         xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"><office:body><office:spreadsheet>\
         {tables}</office:spreadsheet></office:body></office:document-content>"
    );
    let mimetype = "application/vnd.oasis.opendocument.spreadsheet";
    zipped(&[("mimetype".to_owned(), mimetype.to_owned()), ("content.xml".to_owned(), content)])
}
