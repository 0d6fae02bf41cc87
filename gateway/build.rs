//! Creates a placeholder if the browser application was not built, so that cargo builds without Node.
//! Compresses the third-party notices.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

const PLACEHOLDER: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Waybill</title>\n\
    <p>the browser application was not built; run <code>just build-frontend</code></p>\n";

fn main() -> io::Result<()> {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dist = here.join("../frontend/dist");
    let index = dist.join("index.html");
    if !index.exists() {
        fs::create_dir_all(&dist)?;
        fs::write(&index, PLACEHOLDER)?;
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let packed = File::create(out.join("third-party-notices.txt.gz"))?;
    let mut packed = GzEncoder::new(packed, Compression::best());
    packed.write_all(&fs::read(here.join("../THIRD-PARTY-NOTICES.txt"))?)?;
    packed.finish()?;
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../frontend/dist");
    println!("cargo:rerun-if-changed=../THIRD-PARTY-NOTICES.txt");
    Ok(())
}
