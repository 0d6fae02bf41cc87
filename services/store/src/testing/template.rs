//! Databases with a service's tables, migrated once per test program and copied by every test, because
//! migrating from empty takes longer than most tests.
//!
//! A template belongs to one build of one test program: the next build has its own migrations, creates its
//! own template and removes the previous one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};

use super::{database_at, new_name, postgres_url};

/// Creates a migrated Postgres database; returns its address and its name.
///
/// Each `service` has a template of its own. `migrate` creates the tables in the database at the given
/// address; it runs only for the first test of this program.
pub async fn postgres<F: Future>(service: &str, migrate: impl FnOnce(String) -> F) -> (String, String) {
    let admin = Database::connect(postgres_url()).await.expect("Postgres for tests answers");
    let template = postgres_template(&admin, service, migrate).await;
    let name = new_name();
    // Copy by the write-ahead log: copying files would wait for a checkpoint of the whole server.
    let create = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY wal_log");
    admin.execute_unprepared(&create).await.expect("a test may create databases");
    admin.close().await.expect("closes");
    (database_at(&name), name)
}

/// Writes a migrated SQLite database to `path`. The parameters are those of `postgres`.
pub async fn sqlite<F: Future>(service: &str, path: &Path, migrate: impl FnOnce(String) -> F) {
    let family = Family::new(service);
    let template = family.folder.join(format!("{}.db", family.current));
    if !template.exists() {
        let _lock = family.lock();
        if !template.exists() {
            family.remove_old_files();
            let unfinished = family.folder.join(format!("{}.unfinished", family.current));
            for ending in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(format!("{}{ending}", unfinished.display()));
            }
            migrate(format!("sqlite://{}", unfinished.display())).await;
            std::fs::rename(&unfinished, &template).expect("a template is put in place");
        }
    }
    std::fs::copy(&template, path).expect("a template is copied");
}

async fn postgres_template<F: Future>(
    admin: &DatabaseConnection,
    service: &str,
    migrate: impl FnOnce(String) -> F,
) -> String {
    let family = Family::new(service);
    let template = family.current.clone();
    if !names_like(admin, &template).await.is_empty() {
        return template;
    }
    let _lock = family.lock();
    if !names_like(admin, &template).await.is_empty() {
        return template;
    }
    let unfinished = format!("{template}_unfinished");
    // Dropping older templates also removes what a killed test left.
    for old in names_like(admin, &format!("{}%", family.prefix)).await {
        admin
            .execute_unprepared(&format!("DROP DATABASE IF EXISTS {old} WITH (FORCE)"))
            .await
            .expect("drops");
    }
    admin.execute_unprepared(&format!("CREATE DATABASE {unfinished}")).await.expect("creates");
    migrate(database_at(&unfinished)).await;
    let rename = format!("ALTER DATABASE {unfinished} RENAME TO {template}");
    admin.execute_unprepared(&rename).await.expect("nobody is connected to a template");
    template
}

/// Returns the databases whose names match a LIKE pattern. An underscore in it is an ordinary character.
async fn names_like(admin: &DatabaseConnection, pattern: &str) -> Vec<String> {
    let pattern = pattern.replace('_', "\\_");
    let ask = Statement::from_sql_and_values(
        DbBackend::Postgres,
        "SELECT datname::text AS name FROM pg_database WHERE datname LIKE $1",
        [pattern.into()],
    );
    let rows = admin.query_all_raw(ask).await.expect("Postgres lists its databases");
    rows.iter().map(|row| row.try_get("", "name").expect("a name")).collect()
}

/// The templates of one test program for one service, build after build.
struct Family {
    folder: PathBuf,
    /// Prefix of the templates' names.
    prefix: String,
    /// Name of the template of the running build.
    current: String,
}

impl Family {
    fn new(service: &str) -> Self {
        let folder = std::env::temp_dir().join("waybill-test-templates");
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let program = std::env::current_exe().expect("a test has a program");
        let file = program.metadata().expect("a program is a file");
        let built = file.modified().expect("a time").duration_since(UNIX_EPOCH).expect("after 1970");
        let prefix = format!("waybill_template_{}_", hash((service, &program)));
        let current = format!("{prefix}{}", hash((built, file.len())));
        Self { folder, prefix, current }
    }

    /// Locks the creation of a template, so that tests that start together create only one.
    fn lock(&self) -> std::fs::File {
        let path = self.folder.join(format!("{}lock", self.prefix));
        let file = std::fs::File::create(path).expect("a lock file");
        file.lock().expect("a lock");
        file
    }

    fn remove_old_files(&self) {
        let files = std::fs::read_dir(&self.folder).expect("a temporary folder").flatten();
        for file in files {
            let name = file.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&self.prefix) && name.ends_with(".db") {
                let _ = std::fs::remove_file(file.path());
            }
        }
    }
}

fn hash(of: impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
