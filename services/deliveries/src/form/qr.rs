//! The QR code of a form.

use kit::{Error, Result};
use qrcodegen::{QrCode, QrCodeEcc};

use super::sheet::{Area, Pen};

/// A printed module smaller than this, in pixels, is hard to scan; a third of a millimetre.
const MODULE: f32 = 1.25;
const LEAST: f32 = 76.0;
const MOST: f32 = 150.0;

pub struct Code(QrCode);

impl Code {
    pub fn new(text: &str) -> Result<Self> {
        QrCode::encode_text(text, QrCodeEcc::Medium).map(Self).map_err(Error::internal)
    }

    /// Of a side, without the quiet zone: the page around it is white.
    pub fn size(&self) -> f32 {
        (self.0.size() as f32 * MODULE).clamp(LEAST, MOST)
    }

    /// The dark modules, those beside each other as one, so that no viewer shows seams.
    pub fn drawn(&self, left: f32, top: f32) -> Pen {
        let count = self.0.size();
        let module = self.size() / count as f32;
        let mut pen = Pen::default();
        for row in 0..count {
            let mut column = 0;
            while column < count {
                let run = (column..count).take_while(|&at| self.0.get_module(at, row)).count() as i32;
                if run > 0 {
                    let (left, top) = (left + column as f32 * module, top + row as f32 * module);
                    pen.rect(Area { left, top, width: run as f32 * module, height: module });
                }
                column += run.max(1);
            }
        }
        pen
    }
}
