//! Files that prove an outcome.

use kit::input::limits::FILENAME;
use kit::input::text::{JOINERS, is_blank, is_invisible};
use kit::text::normalize;
use sea_orm::Iterable;

use super::delivery::{ActorType, text_enum};

text_enum!(
    /// The kind of content of a file.
    Kind {
        Signature => "signature",
        Photo => "photo",
        Document => "document",
        BarcodeImage => "barcode_image",
        IdCheck => "id_check",
        Other => "other",
    }
);

text_enum!(
    /// Where an attachment came from.
    Origin { DriverApp => "driver_app", Office => "office", Import => "import", Api => "api" }
);

impl std::str::FromStr for Kind {
    type Err = kit::Error;

    fn from_str(text: &str) -> kit::Result<Self> {
        let known = Kind::iter().find(|kind| kind.as_str() == text);
        known.ok_or_else(|| {
            let text = format!("Kind {text:?} is unknown; use one of {}", Kind::SPELLINGS.join(", "));
            kit::Error::invalid_field("kind", text)
        })
    }
}

impl Origin {
    pub fn of(actor: ActorType) -> Self {
        match actor {
            ActorType::Driver => Self::DriverApp,
            ActorType::User => Self::Office,
            ActorType::Import => Self::Import,
            ActorType::System | ActorType::Api => Self::Api,
        }
    }
}

/// Returns the file name as it is shown: without folders and invisible characters, never empty.
pub fn shown_name(filename: &str) -> String {
    let name = filename.rsplit(['/', '\\']).next().unwrap_or_default();
    // Removed, not refused: a phone chooses such names, and its driver cannot change them.
    let name = normalize(&name.replace(|c: char| is_invisible(c) && !JOINERS.contains(&c), ""));
    if is_blank(&name) {
        return plain_name(filename);
    }
    // Normalized, a name can be longer. Keep its end, which has the file type.
    let beyond = name.chars().count().saturating_sub(FILENAME);
    name.chars().skip(beyond).collect()
}

/// Returns the name under which a file is saved. It ends as files of its type do, because anybody can name a picture
/// like a program or a web page.
pub fn download_name(filename: &str, content_type: &str) -> String {
    let endings: &[&str] = match content_type {
        "image/jpeg" => &["jpg", "jpeg"],
        "image/png" => &["png"],
        "image/webp" => &["webp"],
        "image/heic" => &["heic", "heif"],
        "application/pdf" => &["pdf"],
        _ => &["bin"],
    };
    let has_ending = filename
        .rsplit_once('.')
        .is_some_and(|(_, ending)| endings.iter().any(|it| it.eq_ignore_ascii_case(ending)));
    if has_ending { filename.to_owned() } else { format!("{filename}.{}", endings[0]) }
}

/// Returns a file name that is safe in keys: short, plain, never empty.
pub fn plain_name(filename: &str) -> String {
    const MOST: usize = 100;
    let mut plain = String::new();
    for letter in filename.to_lowercase().chars() {
        let letter = if letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_') { letter } else { '-' };
        match letter {
            '-' | '.' if plain.is_empty() || plain.ends_with('.') => {}
            '-' if plain.ends_with('-') => {}
            '.' if plain.ends_with('-') => {
                plain.pop();
                plain.push('.');
            }
            _ => plain.push(letter),
        }
    }
    // Keep the end of the name, which has the file type.
    let from = plain.len().saturating_sub(MOST);
    let plain = plain[from..].trim_matches(['-', '.']);
    if plain.is_empty() { "file".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_plain() {
        for (filename, plain) in [
            ("IMG_2041.JPG", "img_2041.jpg"),
            ("Foto vom Hof (2).png", "foto-vom-hof-2.png"),
            ("../../etc/passwd", "etc-passwd"),
            (".htaccess", "htaccess"),
            ("a..b", "a.b"),
            ("Ñandú.pdf", "and.pdf"),
            ("漢字", "file"),
            ("", "file"),
            ("a\u{0}b?c#d", "a-b-c-d"),
        ] {
            assert_eq!(plain_name(filename), plain);
        }
        let long = plain_name(&format!("{}.jpeg", "x".repeat(300)));
        assert!(long.len() == 100 && long.ends_with(".jpeg"), "{long}");
    }

    #[test]
    fn names_of_files_are_shown_as_they_are() {
        for (filename, shown) in [
            ("Договор № 7.pdf", "Договор № 7.pdf"),
            ("漢字.jpg", "漢字.jpg"),
            ("عقد.pdf", "عقد.pdf"),
            ("IMG_2041.JPG", "IMG_2041.JPG"),
            (" Jose\u{301}.png ", "José.png"),
            ("می\u{200c}خواهم 👩\u{200d}👧.jpg", "می\u{200c}خواهم 👩\u{200d}👧.jpg"),
            ("a\"b; c='d'.pdf", "a\"b; c='d'.pdf"),
        ] {
            assert_eq!(shown_name(filename), shown, "{filename:?}");
        }
    }

    #[test]
    fn folders_and_what_nobody_sees_are_no_part_of_a_shown_name() {
        for (filename, shown) in [
            ("../../Договор.pdf", "Договор.pdf"),
            ("C:\\fakepath\\Договор.pdf", "Договор.pdf"),
            ("a\r\nb\0.pdf", "ab.pdf"),
            ("a\u{202e}fdp.exe", "afdp.exe"),
            ("\u{feff}a\u{ad}b\u{200b}\u{2066}c.pdf", "abc.pdf"),
            ("photos/", "photos"),
            ("\u{202e}\u{200d} ", "file"),
        ] {
            assert_eq!(shown_name(filename), shown, "{filename:?}");
        }
        // U+0958 has no composed form: it becomes two characters.
        let long = shown_name(&format!("{}.pdf", "\u{958}".repeat(251)));
        assert!(long.chars().count() == FILENAME && long.ends_with(".pdf"), "{long}");
    }

    #[test]
    fn a_download_ends_as_files_of_its_type_do() {
        for (filename, content_type, saved) in [
            ("Договор.PDF", "application/pdf", "Договор.PDF"),
            ("a.jpeg", "image/jpeg", "a.jpeg"),
            ("漢字", "image/png", "漢字.png"),
            ("image.html", "image/jpeg", "image.html.jpg"),
            ("pdf", "application/pdf", "pdf.pdf"),
        ] {
            assert_eq!(download_name(filename, content_type), saved);
        }
    }

    #[test]
    fn kinds_are_read_and_an_unknown_one_is_named() {
        for name in Kind::SPELLINGS {
            assert_eq!(name.parse::<Kind>().unwrap().as_str(), *name);
        }
        let error = "film".parse::<Kind>().unwrap_err();
        assert!(error.fields["kind"][0].contains("\"film\""), "{error}");
    }
}
