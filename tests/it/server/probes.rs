//! The plain endpoint for probes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::time::Instant;

use portcullis::server::{Health, HealthCondition, Level, Limits, Transport, health};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::SHORT;
use crate::test_server::{NEVER, exchange, limits, serve};

/// A program with a valid certificate. Its Ingresses may or may not be synced, and its threads may be blocked.
struct Program {
    synced: bool,
    blocked: bool,
}

impl Health for Program {
    fn conditions(&self) -> Vec<HealthCondition> {
        let message = if self.synced { "1 known" } else { "not synced" };
        vec![
            HealthCondition { name: "certificate".into(), level: Level::Ok, message: String::new() },
            HealthCondition {
                name: "Ingress".into(),
                level: if self.synced { Level::Ok } else { Level::Failing },
                message: message.into(),
            },
        ]
    }

    fn is_alive(&self) -> bool {
        !self.blocked
    }

    fn metrics(&self) -> String {
        "# EOF\n".into()
    }
}

pub async fn probes_report_health() {
    let starting = [
        ("/livez", "200: ok"),
        ("/healthz", "200: ok"),
        ("/readyz", "503: [+]certificate ok\n[-]Ingress failed: not synced\nreadyz check failed"),
        ("/metrics", "200: # EOF"),
        ("/validate", "404: "),
    ];
    let running = [
        ("/readyz", "200: ok"),
        ("/readyz?verbose", "200: [+]certificate ok\n[+]Ingress ok: 1 known\nreadyz check passed"),
    ];
    let blocked = [("/livez", "500: no task has run for a minute: restart the process"), ("/readyz", "200: ok")];
    for (synced, blocked, expected) in [(false, false, &starting[..]), (true, false, &running), (true, true, &blocked)]
    {
        let router = health::router(Arc::new(Program { synced, blocked }));
        let limits = Limits { first_byte_timeout: SHORT, idle_timeout: NEVER, ..limits() };
        let (address, traffic, _, served) = serve(router, Transport::Plain, limits).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        for (path, answer) in expected {
            let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
            assert_eq!(exchange(&mut stream, request.as_bytes()).await, *answer, "{path}");
        }
        // The plain endpoint has the same limits.
        let since = Instant::now();
        let mut silent = TcpStream::connect(address).await.unwrap();
        assert_eq!(silent.read(&mut [0]).await.unwrap(), 0);
        assert!(since.elapsed() >= SHORT);
        assert_eq!(traffic.timed_out.get(), 1);
        served.abort();
    }
}
