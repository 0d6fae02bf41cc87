//! The table as CSV: UTF-8 with a byte order mark, CRLF line ends, quotes as in RFC 4180.

use chrono::TimeZone;
use csv::Writer;
use kit::sheet::{MARK, csv_writer, write_csv};
use kit::{Error, Result};
use proto::deliveries::v1::ExportedDelivery;

use super::{HEADER, rows};

/// A piece of the file. The first piece starts with the byte order mark and the header.
pub struct Piece(Writer<Vec<u8>>);

impl Piece {
    /// Begins the first piece, with the header.
    pub fn first() -> Result<Self> {
        let mut piece = Self::begin(MARK.to_vec());
        piece.0.write_record(HEADER).map_err(Error::internal)?;
        Ok(piece)
    }

    pub fn next() -> Self {
        Self::begin(Vec::new())
    }

    fn begin(bytes: Vec<u8>) -> Self {
        Self(csv_writer(bytes))
    }

    pub fn add<Z: TimeZone>(&mut self, exported: &ExportedDelivery, zone: &Z) -> Result<u64>
    where
        Z::Offset: std::fmt::Display,
    {
        let mut count = 0;
        rows(exported, zone, |row| {
            count += 1;
            write_csv(&mut self.0, row)
        })?;
        Ok(count)
    }

    /// Returns the number of bytes written so far, without those that are still buffered.
    pub fn len(&self) -> usize {
        self.0.get_ref().len()
    }

    pub fn finish(self) -> Result<Vec<u8>> {
        self.0.into_inner().map_err(|error| Error::internal(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use kit::text::without_apostrophes;

    use super::*;
    use crate::export::COLUMNS;
    use crate::export::testing::exported;

    fn file(exported: &[ExportedDelivery]) -> String {
        let zone = chrono::FixedOffset::east_opt(8 * 3600).unwrap();
        let mut piece = Piece::first().unwrap();
        for it in exported {
            piece.add(it, &zone).unwrap();
        }
        String::from_utf8(piece.finish().unwrap()).unwrap()
    }

    #[test]
    fn the_file_is_what_spreadsheets_and_imports_read() {
        let text = file(&[exported(1)]);
        let (header, body) = text.split_once("\r\n").unwrap();
        assert!(header.starts_with("\u{feff}Delivery Doc,Reference Doc,Shipment no.,"));
        assert_eq!(
            body,
            "\"D/1 \"\"100%\"\", é\",,'=1+1,''=A,\"12 Rizal St\nManila\",'plain,,2027-01-15T16:00:00+08:00,\
             1,,,,2.05,999999999.999,,,'+63 917 000 0000,,,,high,,,Complete_With_Variance,,Yes,2,1,\
             0.001,0,wrong_item,,,,,safe_place,,,,No,No,,'@files,,\r\n"
        );
    }

    #[test]
    fn an_item_is_a_row_and_none_is_one_too() {
        let text = file(&[exported(3), exported(0)]);
        let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 4);
        assert_eq!([&rows[0][8], &rows[1][8], &rows[2][8], &rows[3][8]], ["1", "2", "3", ""]);
        assert!(rows.iter().all(|row| row.len() == COLUMNS && &row[0] == "D/1 \"100%\", é"));
    }

    #[test]
    fn pieces_make_one_file() {
        let mut whole = Piece::first().unwrap().finish().unwrap();
        for _ in 0..2 {
            let mut piece = Piece::next();
            assert_eq!(piece.add(&exported(2), &chrono::Utc).unwrap(), 2);
            whole.extend(piece.finish().unwrap());
        }
        let text = String::from_utf8(whole).unwrap();
        assert_eq!(text.matches("Delivery Doc").count(), 1);
        assert_eq!(text.matches("''=A").count(), 4);
    }

    #[test]
    fn taking_one_apostrophe_away_gives_the_text_back() {
        for text in [
            "=1",
            "'=1",
            "''=1",
            "'a",
            "a",
            "+63",
            "-",
            "'",
            "'-",
            "＠a",
            "'＝1",
            "Gate 4;=cmd|'/C calc'!A0;x",
            "a;'=1; ''=1",
            "Ring twice.\n- Use the back door.\n'- Mind the dog.",
            "a\t\"@b",
        ] {
            let mut it = exported(0);
            if let Some(delivery) = &mut it.delivery {
                delivery.instructions = Some(text.to_owned());
            }
            let file = file(&[it]);
            let mut reader = csv::Reader::from_reader(file.trim_start_matches('\u{feff}').as_bytes());
            let row = reader.records().next().unwrap().unwrap();
            let written = &row[18];
            assert!(
                !written
                    .split([';', '\t', '\n'])
                    .any(|cell| cell.starts_with(['=', '+', '-', '@', '＝', '＠']))
            );
            assert_eq!(without_apostrophes(written), text);
        }
    }
}
