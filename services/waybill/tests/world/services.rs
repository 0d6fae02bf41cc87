//! Every service of the table appears in each list of services that people read or tests run.

use std::process::Stdio;

use waybill::target::SERVICES;

use crate::harness::{Shape, World};
use crate::in_both_shapes;
use crate::running::program;

#[test]
fn each_is_a_target_of_the_command_line() {
    for command in ["serve", "migrate"] {
        let output = program(&[command, "--help"]).stdout(Stdio::piped()).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let (_, values) = help.split_once("[possible values: ").unwrap_or_else(|| panic!("{help}"));
        let values: Vec<&str> = values.split(']').next().unwrap().split(',').map(str::trim).collect();
        for name in ["all", "gateway"].into_iter().chain(SERVICES.iter().map(|row| row.name)) {
            assert!(values.contains(&name), "{name} is missing: {help}");
        }
    }
}

in_both_shapes!(each_runs_on_a_database_of_its_own, |world: World| async move {
    let nodes = if world.shape == Shape::All {
        vec![&world.nodes[0]; SERVICES.len()]
    } else {
        world.nodes.iter().collect()
    };
    for (row, node) in SERVICES.iter().zip(nodes) {
        let db = world.database(row.name).await;
        row.migrations.require_current(&db, row.name).await.unwrap();
        db.close().await;
        let (ready, dependencies) = node.lifecycle.readiness.state();
        assert!(
            ready && dependencies[&format!("database of {}", row.name)],
            "{}: {dependencies:?}",
            row.name
        );
        assert_eq!(
            dependencies.contains_key("objects"),
            row.keeps_objects || world.shape == Shape::All,
            "{}",
            row.name
        );
    }
    world
});
