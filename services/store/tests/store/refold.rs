//! Keys that were folded by older rules are updated, and no row is lost.

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use sea_orm_migration::SchemaManager;
use store::refold::{Follower, Keys, refold};
use store::testing::{Backend, TestDb};

/// The old folding: lower case alone.
fn old(text: &str) -> String {
    text.trim().to_lowercase()
}

const OF_CARDS: &[Follower] = &[Follower { table: "fact", column: "card_key", shown: None }];
const OF_LINES: &[Follower] = &[Follower { table: "note", column: "line_key", shown: Some("line") }];
const KEYS: &[Keys] = &[
    Keys::identity("card", "name_key", "name").followed_by(OF_CARDS),
    Keys::identity_within("card_key", "line", "line_key", "line").followed_by(OF_LINES),
    Keys::distinct("word", "word_key"),
    Keys::shared("fact", "by_key"),
];

async fn run(db: &impl ConnectionTrait, sql: &str, values: &[&str]) {
    let values = values.iter().map(|it| (*it).into());
    db.execute_raw(Statement::from_sql_and_values(db.get_database_backend(), sql, values)).await.unwrap();
}

async fn all(db: &impl ConnectionTrait, sql: &str) -> Vec<String> {
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await.unwrap();
    rows.iter().map(|row| row.try_get_by_index::<String>(0).unwrap()).collect()
}

async fn tables(db: &impl ConnectionTrait) {
    let postgres = db.get_database_backend() == DbBackend::Postgres;
    let key = if postgres { "text COLLATE \"C\"" } else { "text" };
    for table in [
        format!("CREATE TABLE card (name_key {key} PRIMARY KEY, name text NOT NULL)"),
        format!(
            "CREATE TABLE line (card_key {key}, line_key {key}, line text, PRIMARY KEY (card_key, line_key))"
        ),
        format!("CREATE TABLE note (card_key {key}, line_key {key}, line text)"),
        format!("CREATE TABLE fact (card_key {key}, by_key {key})"),
        format!("CREATE TABLE word (word_key {key} PRIMARY KEY)"),
    ] {
        run(db, &table, &[]).await;
    }
    let kept = match postgres {
        true => {
            let raise = "CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'kept'; END $$";
            run(db, raise, &[]).await;
            "CREATE TRIGGER fact_kept BEFORE UPDATE OR DELETE ON fact FOR EACH STATEMENT EXECUTE FUNCTION kept()"
        }
        false => "CREATE TRIGGER fact_kept BEFORE UPDATE ON fact BEGIN SELECT RAISE(ABORT, 'kept'); END",
    };
    run(db, kept, &[]).await;
}

async fn card(db: &impl ConnectionTrait, name: &str) {
    run(db, "INSERT INTO card VALUES ($1, $2)", &[&old(name), name]).await;
    run(db, "INSERT INTO fact VALUES ($1, $2)", &[&old(name), &old("Jose\u{301}")]).await;
}

async fn keys_are_brought_up_to_date(backend: Backend) {
    let test = TestDb::open(backend).await;
    let db = test.db.begin().await.unwrap();
    tables(&*db).await;
    // The first three are the same name: composed, decomposed and in full width. A number is added to the
    // second, and it cannot be (2), because "José (2)" exists.
    for name in ["José", "Jose\u{301}", "ＪＯＳE\u{301}", "José (2)", "Ann", "Straße", "ｶﾞ", "ΟΔΟΣ"]
    {
        card(&*db, name).await;
    }
    for (card, line) in [("José", "Nº1"), ("José", "No1"), ("Jose\u{301}", "Nº1"), ("Ann", "ﬁ")] {
        run(&*db, "INSERT INTO line VALUES ($1, $2, $3)", &[&old(card), &old(line), line]).await;
        run(&*db, "INSERT INTO note VALUES ($1, $2, $3)", &[&old(card), &old(line), line]).await;
    }
    for word in ["e\u{301}", "é", "ok"] {
        run(&*db, "INSERT INTO word VALUES ($1)", &[word]).await;
    }
    // These are more keys to change than fit into one page.
    let many: Vec<String> = (0..1_201).map(|n| format!("Ｎ{n}")).collect();
    for name in &many {
        run(&*db, "INSERT INTO card VALUES ($1, $2)", &[&old(name), name]).await;
    }

    refold(&SchemaManager::new(&*db), KEYS).await.unwrap();

    let cards =
        all(&*db, "SELECT name_key || '|' || name FROM card WHERE name_key NOT LIKE 'n%' ORDER BY 1").await;
    let mut expected = [
        "ann|Ann",
        "josé|José",
        "josé (2)|José (2)",
        "josé (3)|Jose\u{301} (3)",
        "josé (4)|ＪＯＳE\u{301} (4)",
        "straße|Straße",
        "οδοσ|ΟΔΟΣ",
        "ガ|ｶﾞ",
    ];
    expected.sort_unstable();
    let mut cards = cards;
    cards.sort_unstable();
    assert_eq!(cards, expected);
    assert_eq!(all(&*db, "SELECT name_key FROM card WHERE name_key LIKE 'n%'").await.len(), many.len());
    // Each row of `fact` still refers to its card, and its own key was folded, too.
    assert_eq!(all(&*db, "SELECT card_key FROM fact JOIN card ON name_key = card_key").await.len(), 8);
    assert_eq!(all(&*db, "SELECT DISTINCT by_key FROM fact").await, ["josé"]);
    let mut lines = all(&*db, "SELECT line_key || '|' || line FROM line").await;
    lines.sort_unstable();
    assert_eq!(lines, ["fi|ﬁ", "no1 (2)|Nº1 (2)", "no1|No1", "no1|Nº1"]);
    let mut notes = all(&*db, "SELECT line_key || '|' || line FROM note").await;
    notes.sort_unstable();
    assert_eq!(notes, lines, "what points at a line follows it, within its card");
    assert_eq!(all(&*db, "SELECT word_key FROM word ORDER BY 1").await, ["ok", "é"]);

    refold(&SchemaManager::new(&*db), KEYS).await.unwrap();
    assert_eq!(all(&*db, "SELECT name_key FROM card").await.len(), many.len() + 8, "again changes nothing");
    db.commit().await.unwrap();
    let tx = test.db.begin().await.unwrap();
    let refused = tx.execute_unprepared("UPDATE fact SET by_key = 'x'").await.unwrap_err().to_string();
    assert!(refused.contains("kept"), "what is kept is kept again: {refused}");
    drop(tx);
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_brought_up_to_date_on_sqlite() {
    keys_are_brought_up_to_date(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_brought_up_to_date_on_postgres() {
    keys_are_brought_up_to_date(Backend::Postgres).await;
}
