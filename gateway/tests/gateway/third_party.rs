//! The third-party notices.

use std::io::Read;

use flate2::read::GzDecoder;
use kit::Role;
use serde_json::json;

use crate::world::World;

const PATH: &str = "/third-party-notices.txt";

#[tokio::test]
async fn notices_are_for_people_who_are_signed_in() {
    let world = World::new();
    let refused = world.get(PATH, &[]).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (401, &json!("UNAUTHENTICATED")));
    let bearer = format!("Bearer {}", world.token(Role::Viewer));
    let plain = world.get(PATH, &[("authorization", &bearer)]).await;
    assert_eq!((plain.status.as_u16(), plain.header("content-type")), (200, "text/plain; charset=utf-8"));
    assert_eq!(plain.header("cache-control"), "private, no-store");
    let text = std::str::from_utf8(&plain.body).unwrap();
    for part in
        ["\ntokio 1", "\nreact 1", "\nInter ", "\nNatural Earth ", "\nSQLite ", "SIL OPEN FONT LICENSE"]
    {
        assert!(text.contains(part), "{part}");
    }
    let packed = world.get(PATH, &[("authorization", &bearer), ("accept-encoding", "gzip")]).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    let mut read = String::new();
    GzDecoder::new(&packed.body[..]).read_to_string(&mut read).unwrap();
    assert_eq!(read, text);
}
