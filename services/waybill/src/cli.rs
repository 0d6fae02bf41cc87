//! The command line.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use kit::clock::Clock;
use kit::config::{Config, Flags, Target};
use kit::findings::Level;
use kit::lifecycle::Signals;
use kit::telemetry;

use crate::folder::DataFolder;
use crate::output::{Progress, say};
use crate::serve::Listeners;
use crate::target::{self, load};
use crate::{backup, compose, database, doctor, greeting, healthcheck, rebuild, seed, simulate};

/// Back office for deliveries and electronic proof of delivery.
///
/// Without a command everything runs in this process and keeps its data under ./data.
#[derive(Parser)]
#[command(name = "waybill", version)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args)]
struct Global {
    /// Configuration file, TOML
    #[arg(long, global = true, env = "WAYBILL_CONFIG")]
    config: Option<PathBuf>,
    /// Folder of databases, objects and generated secrets
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Address of the browser application, e.g. 0.0.0.0:8080
    #[arg(long, global = true, value_name = "ADDR:PORT", value_parser = listen)]
    listen: Option<(String, u16)>,
}

#[derive(Subcommand)]
enum Command {
    /// Run everything, or one target alone
    Serve {
        /// What runs in this process
        #[arg(long, default_value = "all", value_parser = target_parser())]
        target: Target,
    },
    /// Upgrade the databases
    Migrate {
        /// Targets whose databases are upgraded
        #[arg(long, default_value = "all", value_parser = target_parser())]
        target: Target,
    },
    /// Rebuild copies of other services' data from their owners, while the program runs
    Rebuild {
        /// A single copy; all of them when left out
        copy: Option<String>,
        /// Only copies that this target keeps
        #[arg(long, default_value = "all", value_parser = target_parser())]
        target: Target,
    },
    /// Fill an empty database with demo data
    Seed {
        /// How many deliveries
        #[arg(long, default_value_t = seed::DEFAULT_DELIVERIES)]
        deliveries: u64,
        /// Also create an account for each role of the office, with a public password
        #[arg(long)]
        staff: bool,
    },
    /// Simulate drivers that drive and deliver, through a running Waybill
    Simulate(simulate::Options),
    /// Look at the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Manage accounts
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Check the audit log: no entry was changed, removed, inserted or moved
    AuditCheck {
        /// The seal that an earlier check printed: the log up to there must be unchanged
        #[arg(long, value_name = "NUMBER:HASH")]
        noted: Option<auth::Seal>,
    },
    /// Back up databases, objects and generated secrets as of one moment, while the program runs
    Backup {
        /// A new folder; whoever can read it can read everything
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// Restore a backup into an empty installation
    Restore {
        /// The folder that `backup` made
        #[arg(long, value_name = "DIR")]
        from: PathBuf,
        /// Only check that the backup is complete
        #[arg(long)]
        check: bool,
    },
    /// Check the machine, the databases and the servers of this configuration, and report what is wrong
    Doctor {
        /// The target that the configuration is for
        #[arg(long, default_value = "all", value_parser = target_parser())]
        target: Target,
    },
    /// Ask a running process whether it is ready, and what it depends on; for container probes
    Healthcheck {
        /// Print its metrics instead
        #[arg(long)]
        metrics: bool,
    },
    /// Print the GraphQL schema
    Schema,
    /// Print third-party software in this program, with licenses
    Notices,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Every value and where it comes from, secrets masked
    Show,
    /// Report what is wrong, if anything
    Check {
        /// The target that the configuration is for
        #[arg(long, default_value = "all", value_parser = target_parser())]
        target: Target,
    },
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Create the first account
    Create {
        #[arg(long)]
        username: String,
        #[arg(long)]
        email: String,
        /// Read the password from standard input
        #[arg(long, required = true)]
        password_stdin: bool,
    },
}

/// Parses the name of a target.
fn target_parser() -> impl TypedValueParser<Value = Target> {
    let names = target::targets().into_iter().map(Target::as_str);
    PossibleValuesParser::new(names).try_map(|name| target::named(&name))
}

fn listen(text: &str) -> Result<(String, u16), String> {
    let parts = text.rsplit_once(':').map(|(host, port)| (host.trim_matches(['[', ']']), port));
    let parts = parts.filter(|(host, _)| !host.is_empty());
    let (host, port) = parts.ok_or("write it as ADDR:PORT, e.g. 127.0.0.1:8080")?;
    let port: u16 = port.parse().ok().filter(|port| *port > 0).ok_or("a port is 1 to 65535")?;
    Ok((host.to_owned(), port))
}

/// Parses the arguments and runs the command.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    match runtime.block_on(run(cli)) {
        Ok(code) => code,
        Err(error) => fail(error.as_ref()),
    }
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    // Ignore a closed stderr: the exit code still reports the failure.
    let _ = writeln!(std::io::stderr(), "waybill: {error:#}");
    ExitCode::FAILURE
}

type Outcome = Result<ExitCode, Box<dyn std::error::Error>>;

async fn run(cli: Cli) -> Outcome {
    let signals = Signals::listen()?;
    let Global { config, data, listen } = cli.global;
    let flags = Flags { file: config, data, listen, ..Flags::default() };
    let command = cli.command.unwrap_or(Command::Serve { target: Target::All });
    match command {
        Command::Serve { target } => serve(load(&flags, target)?.config, target, &signals).await,
        Command::Migrate { target } => {
            let config = load(&flags, target)?.config;
            let _telemetry = telemetry::init(&config.telemetry, "migrate")?;
            kit::install_crypto();
            database::migrate(&config, target).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Rebuild { copy, target } => {
            rebuild_copies(&load(&flags, Target::All)?.config, target, copy.as_deref()).await
        }
        Command::Seed { deliveries, staff } => {
            fill(&load(&flags, Target::All)?.config, seed::Wanted { deliveries, staff }).await
        }
        Command::Simulate(options) => {
            simulate_drivers(&load(&flags, Target::All)?.config, options, &signals).await
        }
        Command::Config(ConfigCommand::Show) => {
            for (key, value, origin) in load(&flags, Target::All)?.show() {
                say(&format!("{key} = {value}  # {origin}"))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Config(ConfigCommand::Check { target }) => {
            load(&flags, target)?;
            say("the configuration is right")?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Admin(AdminCommand::Create { username, email, password_stdin: _ }) => {
            let config = load(&flags, Target::All)?.config;
            create_admin(config, &username, &email).await
        }
        Command::AuditCheck { noted } => audit_check(&load(&flags, Target::All)?.config, noted).await,
        Command::Backup { to } => {
            let config = load(&flags, Target::All)?.config;
            let _telemetry = telemetry::init(&config.telemetry, "backup")?;
            kit::install_crypto();
            said(backup::make(&config, &Clock::system(), &to).await)
        }
        Command::Restore { from, check: true } => said(backup::check(&from)),
        Command::Restore { from, check: false } => {
            let config = load(&flags, Target::All)?.config;
            let _telemetry = telemetry::init(&config.telemetry, "restore")?;
            kit::install_crypto();
            said(backup::restore(&config, &Clock::system(), &from).await)
        }
        Command::Doctor { target } => {
            let config = load(&flags, target)?.config;
            kit::install_crypto();
            let found = doctor::look(&config, target, &Clock::system()).await;
            say(found.to_string().trim_end())?;
            Ok(if found.worst() == Level::Wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
        Command::Healthcheck { metrics } => ask(&load(&flags, Target::All)?.config, metrics).await,
        Command::Schema => {
            say(gateway::sdl().trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Notices => {
            say(gateway::third_party_notices()?.trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn rebuild_copies(config: &Config, target: Target, copy: Option<&str>) -> Outcome {
    let _telemetry = telemetry::init(&config.telemetry, "rebuild")?;
    kit::install_crypto();
    let progress = Progress::default();
    logged(rebuild::ask(config, &Clock::system(), target, copy, |line| progress.say(line)).await)?;
    progress.end()?;
    Ok(ExitCode::SUCCESS)
}

async fn simulate_drivers(config: &Config, options: simulate::Options, signals: &Signals) -> Outcome {
    let password = simulate_password(options.password_stdin)?;
    let base = options.url.clone().unwrap_or_else(|| config.http.base());
    let progress = Progress::default();
    simulate::run(options, &base, &password, signals, |line| progress.say(line)).await?;
    progress.end()?;
    Ok(ExitCode::SUCCESS)
}

async fn fill(config: &Config, wanted: seed::Wanted) -> Outcome {
    let _telemetry = telemetry::init(&config.telemetry, "seed")?;
    kit::install_crypto();
    let into = seed::Databases::open(config).await?;
    let made = seed::run(&into, &Clock::system(), config, wanted).await;
    into.close().await;
    say(&made?)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the password from standard input or from the environment. It is never read from the command line,
/// which other users can see.
fn simulate_password(stdin: bool) -> Result<String, Box<dyn std::error::Error>> {
    let mut password = String::new();
    if stdin {
        std::io::stdin().take(4096).read_to_string(&mut password)?;
    } else {
        let none = |_| "give the admin's password: --password-stdin, or WAYBILL_SIMULATE_PASSWORD";
        password = std::env::var("WAYBILL_SIMULATE_PASSWORD").map_err(none)?;
    }
    Ok(password.trim_end_matches(['\r', '\n']).to_owned())
}

/// Prints the text that a command returned, or fails with its error.
fn said(done: kit::Result<String>) -> Outcome {
    say(&logged(done)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Logs an error and returns its message.
fn logged<T>(done: kit::Result<T>) -> Result<T, Box<dyn std::error::Error>> {
    done.map_err(|error| {
        error.log();
        error.message.into()
    })
}

async fn serve(config: Config, target: Target, signals: &Signals) -> Outcome {
    let guard = telemetry::init(&config.telemetry, target.as_str())?;
    let _folder = DataFolder::claim(&config, target)?;
    let listeners = Listeners::bind(&config, target).await?;
    let node = compose::start(config.clone(), target, listeners, Clock::system()).await?;
    greeting::greet(&config, target, &node);
    let clean = node.run(signals).await;
    guard.shutdown().await;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn create_admin(config: Config, username: &str, email: &str) -> Outcome {
    let _telemetry = telemetry::init(&config.telemetry, "admin")?;
    kit::install_crypto();
    let mut password = String::new();
    std::io::stdin().take(4096).read_to_string(&mut password)?;
    let db = database::open_or_create(&config, auth::NAME).await?;
    let context = auth::Context {
        db: db.clone(),
        clock: Clock::system(),
        mailing: auth::Mailing::new(&config, Target::All)?,
        settings: store::settings::Settings::default(),
        config: config.auth,
        setup_token_needed: false,
    };
    let password = password.trim_end_matches(['\r', '\n']).to_owned();
    let made = auth::create_admin(&context, username, email, password.into()).await;
    db.close().await;
    match made {
        Ok(user) => {
            say(&format!("{} can sign in now, as admin", user.username))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let fields = error
                .fields
                .iter()
                .flat_map(|(field, texts)| texts.iter().map(move |text| format!("\n  - {field}: {text}")));
            Err(format!("{error:#}{}", fields.collect::<String>()).into())
        }
    }
}

/// Opens the database read-only: a service may be running on it.
async fn audit_check(config: &Config, noted: Option<auth::Seal>) -> Outcome {
    let _telemetry = telemetry::init(&config.telemetry, "audit-check")?;
    kit::install_crypto();
    let db = database::open_one(config, target::service(auth::NAME)?).await?;
    let checked = auth::check_audit(&db, noted.as_ref()).await;
    db.close().await;
    match checked? {
        auth::AuditFound::Intact { head } => {
            say(&format!(
                "The audit log is intact: {} entries, none changed, removed, inserted or moved.",
                head.number
            ))?;
            say(&format!("Its seal is {head}"))?;
            say(
                "Keep it somewhere the owner of the database can't write. Later, --noted shows whether the \
                 log was rewritten.",
            )?;
            Ok(ExitCode::SUCCESS)
        }
        auth::AuditFound::Broken { number, why } => {
            say(&format!("The audit log is NOT intact. Entry {number} is the first that is wrong: {why}."))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

async fn ask(config: &Config, metrics: bool) -> Outcome {
    let path = if metrics { healthcheck::METRICS } else { healthcheck::READINESS };
    let answer = healthcheck::ask(&config.ops, path).await?;
    say(answer.text.trim_end())?;
    Ok(if answer.is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_to_listen_on_has_a_host_and_a_port() {
        for (text, host) in
            [("127.0.0.1:80", "127.0.0.1"), ("[::1]:80", "::1"), ("localhost:80", "localhost")]
        {
            assert_eq!(listen(text), Ok((host.to_owned(), 80)));
        }
        for text in [":80", "[]:80", "80", "localhost", "localhost:0", "localhost:65536"] {
            assert!(listen(text).is_err(), "{text}");
        }
    }
}
