//! `waybill healthcheck`, with a stand-in for the operations port of a process that is ready.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::running::program;

/// Answers readiness checks at this address. Returns the port; `None` if the machine has no such address.
fn ready_at(host: &str) -> Option<u16> {
    let listener = TcpListener::bind((host, 0)).ok()?;
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut head) = (stream.unwrap(), [0; 1024]);
            let read = stream.read(&mut head).unwrap();
            if head[..read].starts_with(b"GET /readyz ") {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
            }
        }
    });
    Some(port)
}

/// Runs the check for an operations port at this host, as in a container whose environment names a proxy.
fn is_healthy(host: &str, port: u16) -> bool {
    let mut command = program(&["healthcheck"]);
    for name in ["NO_PROXY", "no_proxy"] {
        command.env_remove(name);
    }
    command
        .env("HTTP_PROXY", "http://127.0.0.1:1")
        .env("WAYBILL__OPS__HOST", host)
        .env("WAYBILL__OPS__PORT", port.to_string());
    command.status().unwrap().success()
}

#[test]
fn a_healthcheck_reaches_the_process_on_every_address_and_past_a_proxy() {
    for (at, hosts) in [("127.0.0.1", ["127.0.0.1", "0.0.0.0"]), ("::1", ["::1", "::"])] {
        // A machine without IPv6 has no `::1`.
        let Some(port) = ready_at(at) else { continue };
        for host in hosts {
            assert!(is_healthy(host, port), "{host}");
        }
    }
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert!(!is_healthy("127.0.0.1", nobody));
}
