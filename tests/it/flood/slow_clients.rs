//! Clients that send slowly, or nothing at all: each is closed in time, and what a review takes beside them.

use std::env;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;

use super::Target;
use crate::e2e::report::figure;
use crate::reviews;
use crate::test_server::{closed, exchange, handshake, handshake_from, post};

/// How many clients there are of each kind; 500 with `PORTCULLIS_SLOW=1` (`just soak-server`).
const CLIENTS: usize = 100;
const MANY: usize = 500;
/// How many reviews a percentile is of, and the time between two of them.
const REVIEWS: u32 = 300;
const PAUSE: Duration = Duration::from_millis(5);
/// What a busy machine adds to a deadline.
const SLACK: Duration = Duration::from_secs(3);

/// What a client does until it is closed.
#[derive(Debug, Clone, Copy)]
enum Slow {
    /// It begins no TLS handshake.
    Tcp,
    /// It sends nothing after the handshake.
    Tls,
    /// It sends a head, one byte at a time.
    Head,
    /// It sends a body, one byte at a time.
    Body,
}

impl Slow {
    const ALL: [Self; 4] = [Self::Tcp, Self::Tls, Self::Head, Self::Body];

    /// When it must be closed.
    const fn deadline(self) -> Duration {
        match self {
            Self::Tcp | Self::Head => Duration::from_secs(5),
            Self::Tls | Self::Body => Duration::from_secs(10),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "clients without a TLS handshake",
            Self::Tls => "clients that send nothing after it",
            Self::Head => "clients that send a head, byte by byte",
            Self::Body => "clients that send a body, byte by byte",
        }
    }

    /// Connects, and returns how long it was until the server closed.
    async fn run(self, target: &Target, number: usize) -> Duration {
        let peer = Ipv4Addr::new(127, 0, 0, u8::try_from(2 + number % 20).unwrap());
        if matches!(self, Self::Tcp) {
            let mut stream = target.silent(number).await;
            return closed(&mut stream, Instant::now()).await;
        }
        // The server may close a new client for another one.
        let Ok(stream) = handshake_from(peer, target.server.webhook, target.trust.clone()).await else {
            return Duration::ZERO;
        };
        let since = Instant::now();
        let (mut reader, mut writer) = tokio::io::split(stream);
        let begin = match self {
            Self::Tcp | Self::Tls => "",
            Self::Head => "POST /validate HTTP/1.1\r\nX-Slow: ",
            Self::Body => {
                "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n"
            }
        };
        let sending = async {
            let mut bytes = begin.as_bytes();
            while !begin.is_empty() && writer.write_all(bytes).await.is_ok() && writer.flush().await.is_ok() {
                bytes = b" ";
                sleep(Duration::from_millis(500)).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            elapsed = closed(&mut reader, since) => elapsed,
            () = sending => unreachable!("it never ends"),
        }
    }
}

/// Each kind of them at once, beside a client that sends reviews over one connection.
pub async fn slow_clients(target: &Target) {
    let count = if env::var_os("PORTCULLIS_SLOW").is_some() { MANY } else { CLIENTS };
    let mut connection = handshake(target.server.webhook, target.trust.clone()).await.unwrap();
    p99(&mut connection).await;
    for slow in Slow::ALL {
        let alone = p99(&mut connection).await;
        let clients = join_all((0..count).map(|number| slow.run(target, number)));
        let beside = async {
            sleep(Duration::from_secs(1)).await;
            p99(&mut connection).await
        };
        let (closed, beside) = tokio::join!(timeout(slow.deadline() + SLACK, clients), beside);
        let closed = closed.unwrap_or_else(|_| panic!("{count} {}: one of them is still open", slow.name()));
        let patient = closed.iter().filter(|lived| **lived >= slow.deadline() / 2).count();
        assert!(patient * 2 > count, "{count} {}: only {patient} of them were not closed at once", slow.name());
        let longest = closed.into_iter().max().unwrap_or_default();
        let what = format!("{count} {}: the last one is closed", slow.name());
        figure(&what, &format!("{} s", slow.deadline().as_secs()), format!("{:.1} s", longest.as_secs_f64()));
        let ratio = beside.as_secs_f64() / alone.as_secs_f64();
        let measured = format!("{ratio:.1} times ({:.2} and {:.2} ms)", milliseconds(beside), milliseconds(alone));
        // A busy machine disturbs a percentile, so it is printed only.
        figure("the same: p99 of reviews beside them, to alone", "2 times", measured);
        assert!(beside < SLACK, "a review took {beside:?}");
    }
}

/// The 99th percentile of the response times of reviews.
async fn p99(connection: &mut TlsStream<TcpStream>) -> Duration {
    let body = reviews::create(&reviews::ingress("team-b", "write", "shop.example.com", "/"));
    let review = post("/validate", body.as_bytes());
    let mut times = Vec::new();
    for _ in 0..REVIEWS {
        let since = Instant::now();
        let answer = exchange(connection, &review).await;
        times.push(since.elapsed());
        assert!(answer.starts_with("200: ") && answer.contains(r#""allowed":true"#), "{answer}");
        sleep(PAUSE).await;
    }
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
