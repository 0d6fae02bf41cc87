//! Which drawings pass the check without being cleaned first.

use crate::logo::hostile::corpus;
use crate::logo::svg::{check, clean};

const NS: &str = "http://www.w3.org/2000/svg";

fn svg(within: &str) -> String {
    format!(r#"<svg xmlns="{NS}" viewBox="0 0 80 60">{within}</svg>"#)
}

fn is_fine(text: &str) -> bool {
    check(text.as_bytes()).is_ok()
}

#[test]
fn a_logo_as_drawing_programs_write_it_stays_what_it_is() {
    let logo = format!(
        r##"<?xml version="1.0" encoding="UTF-8"?>
<!-- made by a program -->
<svg xmlns="{NS}" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:app="urn:app" width="120" height="40" viewBox="0 0 120 40" app:version="3">
  <metadata>who made it</metadata>
  <title>Habagat Logistics</title>
  <defs>
    <linearGradient id="sea" x1="0" x2="1"><stop offset="0" stop-color="#036"/><stop offset="1" stop-color="rgb(0, 170, 119)"/></linearGradient>
    <linearGradient id="deep" xlink:href="#sea" gradientTransform="rotate(90)"/>
    <clipPath id="round"><circle cx="20" cy="20" r="18"/></clipPath>
    <filter id="shadow"><feDropShadow dx="1" dy="1" stdDeviation="1"/></filter>
    <style>.word {{ fill: url(#sea); font-family: 'Inter', sans-serif }}</style>
  </defs>
  <g clip-path="url(#round)" filter="url(#shadow)"><rect width="40" height="40" fill="url(#deep)"/></g>
  <path d="M4 20c8-8 24-8 32 0" style="stroke:#fff;stroke-width:3" transform="translate(1 2)"/>
  <text class="word" x="46" y="26">Habagat</text>
</svg>"##
    );
    let cleaned = String::from_utf8(clean(logo.as_bytes()).unwrap()).unwrap();
    for kept in [
        "viewBox=\"0 0 120 40\"",
        "M4 20c8-8 24-8 32 0",
        "url(#sea)",
        "href=\"#sea\"",
        "url(#shadow)",
        ">Habagat</text>",
        "stroke-width:3",
    ] {
        assert!(cleaned.contains(kept), "{kept}: {cleaned}");
    }
    for gone in ["metadata", "xlink", "app:", "made by"] {
        assert!(!cleaned.contains(gone), "{gone}: {cleaned}");
    }
    let again = clean(cleaned.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(again).unwrap().matches('<').count(), cleaned.matches('<').count());
}

#[test]
fn a_picture_within_becomes_one_of_ours() {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(900, 30).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let picture = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, png.into_inner());
    let text = svg(&format!(r#"<image width="9" height="9" href="data:image/png;base64,{picture}"/>"#));
    let cleaned = String::from_utf8(clean(text.as_bytes()).unwrap()).unwrap();
    assert!(cleaned.contains("data:image/png;base64,") && !cleaned.contains(&picture), "{cleaned}");
}

#[test]
fn a_drawing_that_loses_parts_is_refused() {
    let data = |kind: &str, bytes: &[u8]| {
        let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
        format!(r#"<image width="9" height="9" href="data:image/{kind};base64,{text}"/>"#)
    };
    let large = corpus().into_iter().find(|file| file.name == "png 100 megapixels").unwrap().bytes();
    let mut small = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(1, 1).write_to(&mut small, image::ImageFormat::Png).unwrap();
    let small = data("png", &small.into_inner());
    let gradient = |id: &str, style: &str, shape: &str| {
        let gradient = format!(r#"<linearGradient id="{id}"><stop stop-color="red"/></linearGradient>"#);
        format!("<style>{style}</style>{gradient}{shape}")
    };
    let rect = r#"<rect class="a" width="9" height="9"/>"#;
    for lost in [
        data("png", &large),
        data("gif", b"GIF89a"),
        small.repeat(5),
        r##"<path id="p" d="M0 0h9"/><text><textPath href="#p">Habagat</textPath></text>"##.to_owned(),
        gradient("Dégradé_5", ".a{fill:url(#Dégradé_5)}", rect),
        gradient("渐变", "", r##"<rect width="9" height="9" fill="url(#渐变)"/>"##),
        gradient("b", ".größe{fill:url(#b)}", r#"<rect class="größe" width="9" height="9"/>"#),
    ] {
        let error = clean(svg(&format!("{lost}{rect}")).as_bytes()).unwrap_err();
        assert!(
            error.fields["url"][0].starts_with("Parts of the SVG are missing or would be lost"),
            "{error:?}"
        );
    }
    for kept in [small.repeat(4), gradient("b", ".a{fill:url(#b);font-family:'明朝'}", rect)] {
        clean(svg(&kept).as_bytes()).unwrap();
    }
}

#[test]
fn the_second_layer_refuses_by_itself_what_the_first_should_have_left_out() {
    let shape = "<rect width='9' height='9'/>";
    assert!(is_fine(&svg(shape)));
    for within in [
        "<script/>",
        "<script xmlns='http://www.w3.org/1999/xhtml'/>",
        "<foreignObject/>",
        "<animate/>",
        "<set/>",
        "<feImage/>",
        "<feTurbulence/>",
        "<marker/>",
        "<g onload='x'/>",
        "<g ONLOAD='x'/>",
        "<g xmlns:x='http://www.w3.org/1999/xlink' x:href='#a'/>",
        "<use href='http://evil.example/#a'/>",
        "<use href='other.svg#a'/>",
        "<image href='data:image/svg+xml,x'/>",
        "<image href='data:image/png,x'/>",
        "<use href='data:image/png;base64,x'/>",
        "<a href='javascript:x'/>",
        "<g fill='url(http://evil.example/#a)'/>",
        "<g fill='url( \"//evil.example\" )'/>",
        "<g fill='URL(x)'/>",
        "<g style='mask:image-set(\"x\" 1x)'/>",
        "<g style='width:expression(x)'/>",
        "<g style='fill:u\\72l(x)'/>",
        "<g style='fill:é(x)'/>",
        "<style>@import 'x';</style>",
        "<style>a{fill:ur/**/l(x)}</style>",
        "<style>a{fill:src('x')}</style>",
        "<?xml-stylesheet href='x'?>",
        "<!-- x -->",
        "<g id='a'/><g id='a'/>",
        "<g id='a'><use href='#a'/></g>",
        "<image/>",
        "<g fill='url(#a)'/>",
        "<g id=''/><g fill='url(#)'/>",
        "<style>.\u{e9}{fill:red}</style>",
    ] {
        assert!(!is_fine(&svg(&format!("{within}{shape}"))), "{within}");
    }
    for text in [
        String::new(),
        "<svg/>".to_owned(),
        format!("<g xmlns='{NS}'>{shape}</g>"),
        format!("<svg xmlns='{NS}'>{shape}</svg>"),
        format!("<svg xmlns='{NS}' viewBox='0 0 0 9'>{shape}</svg>"),
        format!("<svg xmlns='{NS}' viewBox='0 0 9'>{shape}</svg>"),
        format!("<svg xmlns='{NS}' width='100%' height='9'>{shape}</svg>"),
        format!("<svg xmlns='{NS}' width='NaN' height='inf'>{shape}</svg>"),
        format!("<!DOCTYPE svg>{}", svg(shape)),
        svg("<defs><rect/></defs>"),
        svg("<title>only words</title>"),
        svg(&format!("{}{}{shape}", "<g>".repeat(150), "</g>".repeat(150))),
    ] {
        assert!(!is_fine(&text), "{text:.200}");
    }
    assert!(is_fine(&format!("<svg xmlns='{NS}' width='12.5mm' height='4px'>{shape}</svg>")));
}

#[test]
fn what_refers_to_others_is_counted_as_often_as_it_is_drawn() {
    let doubled = |steps: usize| {
        let step = |i: usize| format!("<g id='u{i}'><use href='#u{0}'/><use href='#u{0}'/></g>", i - 1);
        let steps: String = (1..=steps).map(step).collect();
        svg(&format!("<rect id='u0' width='1' height='1'/>{steps}"))
    };
    assert!(is_fine(&doubled(8)));
    assert!(!is_fine(&doubled(20)), "a million");
    let styled = |elements: usize| {
        let gradient = "<linearGradient id='g'><stop/><stop/></linearGradient>".to_owned();
        let style = "<style>*{filter:url(#f);fill:url(#g)}</style>";
        let filter = "<filter id='f'><feGaussianBlur/><feOffset/></filter>";
        svg(&(gradient + style + filter + &"<rect/>".repeat(elements)))
    };
    assert!(is_fine(&styled(200)));
    assert!(!is_fine(&styled(4_000)));
}
