//! `waybill healthcheck`, with a stand-in for the operations port of a process that is ready.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;

use crate::running::program;

const READY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{\"bus\":false}";
const METRICS: &str = "HTTP/1.1 200 OK\r\ncontent-length: 31\r\n\r\nwaybill_ready{target=\"all\"} 1\n\n";

/// Answers readiness checks and requests for metrics at this address. Returns the port; `None` if the machine has no such
/// address.
fn ready_at(host: &str) -> Option<u16> {
    let listener = TcpListener::bind((host, 0)).ok()?;
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut head) = (stream.unwrap(), [0; 1024]);
            let read = stream.read(&mut head).unwrap();
            for (asked, answer) in [("GET /readyz ", READY), ("GET /metrics ", METRICS)] {
                if head[..read].starts_with(asked.as_bytes()) {
                    stream.write_all(answer.as_bytes()).unwrap();
                }
            }
        }
    });
    Some(port)
}

/// Runs the check for an operations port at this host, as in a container whose environment names a proxy. Returns
/// whether the process is ready, and what the check printed.
fn checked(host: &str, port: u16, options: &[&str]) -> (bool, String) {
    let mut command = program(&[&["healthcheck"][..], options].concat());
    for name in ["NO_PROXY", "no_proxy"] {
        command.env_remove(name);
    }
    command
        .env("HTTP_PROXY", "http://127.0.0.1:1")
        .env("WAYBILL__OPS__HOST", host)
        .env("WAYBILL__OPS__PORT", port.to_string());
    let output = command.stdout(Stdio::piped()).output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_healthcheck_reaches_the_process_on_every_address_and_past_a_proxy() {
    for (at, hosts) in [("127.0.0.1", ["127.0.0.1", "0.0.0.0"]), ("::1", ["::1", "::"])] {
        // A machine without IPv6 has no `::1`.
        let Some(port) = ready_at(at) else { continue };
        for host in hosts {
            let answer = "{\"bus\":false}\n".to_owned();
            assert_eq!(checked(host, port, &[]), (true, answer), "{host}");
        }
    }
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for options in [vec![], vec!["--metrics"]] {
        let (is_ready, said) = checked("127.0.0.1", nobody, &options);
        assert!(!is_ready && said.contains("does not answer"), "{said}");
    }
}

/// The image has nothing else that could ask a port on loopback.
#[test]
fn a_healthcheck_prints_the_metrics_of_the_process() {
    let port = ready_at("127.0.0.1").unwrap();
    let printed = checked("127.0.0.1", port, &["--metrics"]);
    assert_eq!(printed, (true, "waybill_ready{target=\"all\"} 1\n".to_owned()));
}
