//! Files that prove an outcome.

use sea_orm::Iterable;

use super::delivery::{ActorType, spelled};

spelled!(
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

spelled!(
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

/// Returns a file name that is safe in keys and headers: short, plain, never empty.
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
    fn kinds_are_read_and_an_unknown_one_is_named() {
        for name in Kind::SPELLINGS {
            assert_eq!(name.parse::<Kind>().unwrap().as_str(), *name);
        }
        let error = "film".parse::<Kind>().unwrap_err();
        assert!(error.fields["kind"][0].contains("\"film\""), "{error}");
    }
}
