//! Where a program keeps what it has: files in a folder, or databases of Postgres and a bucket.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kit::testing::S3Server;
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};
use waybill::target::SERVICES;

use crate::program::{Ports, Program};

/// All rows of some tables as text, by the name of the table.
pub type Tables = BTreeMap<String, Vec<String>>;

pub struct Place {
    pub data: PathBuf,
    settings: Vec<(String, String)>,
    servers: Option<Servers>,
}

/// The servers of a place, whose databases have names that begin alike.
struct Servers {
    prefix: String,
    bucket: PathBuf,
    _s3: S3Server,
}

impl Place {
    pub fn folder(data: PathBuf) -> Self {
        Self { data, settings: Vec::new(), servers: None }
    }

    /// Makes an empty database for each service, and an empty bucket. `end` removes the databases.
    pub async fn on_servers(folder: &Path) -> Self {
        let objects = folder.join("s3");
        let s3 = kit::testing::s3_server(&objects).await.unwrap();
        let prefix = format!("place_{}_", kit::clock::new_id().simple());
        let admin = Database::connect(store::testing::postgres_url()).await.unwrap();
        for row in SERVICES {
            admin.execute_unprepared(&format!("CREATE DATABASE {prefix}{}", row.name)).await.unwrap();
        }
        admin.close().await.unwrap();
        let settings = [
            ("DATABASE__URL", store::testing::database_at(&format!("{prefix}{{service}}"))),
            ("BLOB__KIND", "s3".to_owned()),
            ("BLOB__ENDPOINT", s3.endpoint.clone()),
            ("BLOB__REGION", s3.region.clone()),
            ("BLOB__BUCKET", s3.bucket.clone()),
            ("BLOB__ACCESS_KEY", s3.access_key.clone()),
            ("BLOB__SECRET_KEY", s3.secret_key.clone()),
        ]
        .map(|(key, value)| (format!("WAYBILL__{key}"), value));
        let servers = Servers { prefix, bucket: objects.join(&s3.bucket), _s3: s3 };
        Self { data: folder.join("data"), settings: settings.to_vec(), servers: Some(servers) }
    }

    fn prepared(&self, ports: &Ports) -> Command {
        let mut command = ports.command(&self.data);
        command.envs(self.settings.iter().cloned());
        command
    }

    /// Returns the program with the configuration of a service that runs separately: it has the address of its
    /// own database only.
    pub fn command_of(&self, service: &str) -> Command {
        let mut command = self.prepared(&Ports::free());
        command.env("WAYBILL__DATABASE__URL", self.url(service));
        command
    }

    /// Runs a command of the program on this place and returns its output.
    pub fn command(&self, arguments: &[&str]) -> String {
        let output = self.prepared(&Ports::free()).args(arguments).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Starts the program quietly, and waits until it is ready.
    pub async fn start(&self) -> Program {
        let ports = Ports::free();
        Program::start_quietly(&ports, self.prepared(&ports)).await
    }

    fn url(&self, service: &str) -> String {
        match &self.servers {
            Some(servers) => store::testing::database_at(&format!("{}{service}", servers.prefix)),
            None => format!("sqlite://{}?mode=ro", self.data.join(format!("{service}.db")).display()),
        }
    }

    /// Returns every row of every table of a service.
    pub async fn tables(&self, service: &str) -> Tables {
        tables(&self.url(service)).await
    }

    /// Returns the values of a column that begin with this letter.
    pub async fn names(&self, service: &str, column: &str, table: &str, letter: char) -> BTreeSet<String> {
        let sql = format!("SELECT {column} AS line FROM {table} WHERE {column} LIKE '{letter}%'");
        let connection = connect(&self.url(service)).await;
        let found = lines(&connection, &sql).await.into_iter().collect();
        connection.close().await.unwrap();
        found
    }

    /// Returns the number of events of a service that are not published.
    pub async fn waiting(&self, service: &str) -> usize {
        let connection = connect(&self.url(service)).await;
        let sql = "SELECT subject AS line FROM outbox WHERE published_at IS NULL";
        let found = lines(&connection, sql).await.len();
        connection.close().await.unwrap();
        found
    }

    /// Returns every object with its content.
    pub fn objects(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let root = match &self.servers {
            Some(servers) => servers.bucket.clone(),
            None => self.data.join("objects"),
        };
        let (mut found, mut folders) = (BTreeMap::new(), vec![root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&root).unwrap().to_owned();
                    found.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    pub async fn end(self) {
        for row in SERVICES {
            if let Some(servers) = &self.servers {
                store::testing::drop_postgres(&format!("{}{}", servers.prefix, row.name)).await;
            }
        }
    }
}

async fn connect(url: &str) -> DatabaseConnection {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false);
    Database::connect(options).await.unwrap()
}

/// Returns the column `line` of a query.
async fn lines(connection: &DatabaseConnection, sql: &str) -> Vec<String> {
    let rows = connection.query_all_raw(Statement::from_string(connection.get_database_backend(), sql)).await;
    rows.unwrap().iter().map(|it| it.try_get("", "line").unwrap()).collect()
}

/// Returns every row of every table of the database at this URL.
pub async fn tables(url: &str) -> Tables {
    let connection = connect(url).await;
    let is_sqlite = connection.get_database_backend() == DbBackend::Sqlite;
    let named = match is_sqlite {
        true => "SELECT name AS line FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        false => "SELECT tablename::text AS line FROM pg_tables WHERE schemaname = 'public'",
    };
    let mut found = Tables::new();
    for table in lines(&connection, named).await {
        let row = if is_sqlite {
            let columns = format!("SELECT name AS line FROM pragma_table_info('{table}')");
            let columns = lines(&connection, &columns).await;
            columns.iter().map(|it| format!("quote(\"{it}\")")).collect::<Vec<_>>().join(" || ',' || ")
        } else {
            "row_of::text".to_owned()
        };
        let all = format!("SELECT {row} AS line FROM \"{table}\" AS row_of ORDER BY 1");
        found.insert(table, lines(&connection, &all).await);
    }
    connection.close().await.unwrap();
    found
}
