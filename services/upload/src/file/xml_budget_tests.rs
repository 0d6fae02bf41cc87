use super::*;

fn scan(xml: &str, piece: usize) -> Result<Budget, FileError> {
    let mut budget = Budget::default();
    let mut scanner = Scanner::new(&mut budget);
    for piece in xml.as_bytes().chunks(piece) {
        scanner.push(piece)?;
    }
    Ok(budget)
}

fn refused(xml: &str) -> &'static str {
    let whole = scan(xml, 1 << 16).err().map(|e| e.code);
    assert_eq!(whole, scan(xml, 7).err().map(|e| e.code));
    whole.unwrap_or("")
}

#[test]
fn adds_up_what_is_kept() {
    let xml = "<?xml version='1.0' encoding='UTF-8'?><!-- <si>no</si> --><sst uniqueCount=\"3\"><si><t>a>b</t></si><x:si/><si><r><t>c</t></r></si></sst>";
    let budget = scan(xml, 5).unwrap();
    assert_eq!(budget.kept, 3 * 64 + "<si><t>a>b</t></si><x:si/><si><r><t>c</t></r></si>".len() as u64);
    assert!(budget.check(budget.kept).is_ok());
    assert_eq!(budget.check(budget.kept - 1).unwrap_err().code, "FILE_TOO_COMPLEX");
}

#[test]
fn a_format_costs_its_copies() {
    let font = format!("<font><name val=\"{}\"/></font>", "x".repeat(100_000));
    let budget = scan(&format!("{font}{}", "<xf/>".repeat(10_000)), 4096).unwrap();
    assert!(budget.check(128 << 20).is_err());
    assert!(scan(&"<xf/>".repeat(10_000), 4096).unwrap().check(128 << 20).is_ok());
}

#[test]
fn refusals() {
    assert_eq!(refused("<!DOCTYPE lolz [<!ENTITY lol \"lol\">]><a/>"), "FILE_NOT_READABLE");
    assert_eq!(refused("<?xml version=\"1.0\" encoding=\"utf-16\"?>"), "FILE_NOT_READABLE");
    assert_eq!(refused("<?xml version=\"1.0\" encoding=utf-8?>"), "FILE_NOT_READABLE");
    assert_eq!(
        refused("<Relationship Type='x/worksheet' Target='a.xml' Target='b.png'/>"),
        "FILE_NOT_READABLE"
    );
    assert_eq!(refused("<a>\0</a>"), "FILE_NOT_READABLE");
    assert_eq!(refused("<sst count='1' uniqueCount='99999999999'>"), "FILE_TOO_COMPLEX");
    assert_eq!(refused("<sst uniqueCount='99999999'>"), "FILE_TOO_COMPLEX");
    assert_eq!(refused(&format!("<v>{}</v>", "1".repeat(3 << 20))), "FILE_TOO_COMPLEX");
    assert_eq!(refused(&format!("<v>{}</v>", "<![CDATA[a<b]]>".repeat(300_000))), "");
    assert_eq!(refused(&format!("<c><v>{}</v></c>", "<![CDATA[a<b]]>".repeat(300_000))), "FILE_TOO_COMPLEX");
    assert_eq!(refused("<Relationship Id='1' Type='x/worksheet' Target='a.png'/>"), "FILE_NOT_READABLE");
    assert_eq!(refused("<Relationship Id='1' Type='x/worksheet' Target='a.XML'/>"), "");
    assert_eq!(refused("<Relationship Id='1' Type='x/image' Target='a.png'/>"), "");
}

#[test]
fn attributes_by_whole_names() {
    let all: Vec<_> = attributes(b"sst xcount=\"1\" count = '2>' u=\"\"/").collect();
    assert_eq!(all, [(&b"xcount"[..], &b"1"[..]), (b"count", b"2>"), (b"u", b"")]);
    assert_eq!(attributes(b"a b=c d='e'").count(), 0);
}
