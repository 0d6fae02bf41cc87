//! The logo on both databases: links, pictures, the setting, and the removal of unreferenced files.

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use chrono::TimeDelta;
use image::{DynamicImage, ImageFormat, RgbImage};
use kit::principal::{Principal, Role};
use proto::settings::v1::logo_service_server::LogoService;
use proto::settings::v1::{PresignLogoRequest, RequestLogoUploadLinkRequest, Setting, UpdateSettingRequest};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use super::*;
use crate::Migrator;
use crate::domain::access::Reach;
use crate::entity::{logo, logo_upload};
use crate::logo::hostile::{assert_harmless, corpus};
use crate::rpc::Shared;
use crate::store::{By, settings};
use crate::tests::{World, by, good, refused, user};

/// Age in minutes at which the sweep removes unreferenced files.
pub const HOURS: i64 = 4 * 60;

/// The service under test, with the gate that limits how many pictures it processes at once.
pub struct Desk {
    pub world: World,
    gate: Gate,
}

pub fn picture(width: u32, height: u32, shade: u8) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let image = RgbImage::from_pixel(width, height, image::Rgb([shade, 90, 120]));
    DynamicImage::from(image).write_to(&mut out, ImageFormat::Png).unwrap();
    out.into_inner()
}

/// Returns a value of the setting as the browser saves it: the logo's address, and the upload's URL.
pub fn value(url: &str, upload: &str, size: i64) -> String {
    json!({ "url": url, "size": size, "gap": 8, "vertical": 0, "urlObject": upload }).to_string()
}

impl Desk {
    pub async fn open(db: &Db) -> Self {
        Self { world: World::start(db.clone()).await, gate: gate() }
    }

    pub fn context(&self) -> &Context {
        &self.world.context
    }

    /// Uploads a file as the browser does; returns the upload's URL.
    pub async fn uploaded(&self, user: &str, filename: &str, bytes: Vec<u8>) -> String {
        let link = request_link(self.context(), user, filename).await.unwrap();
        let url = link.split('?').next().unwrap().to_owned();
        self.put(&url, bytes).await;
        url
    }

    async fn put(&self, url: &str, bytes: Vec<u8>) {
        let blob = &self.context().blob;
        blob.put(&blob.key_of(url).unwrap(), bytes.into()).await.unwrap();
    }

    pub async fn published(&self, user: &str, url: &str) -> Result<String> {
        publish(self.context(), &self.gate, user, url).await
    }

    pub async fn save(&self, user: &str, value: &str) -> Result<Setting> {
        let request = UpdateSettingRequest { id: ID.into(), value: value.into(), version: None };
        let by = By { actor: user, address: "192.0.2.7", now: self.context().clock.now() };
        let row = settings::update(self.context(), Reach::All, request, by).await?;
        Ok(row.told(&self.context().defaults))
    }

    /// Uploads, publishes and saves a logo; returns its address and the upload's URL.
    pub async fn logo(&self, user: &str, shade: u8) -> (String, String) {
        let url = self.uploaded(user, "logo.png", picture(40, 30, shade)).await;
        let address = self.published(user, &url).await.unwrap();
        self.save(user, &value(&address, &url, 130)).await.unwrap();
        (address, url)
    }

    /// Returns the keys of all objects.
    pub fn objects(&self) -> Vec<String> {
        let root = self.world.objects.path().join("logos");
        let mut found = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push(path.strip_prefix(&root).unwrap().display().to_string()),
                }
            }
        }
        found.sort();
        found
    }

    async fn stored(&self, address: &str) -> Vec<u8> {
        let file = address.rsplit('/').next().unwrap();
        self.context().blob.get(&key_of(file).unwrap(), u64::MAX).await.unwrap().to_vec()
    }

    /// Makes all rows older, because the database's clock decides and tests cannot change it. Uses one
    /// transaction per row, because otherwise two callers would deadlock.
    pub async fn later(&self, minutes: i64) {
        let by = TimeDelta::minutes(minutes);
        let db = &self.context().db;
        for row in logo_upload::Entity::find().all(db.read()).await.unwrap() {
            let older =
                logo_upload::ActiveModel { created_at: Set(row.created_at - by), ..Default::default() };
            let update = logo_upload::Entity::update_many().set(older);
            let tx = db.begin().await.unwrap();
            // A row that was removed in the meantime is no error.
            let one = update.filter(logo_upload::Column::ObjectKey.eq(row.object_key));
            one.exec(&*tx).await.unwrap();
            tx.commit().await.unwrap();
        }
        for row in logo::Entity::find().all(db.read()).await.unwrap() {
            let older = logo::ActiveModel { wanted_at: Set(row.wanted_at - by), ..Default::default() };
            let update = logo::Entity::update_many().set(older);
            let tx = db.begin().await.unwrap();
            update.filter(logo::Column::File.eq(row.file)).exec(&*tx).await.unwrap();
            tx.commit().await.unwrap();
        }
    }

    pub async fn sweep(&self) -> u64 {
        sweep::sweep(self.context(), &Doubts::default()).await.unwrap()
    }
}

fn file_of(address: &str) -> String {
    address.rsplit('/').next().unwrap().to_owned()
}

on_both!(an_upload_becomes_a_logo_at_a_lasting_address, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let url = desk.uploaded("maria", "Our Logo.PNG", picture(1200, 600, 1)).await;
    let start = "https://waybill.example/objects/logos/incoming/";
    assert!(url.starts_with(start) && url.ends_with(".png") && url.len() == start.len() + 64 + 4, "{url}");

    let address = desk.published("maria", &url).await.unwrap();
    let bytes = desk.stored(&address).await;
    let digest = hex::encode(digest(&SHA256, &bytes));
    assert_eq!(address, format!("https://waybill.example/logo/{digest}.png"));
    let shown = image::load_from_memory(&bytes).unwrap();
    assert_eq!((shown.width(), shown.height()), (520, 260));
    assert_eq!(desk.objects(), [file_of(&address)], "what was uploaded is gone");

    assert_eq!(desk.published("maria", &url).await.unwrap(), address, "the same again");
    let setting = desk.save("maria", &value(&address, &url, 90)).await.unwrap();
    assert_eq!(setting.value, value(&address, &url, 90));

    // If somebody else uploads the same picture, it becomes the same logo.
    let other = desk.uploaded("jose", "x.png", picture(1200, 600, 1)).await;
    assert_eq!(desk.published("jose", &other).await.unwrap(), address);

    let drawn = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>"#;
    // The type follows from the bytes, not from the name.
    let url = desk.uploaded("maria", "logo.png", drawn.into()).await;
    let address = desk.published("maria", &url).await.unwrap();
    assert!(address.ends_with(".svg"), "{address}");
    desk.save("maria", &value(&address, &url, 130)).await.unwrap();
});

on_both!(a_jpeg_is_turned_upright_and_loses_what_it_tells, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let file = corpus().into_iter().find(|file| file.name == "jpeg lying on its side").unwrap();
    let url = desk.uploaded("maria", "IMG_1.JPG", file.bytes()).await;
    let bytes = desk.stored(&desk.published("maria", &url).await.unwrap()).await;
    let shown = image::load_from_memory(&bytes).unwrap();
    assert_eq!((shown.width(), shown.height()), (8, 16));
    assert!(!bytes.windows(4).any(|window| window == b"Exif"));
});

on_both!(only_administrators_and_only_their_own_uploads, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let service = crate::rpc::logo::Service::new(Shared { context: desk.context().clone() });
    let url = desk.uploaded("admin-1", "logo.png", picture(9, 9, 1)).await;
    let link = || RequestLogoUploadLinkRequest { filename: "logo.svg".into() };
    let presign = || PresignLogoRequest { url: url.clone() };
    let nobody = [Role::TransportPlanner, Role::Dispatcher, Role::Viewer, Role::Driver].map(user);
    for who in nobody.into_iter().chain([Principal::Service { name: "gateway".into() }]) {
        let error = refused(service.request_logo_upload_link(by(who.clone(), link())).await);
        assert_eq!(error.kind, Kind::Forbidden);
        assert_eq!(refused(service.presign_logo(by(who, presign())).await).kind, Kind::Forbidden);
    }
    let unknown = "https://waybill.example/objects/logos/incoming/none.png".to_owned();
    let address = good(service.presign_logo(by(user(Role::Admin), presign())).await).presigned_url;
    let published = address.replace("/logo/", "/objects/logos/");
    let other = desk.uploaded("jose", "logo.png", picture(9, 9, 2)).await;
    let link = good(service.request_logo_upload_link(by(user(Role::Admin), link())).await).url;
    let nothing_there = link.split('?').next().unwrap().to_owned();
    for url in [unknown, address, published, other, nothing_there, link, String::new(), "x".repeat(9_000)] {
        let error = refused(service.presign_logo(by(user(Role::Admin), PresignLogoRequest { url })).await);
        assert_eq!((error.kind, error.reason.as_str()), (Kind::NotFound, "OBJECT_NOT_FOUND"));
    }
});

on_both!(names_are_checked_and_become_no_part_of_a_key, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    for bad in ["logo", "logo.", "logo.gif", "logo.svgz", "logo.png.exe", "png", ".", "logo.png "] {
        let error = request_link(desk.context(), "maria", bad).await.unwrap_err();
        assert_eq!((error.reason.as_str(), error.message.as_str()), ("FILE_TYPE_INVALID", "Invalid file"));
    }
    for bad in [String::new(), "  ".into(), format!("{}.png", "x".repeat(252))] {
        let error = request_link(desk.context(), "maria", &bad).await.unwrap_err();
        assert_eq!(error.fields["filename"], ["Filename must have 1 to 255 characters"]);
    }
    let mut keys = std::collections::HashSet::new();
    for good in ["a.svg", "A.JPEG", "../../b.jpg", "x.y.PnG", "\u{202e}\0.png", ".png"] {
        let link = request_link(desk.context(), "maria", good).await.unwrap();
        let key = desk.context().blob.key_of(link.split('?').next().unwrap()).unwrap();
        let (stem, extension) = key.as_str().strip_prefix(INCOMING).unwrap().split_once('.').unwrap();
        assert!(stem.len() == 64 && stem.bytes().all(|b| b.is_ascii_hexdigit()), "{key}");
        assert!(EXTENSIONS.contains(&extension), "{key}");
        assert!(link.contains("method=PUT"), "{link}");
        assert!(keys.insert(key), "a fresh one each time");
    }
});

on_both!(what_cannot_be_shown_is_refused_and_removed, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let large = [picture(9, 9, 1), vec![0; MAX_LOGO_BYTES as usize]].concat();
    let wide = corpus().into_iter().find(|file| file.name == "png 100 megapixels").unwrap().bytes();
    for (bytes, reason, text) in [
        (large, "FILE_TOO_LARGE", "The file is larger than 2 MB. Choose a smaller one."),
        (
            wide,
            "PICTURE_TOO_LARGE",
            "The picture has more than 16 megapixels, or a side of more than 16,384 pixels. Choose a smaller one.",
        ),
        (b"GIF89a".to_vec(), "FILE_TYPE_INVALID", "Invalid file"),
    ] {
        let url = desk.uploaded("maria", "logo.png", bytes).await;
        let error = desk.published("maria", &url).await.unwrap_err();
        assert_eq!((error.reason.as_str(), error.message.as_str()), (reason, text));
        assert!(desk.objects().is_empty(), "nothing stays");
        let error = desk.published("maria", &url).await.unwrap_err();
        assert_eq!(error.reason, "OBJECT_NOT_FOUND");
    }
});

on_both!(hostile_files_are_stored_as_something_else_or_not_at_all, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let mut taken = 0;
    for file in corpus() {
        let (name, bytes) = (&file.name, file.bytes());
        // Use a user per file, because nobody may have that many uploads.
        let user = name.as_str();
        let Ok(link) = request_link(desk.context(), user, &file.filename).await else {
            assert!(name.starts_with("name "), "{name}");
            continue;
        };
        let url = link.split('?').next().unwrap().to_owned();
        desk.put(&url, bytes.clone()).await;
        let Ok(address) = desk.published(user, &url).await else { continue };
        let stored = desk.stored(&address).await;
        assert_ne!(stored, bytes, "{name}");
        let format = if address.ends_with(".svg") { picture::Format::Svg } else { picture::Format::Png };
        assert_harmless(name, &Picture { format, bytes: stored.into() });
        desk.save(user, &value(&address, &url, 130)).await.unwrap();
        taken += 1;
    }
    assert!(taken > 50, "{taken}");
    assert!(desk.objects().iter().all(|key| value::is_file(key)), "only what was made: {:?}", desk.objects());
});

on_both!(the_setting_holds_a_logo_that_is_there_or_is_refused, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let (address, url) = desk.logo("maria", 1).await;
    let file = file_of(&address);
    let other = "0".repeat(64);
    let text = |url: &str, more: &str| format!(r#"{{"url":"{url}","urlObject":"{0}"{more}}}"#, "x");
    for bad in [
        "".to_owned(),
        "null".into(),
        "[]".into(),
        "{}".into(),
        "not json".into(),
        address.clone(),
        text(&address, r#","size":"130""#),
        text(&address, r#","size":1.5"#),
        text(&address, r#","scale":2"#),
        text(&address, r#","url":"again""#),
        value(&address, &url, 0),
        value(&address, &url, 131),
        value(&address, &url, 130).replace("\"gap\":8", "\"gap\":0"),
        value(&address, &url, 130).replace("\"gap\":8", "\"gap\":31"),
        value(&address, &url, 130).replace("\"vertical\":0", "\"vertical\":31"),
        value(&address, &url, 130).replace("\"vertical\":0", "\"vertical\":-31"),
        value("", &url, 130),
        value("https://evil.example/logo.png", &url, 130),
        value(&format!("https://evil.example/logo/{file}"), &url, 130),
        value(&format!("http://waybill.example/logo/{file}"), &url, 130),
        value(&format!("//evil.example/logo/{file}"), &url, 130),
        value(&format!("{address}?x"), &url, 130),
        value(&format!("{address}/"), &url, 130),
        value(&address.replace("/logo/", "/logo/../logo/"), &url, 130),
        value(&address.to_uppercase(), &url, 130),
        value(&address.replace(".png", ".svg"), &url, 130),
        value(&format!("/logo/{other}.png"), &url, 130),
        value(&format!("data:image/png;base64,{other}"), &url, 130),
        value("javascript:alert(1)", &url, 130),
        value(&address, "", 130),
        value(&address, "https://evil.example/x", 130),
        value(&address, &address, 130),
    ] {
        let error = desk.save("maria", &bad).await.unwrap_err();
        assert_eq!(
            (error.kind, error.reason.as_str()),
            (Kind::InvalidInput, "SETTING_VALUE_INVALID"),
            "{bad}"
        );
        assert!(!error.fields["value"].is_empty(), "{bad}");
    }
    // The address may be a path only, and other parts have defaults.
    let short = format!(r#"{{"url":"/logo/{file}","urlObject":"{url}"}}"#);
    assert_eq!(desk.save("maria", &short).await.unwrap().value, short);

    // Somebody else may change the size, but may not use another person's upload.
    desk.save("jose", &value(&address, &url, 40)).await.unwrap();
    let next = desk.uploaded("maria", "b.png", picture(9, 9, 2)).await;
    let next_address = desk.published("maria", &next).await.unwrap();
    let error = desk.save("jose", &value(&next_address, &next, 40)).await.unwrap_err();
    assert_eq!(error.fields["urlObject"], ["The logo was not uploaded. Upload it again."]);
    let mixed = desk.save("maria", &value(&next_address, &url, 40)).await.unwrap_err();
    assert!(mixed.fields.contains_key("urlObject"), "an upload that gave another logo");
    desk.save("maria", &value(&next_address, &next, 40)).await.unwrap();
});

on_both!(what_nothing_refers_to_goes_after_some_hours, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    desk.uploaded("maria", "abandoned.png", picture(9, 9, 9)).await;
    let unsaved = desk.uploaded("maria", "unsaved.png", picture(9, 9, 8)).await;
    let unsaved = desk.published("maria", &unsaved).await.unwrap();
    let (address, url) = desk.logo("maria", 1).await;
    assert_eq!(desk.objects().len(), 3);
    desk.later(HOURS - 120).await;
    assert_eq!(desk.sweep().await, 0);
    // A process whose clock has jumped ahead removes nothing recent.
    desk.world.clock.advance(TimeDelta::days(400));
    assert_eq!(desk.sweep().await, 0);
    desk.later(120).await;
    assert_eq!(desk.sweep().await, 3, "two uploads and a logo");
    assert_eq!(desk.objects(), [file_of(&address)]);
    assert_eq!(desk.sweep().await, 0, "nothing twice");
    let error = desk.save("maria", &value(&unsaved, &url, 130)).await.unwrap_err();
    assert!(error.fields.contains_key("urlObject"));
    // The upload that the setting refers to can still be published.
    assert_eq!(desk.published("maria", &url).await.unwrap(), address);
    desk.save("maria", &value(&address, &url, 12)).await.unwrap();

    // The logos of the last twenty changes are kept, too.
    let mut newest = String::new();
    for shade in 2..=21 {
        newest = desk.logo("maria", shade).await.0;
        desk.later(HOURS).await;
        desk.sweep().await;
    }
    assert!(desk.objects().contains(&file_of(&address)), "it is what the oldest of the twenty replaced");
    for size in 1..=21 {
        let (now, place) = desk.logo("maria", 21).await;
        desk.save("maria", &value(&now, &place, size)).await.unwrap();
    }
    desk.later(HOURS).await;
    desk.sweep().await;
    assert_eq!(desk.objects(), [file_of(&newest)]);
});

on_both!(a_logo_whose_domain_changed_stays, Migrator, |db: Db| async move {
    let mut desk = Desk::open(&db).await;
    let (address, url) = desk.logo("maria", 1).await;
    desk.world.context.public_url = "https://new.example".to_owned();
    desk.later(48 * 60).await;
    desk.sweep().await;
    assert_eq!(desk.objects(), [file_of(&address)]);
    // Its size can be changed; a third host is refused as ever.
    desk.save("maria", &value(&address, &url, 40)).await.unwrap();
    let other = address.replace("waybill.example", "evil.example");
    let error = desk.save("maria", &value(&other, &url, 50)).await.unwrap_err();
    assert_eq!(error.fields["url"], ["The logo must be one that was uploaded here"]);
});

on_both!(dying_between_two_steps_leaves_nothing_wrong, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let context = desk.context();
    let bytes = picture::of(&picture(9, 9, 1)).unwrap().bytes;
    let file = format!("{}.png", hex::encode(digest(&SHA256, &bytes)));

    // A crash after the logo's row was written, and before its object was.
    store::touch_or_add(&context.db, &file, "maria").await.unwrap();
    let url = desk.uploaded("maria", "a.png", picture(9, 9, 1)).await;
    store::set_published(&context.db, context.blob.key_of(&url).unwrap().as_str(), &file).await.unwrap();
    let address = format!("https://waybill.example/logo/{file}");
    let error = desk.save("maria", &value(&address, &url, 130)).await.unwrap_err();
    assert_eq!(error.fields["url"], ["The logo does not exist any more. Upload it again."]);

    // A crash after the object was written, and before the upload refers to the logo: publishing again
    // completes it.
    let url = desk.uploaded("maria", "a.png", picture(9, 9, 1)).await;
    context.blob.put(&key_of(&file).unwrap(), bytes.clone()).await.unwrap();
    assert_eq!(desk.published("maria", &url).await.unwrap(), address);

    // A crash before the uploaded file was removed.
    desk.put(&url, picture(9, 9, 1)).await;
    desk.save("maria", &value(&address, &url, 130)).await.unwrap();
    desk.later(HOURS).await;
    desk.sweep().await;
    assert_eq!(desk.objects(), std::slice::from_ref(&file));

    // A crash of the sweep after it removed an object, and before it committed: uploading the picture again
    // restores it.
    let url = desk.uploaded("maria", "b.png", picture(9, 9, 2)).await;
    let gone = desk.published("maria", &url).await.unwrap();
    context.blob.delete(&key_of(&file_of(&gone)).unwrap()).await.unwrap();
    assert!(desk.save("maria", &value(&gone, &url, 130)).await.is_err());
    let url = desk.uploaded("maria", "b.png", picture(9, 9, 2)).await;
    assert_eq!(desk.published("maria", &url).await.unwrap(), gone);
    desk.save("maria", &value(&gone, &url, 130)).await.unwrap();
});

// An administrator's account can be used to store only a limited number of unused uploads.
on_both!(so_many_uploads_and_no_more, Migrator, |db: Db| async move {
    let desk = Desk::open(&db).await;
    let url = desk.uploaded("maria", "logo.png", picture(9, 9, 1)).await;
    for _ in 1..MAX_OPEN {
        request_link(desk.context(), "maria", "logo.png").await.unwrap();
    }
    let error = request_link(desk.context(), "maria", "logo.png").await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::RateLimited, "TOO_MANY_UPLOADS"));
    assert!(request_link(desk.context(), "jose", "logo.png").await.is_ok(), "others go on");
    // An upload that became a logo does not count any more.
    desk.published("maria", &url).await.unwrap();
    assert!(request_link(desk.context(), "maria", "logo.png").await.is_ok());
    assert!(request_link(desk.context(), "maria", "logo.png").await.is_err());
});
