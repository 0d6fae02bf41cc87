//! The result of a COMMIT during which the connection to Postgres breaks. A proxy cuts the connection, either
//! before the server receives the COMMIT or after the server has carried it out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use kit::Kind;
use sea_orm::{ConnectionTrait, Statement};
use store::Db;
use store::testing::{Backend, TestDb, config};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PASS: u8 = 0;
const CUT_BEFORE: u8 = 1;
const CUT_AFTER: u8 = 2;

/// The COMMIT as sqlx sends it: a simple query.
const COMMIT: &[u8] = b"COMMIT\0";

/// Forwards one connection. In a cutting mode, the next COMMIT ends it and resets the mode to `PASS`.
async fn carry(mut client: TcpStream, server: String, mode: Arc<AtomicU8>) -> std::io::Result<()> {
    let mut server = TcpStream::connect(server).await?;
    let (mut up, mut down) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let sent = &up[..read?];
                if sent.is_empty() {
                    return Ok(());
                }
                if sent.windows(COMMIT.len()).any(|it| it == COMMIT) {
                    match mode.swap(PASS, Ordering::SeqCst) {
                        CUT_BEFORE => return Ok(()),
                        CUT_AFTER => {
                            server.write_all(sent).await?;
                            // A response shows that the server carried out the COMMIT. The client never
                            // receives it.
                            server.read_exact(&mut down[..1]).await?;
                            return Ok(());
                        }
                        _ => {}
                    }
                }
                server.write_all(sent).await?;
            }
            read = server.read(&mut down) => {
                let sent = &down[..read?];
                if sent.is_empty() {
                    return Ok(());
                }
                client.write_all(sent).await?;
            }
        }
    }
}

/// Returns the database's address through a proxy.
async fn behind_a_proxy(url: &str, mode: Arc<AtomicU8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap().to_string();
    let begin = url.find('@').map_or(url.find("://").unwrap() + 3, |at| at + 1);
    let end = begin + url[begin..].find('/').unwrap();
    let server = url[begin..end].to_owned();
    let url = format!("{}{proxy}{}?sslmode=disable", &url[..begin], &url[end..]);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(carry(client, server.clone(), mode.clone()));
        }
    });
    url
}

async fn insert(db: &Db, name: &str) -> kit::Result<()> {
    let tx = db.begin().await?;
    let sql =
        Statement::from_sql_and_values(db.backend(), "INSERT INTO note (name) VALUES ($1)", [name.into()]);
    tx.execute_raw(sql).await.map_err(store::db)?;
    tx.commit().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_answer_is_lost_is_said_to_be_unknown() {
    let test = TestDb::open(Backend::Postgres).await;
    test.db.read().execute_unprepared("CREATE TABLE note (name text PRIMARY KEY)").await.unwrap();
    let mode = Arc::new(AtomicU8::new(PASS));
    let db = Db::connect(&behind_a_proxy(&test.url, mode.clone()).await, &config()).await.unwrap();
    insert(&db, "before").await.unwrap();
    for (cut, name) in [(CUT_BEFORE, "not committed"), (CUT_AFTER, "committed")] {
        mode.store(cut, Ordering::SeqCst);
        let error = insert(&db, name).await.unwrap_err();
        assert_eq!(mode.load(Ordering::SeqCst), PASS, "no COMMIT passed by");
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Unavailable, "COMMIT_UNKNOWN"), "{error:?}");
        // Neither "saved" nor "not saved" would be true, and the message must say what to do.
        assert!(error.message.contains("isn't known"), "{}", error.message);
        assert!(error.message.contains("Reload and check"), "{}", error.message);
        // The broken connection must not be used again.
        insert(&db, &format!("after {name}")).await.unwrap();
    }
    let ask = Statement::from_string(test.db.backend(), "SELECT name FROM note ORDER BY name COLLATE \"C\"");
    let rows = test.db.read().query_all_raw(ask).await.unwrap();
    let names: Vec<String> = rows.iter().map(|row| row.try_get("", "name").unwrap()).collect();
    assert_eq!(names, ["after committed", "after not committed", "before", "committed"]);
    db.close().await;
    test.close().await;
}
