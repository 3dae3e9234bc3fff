//! The door under peers that are slow, greedy, hostile or merely unlucky: each over a real socket.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use portcullis::server::{Condition, Health, Level, Limits, Transport, health};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::door::{Door, NEVER, PATIENCE, answer, closed, dribble, exchange, limits, post, serve, trial};

const SHORT: Duration = Duration::from_millis(300);

pub fn trials() -> Vec<Trial> {
    vec![
        trial("server::a_peer_that_never_shakes_hands_is_closed", a_peer_that_never_shakes_hands_is_closed),
        trial("server::a_peer_that_says_nothing_is_closed", a_peer_that_says_nothing_is_closed),
        trial("server::a_dribbled_head_is_closed", a_dribbled_head_is_closed),
        trial("server::an_idle_connection_outlives_head_and_silent", an_idle_connection_outlives_head_and_silent),
        trial("server::a_connection_that_idles_too_long_is_closed", a_connection_that_idles_too_long_is_closed),
        trial("server::a_dribbled_body_is_refused", a_dribbled_body_is_refused),
        trial("server::an_answer_that_nobody_takes_is_dropped", an_answer_that_nobody_takes_is_dropped),
        trial("server::a_body_beyond_the_limit_is_refused", a_body_beyond_the_limit_is_refused),
        trial("server::a_refusal_reaches_who_is_still_sending", a_refusal_reaches_who_is_still_sending),
        trial("server::only_json_by_post_is_read", only_json_by_post_is_read),
        trial("server::bodies_beyond_the_budget_come_back_later", bodies_beyond_the_budget_come_back_later),
        trial("server::nonsense_is_survived", nonsense_is_survived),
        trial("server::heads_beyond_the_limits_are_refused", heads_beyond_the_limits_are_refused),
        trial("server::a_client_may_expect_100_continue", a_client_may_expect_100_continue),
        trial("server::pipelined_requests_are_answered_in_order", pipelined_requests_are_answered_in_order),
        trial("server::a_silent_flood_keeps_nobody_out", a_silent_flood_keeps_nobody_out),
        trial("server::proven_connections_are_waited_for", proven_connections_are_waited_for),
        trial("server::stopping_finishes_what_is_in_flight", stopping_finishes_what_is_in_flight),
        trial("server::stopping_ends_with_the_grace", stopping_ends_with_the_grace),
        trial("server::probes_say_how_we_are", probes_say_how_we_are),
    ]
}

async fn a_peer_that_never_shakes_hands_is_closed() {
    let door = Door::open(Limits { handshake: SHORT, ..limits() }).await;
    let since = Instant::now();
    assert!(closed(&mut door.tcp().await, since).await >= SHORT);
    assert_eq!(door.traffic.handshakes_failed.get(), 1);
    door.serves_the_next().await;
    door.ended().await;
}

async fn a_peer_that_says_nothing_is_closed() {
    let door = Door::open(Limits { silent: SHORT, ..limits() }).await;
    let mut stream = door.tls().await;
    assert!(closed(&mut stream, Instant::now()).await >= SHORT);
    assert_eq!(door.traffic.timed_out.get(), 1);
    door.ended().await;
}

async fn a_dribbled_head_is_closed() {
    let door = Door::open(Limits { head: SHORT, ..limits() }).await;
    let mut stream = door.tls().await;
    // Nothing counts before the first byte.
    tokio::time::sleep(2 * SHORT).await;
    let since = Instant::now();
    stream.write_all(b"POST /echo HTTP/1.1\r\nX-Slow: ").await.unwrap();
    let (mut reader, mut writer) = tokio::io::split(stream);
    let (elapsed, ()) = tokio::join!(closed(&mut reader, since), dribble(&mut writer, b'x'));
    assert!(elapsed >= SHORT);
    assert_eq!(door.traffic.timed_out.get(), 1);
    door.ended().await;
}

async fn an_idle_connection_outlives_head_and_silent() {
    let door = Door::open(Limits { head: SHORT, silent: SHORT, ..limits() }).await;
    let mut stream = door.tls().await;
    for _ in 0..3 {
        assert_eq!(exchange(&mut stream, &post("/echo", b"{}")).await, "200: 2 bytes");
        tokio::time::sleep(2 * SHORT).await;
    }
    assert_eq!(door.traffic.timed_out.get(), 0);
    door.ended().await;
}

async fn a_connection_that_idles_too_long_is_closed() {
    let door = Door::open(Limits { idle: SHORT, ..limits() }).await;
    let mut stream = door.tls().await;
    let since = Instant::now();
    assert_eq!(exchange(&mut stream, &post("/echo", b"{}")).await, "200: 2 bytes");
    assert!(closed(&mut stream, since).await >= SHORT);
    door.ended().await;
}

async fn a_dribbled_body_is_refused() {
    let door = Door::open(Limits { body_deadline: SHORT, ..limits() }).await;
    let head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    for framing in ["Content-Length: 100000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n186A0\r\n"] {
        let mut stream = door.tls().await;
        let since = Instant::now();
        stream.write_all(format!("{head}{framing}").as_bytes()).await.unwrap();
        let (mut reader, mut writer) = tokio::io::split(stream);
        let refused = async {
            let refusal = answer(&mut reader).await.unwrap();
            assert_eq!((refusal.status, refusal.body.as_str()), (408, "the body was not complete after 300ms\n"));
            closed(&mut reader, since).await
        };
        let (elapsed, ()) = tokio::join!(refused, dribble(&mut writer, b' '));
        assert!(elapsed >= SHORT);
    }
    assert!(door.room.budget.reserve(door.room.limits.in_flight).is_ok(), "a refused body gives its bytes back");
    door.serves_the_next().await;
    door.ended().await;
}

async fn an_answer_that_nobody_takes_is_dropped() {
    let door = Door::open(Limits { stalled: SHORT, ..limits() }).await;
    let mut stream = door.tls().await;
    stream.write_all(&post("/large", b"{}")).await.unwrap();
    let since = Instant::now();
    while door.traffic.timed_out.get() == 0 {
        assert!(since.elapsed() < PATIENCE, "a stalled answer is given up");
        tokio::time::sleep(SHORT / 10).await;
    }
    assert!(since.elapsed() >= SHORT);
    door.ended().await;
}

async fn a_body_beyond_the_limit_is_refused() {
    let door = Door::open(Limits { body: 1000, ..limits() }).await;
    let refusal = "413: the body is larger than 1000 bytes";
    let mut stream = door.tls().await;
    assert_eq!(exchange(&mut stream, &post("/echo", &[b' '; 1000])).await, "200: 1000 bytes");

    // Refused by its declaration: not one byte of the body is sent.
    let declared = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1001\r\n\r\n";
    assert_eq!(exchange(&mut stream, declared.as_bytes()).await, refusal);
    closed(&mut stream, Instant::now()).await;

    let chunk = format!("1F4\r\n{}\r\n", " ".repeat(500));
    let chunked =
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut stream = door.tls().await;
    let fits = format!("{chunked}{chunk}{chunk}0\r\n\r\n");
    assert_eq!(exchange(&mut stream, fits.as_bytes()).await, "200: 1000 bytes");
    // Refused when it grows beyond: it never says that it ends.
    let grows = format!("{chunked}{chunk}{chunk}1\r\n \r\n");
    assert_eq!(exchange(&mut stream, grows.as_bytes()).await, refusal);
    closed(&mut stream, Instant::now()).await;
    door.serves_the_next().await;
    door.ended().await;
}

async fn a_refusal_reaches_who_is_still_sending() {
    let door = Door::open(Limits { body: 1000, linger: PATIENCE, ..limits() }).await;
    let mut stream = door.tls().await;
    // More than the sockets hold: a server that closed at once would reset the connection under the writer.
    let huge = exchange(&mut stream, &post("/echo", &vec![b' '; 16 << 20])).await;
    assert_eq!(huge, "413: the body is larger than 1000 bytes");
    drop(stream);
    door.ended().await;
}

async fn only_json_by_post_is_read() {
    let door = Door::open(limits()).await;
    let of_type = |kind: &str| format!("POST /echo HTTP/1.1\r\nHost: x\r\n{kind}Content-Length: 2\r\n\r\n");
    for kind in ["application/json", "application/json; charset=utf-8", "Application/JSON ;charset=utf-8"] {
        let request = format!("{}{{}}", of_type(&format!("Content-Type: {kind}\r\n")));
        assert_eq!(exchange(&mut door.tls().await, request.as_bytes()).await, "200: 2 bytes", "{kind}");
    }
    // The answer comes although the declared body does not.
    for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: application/jsonp\r\n", "Content-Type: \u{ff}\r\n"]
    {
        let answer = exchange(&mut door.tls().await, of_type(kind).as_bytes()).await;
        assert_eq!(answer, "415: the content type of a review is application/json", "{kind}");
    }
    let mut stream = door.tls().await;
    stream.write_all(b"GET /echo HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let refusal = answer(&mut stream).await.unwrap();
    assert_eq!((refusal.status, refusal.body.as_str()), (405, "reviews are sent by POST\n"));
    assert!(refusal.head.contains("\r\nallow: post\r\n"));
    door.ended().await;
}

async fn bodies_beyond_the_budget_come_back_later() {
    let door = Door::open(Limits { in_flight: 4096, ..limits() }).await;
    let budget = &door.room.budget;
    let chunked = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
        Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";

    let taken = budget.reserve(4095).unwrap();
    for request in [&post("/echo", b"{}")[..], chunked] {
        let mut stream = door.tls().await;
        stream.write_all(request).await.unwrap();
        let refusal = answer(&mut stream).await.unwrap();
        assert_eq!((refusal.status, refusal.body.as_str()), (429, "too many reviews are in flight; try again\n"));
        assert!(refusal.head.contains("\r\nretry-after: 1\r\n"));
    }
    drop(taken);
    for request in [&post("/echo", b"{}")[..], chunked] {
        assert_eq!(exchange(&mut door.tls().await, request).await, "200: 2 bytes");
    }
    assert!(budget.reserve(4096).is_ok(), "an answered body gives its bytes back");
    door.ended().await;
}

async fn nonsense_is_survived() {
    let door = Door::open(limits()).await;
    let json = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let over_tcp: [&[u8]; 5] = [
        b"GET /echo HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        &[0xff; 4096],
        // A handshake record that claims more than a record can hold, and one whose inside is noise.
        &[0x16, 0x03, 0x01, 0xff, 0xff, 0x01],
        &[&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc][..], &[0xaa; 508]].concat(),
    ];
    for bytes in over_tcp {
        let mut stream = door.tcp().await;
        stream.write_all(bytes).await.unwrap();
        closed(&mut stream, Instant::now()).await;
    }
    assert_eq!(door.traffic.handshakes_failed.get(), over_tcp.len() as u64);
    door.serves_the_next().await;

    let bad_requests = [
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_owned(),
        "\0\x01\x02\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        format!("{json}Content-Length: -1\r\n\r\n"),
        format!("{json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}}}"),
        format!("{json}Content-Length: 99999999999999999999999\r\n\r\n"),
        format!("{json}Transfer-Encoding: gzip\r\n\r\n{{}}"),
        format!("{json}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n"),
        format!("{json}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{{}}\r\n0\r\n\r\n"),
        format!("{json}Transfer-Encoding: chunked\r\n\r\n1\r\n{{}}\r\n0\r\n\r\n"),
        format!("{json}X-Fold: a\r\n b\0\r\n\r\n"),
    ];
    for request in bad_requests {
        let mut stream = door.tls().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        if let Some(refusal) = answer(&mut stream).await {
            assert_eq!(refusal.status, 400, "{request:?}");
        }
        closed(&mut stream, Instant::now()).await;
        door.serves_the_next().await;
    }

    // More body than declared: the review is whole, and what follows is not a request.
    let mut stream = door.tls().await;
    let longer = format!("{json}Content-Length: 2\r\n\r\n{{}}surplus\r\n\r\n");
    assert_eq!(exchange(&mut stream, longer.as_bytes()).await, "200: 2 bytes");
    assert_eq!(answer(&mut stream).await.map(|refusal| refusal.status), Some(400));
    // Less body than declared, and then the end.
    let mut stream = door.tls().await;
    stream.write_all(format!("{json}Content-Length: 9\r\n\r\n{{}}").as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    assert!(answer(&mut stream).await.is_none_or(|refusal| refusal.status == 400));
    door.serves_the_next().await;
    door.ended().await;
}

async fn heads_beyond_the_limits_are_refused() {
    let door = Door::open(limits()).await;
    let many: String = (0..1000).map(|n| format!("X-{n}: y\r\n")).collect();
    let long = format!("X-Long: {}\r\n", "y".repeat(64 << 10));
    for headers in [many, long] {
        let mut stream = door.tls().await;
        let request = format!("POST /echo HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        assert_eq!(answer(&mut stream).await.map(|refusal| refusal.status), Some(431));
        closed(&mut stream, Instant::now()).await;
        door.serves_the_next().await;
    }
    door.ended().await;
}

async fn a_client_may_expect_100_continue() {
    let door = Door::open(Limits { body: 1000, ..limits() }).await;
    let expecting = |length: usize| {
        format!(
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\
             Content-Length: {length}\r\n\r\n"
        )
    };
    let mut stream = door.tls().await;
    assert_eq!(exchange(&mut stream, expecting(2).as_bytes()).await, "100: ");
    assert_eq!(exchange(&mut stream, b"{}").await, "200: 2 bytes");
    // A body that will be refused is not asked for.
    let refused = exchange(&mut stream, expecting(1001).as_bytes()).await;
    assert_eq!(refused, "413: the body is larger than 1000 bytes");
    door.ended().await;
}

async fn pipelined_requests_are_answered_in_order() {
    let door = Door::open(limits()).await;
    let mut stream = door.tls().await;
    let both = [post("/echo", b"{}"), post("/echo", b"[1]")].concat();
    assert_eq!(exchange(&mut stream, &both).await, "200: 2 bytes");
    assert_eq!(answer(&mut stream).await.unwrap().body, "3 bytes");
    assert_eq!(exchange(&mut stream, &post("/echo", b"null")).await, "200: 4 bytes");
    door.ended().await;
}

async fn a_silent_flood_keeps_nobody_out() {
    let door = Door::open(Limits { connections: 8, ..limits() }).await;
    let mut pooled = door.tls().await;
    assert_eq!(exchange(&mut pooled, &post("/echo", b"{}")).await, "200: 2 bytes");
    let mut flood = Vec::new();
    for _ in 0..40 {
        flood.push(door.tcp().await);
    }
    door.serves_the_next().await;
    // As many that do shake hands, and then say nothing.
    let mut handshaken = Vec::new();
    for _ in 0..40 {
        handshaken.push(door.tls().await);
    }
    door.serves_the_next().await;
    assert!(door.traffic.evicted.get() >= 66, "{} evicted", door.traffic.evicted.get());
    assert_eq!(exchange(&mut pooled, &post("/echo", b"{}")).await, "200: 2 bytes");
    drop((flood, handshaken));
    door.ended().await;
}

async fn proven_connections_are_waited_for() {
    let door = Door::open(Limits { connections: 1, ..limits() }).await;
    let mut first = door.tls().await;
    assert_eq!(exchange(&mut first, &post("/echo", b"{}")).await, "200: 2 bytes");
    let waiting = async {
        door.serves_the_next().await;
        Instant::now()
    };
    let leaving = async {
        tokio::time::sleep(SHORT).await;
        assert_eq!(exchange(&mut first, &post("/echo", b"{}")).await, "200: 2 bytes");
        let left = Instant::now();
        drop(first);
        left
    };
    let (served, left) = tokio::join!(waiting, leaving);
    assert!(served > left);
    assert_eq!(door.traffic.evicted.get(), 0);
    door.ended().await;
}

async fn stopping_finishes_what_is_in_flight() {
    let mut door = Door::open(limits()).await;
    let mut idle = door.tls().await;
    assert_eq!(exchange(&mut idle, &post("/echo", b"{}")).await, "200: 2 bytes");
    let mut busy = door.tls().await;
    busy.write_all(&post("/held", b"{}")).await.unwrap();
    door.room.begun.notified().await;

    door.stop();
    closed(&mut idle, Instant::now()).await;
    assert!(TcpStream::connect(door.address).await.is_err(), "nothing is accepted any more");
    door.room.release.notify_one();
    let last = answer(&mut busy).await.unwrap();
    assert_eq!((last.status, last.body.as_str()), (200, "released"));
    closed(&mut busy, Instant::now()).await;
    door.ended().await;
}

async fn stopping_ends_with_the_grace() {
    let mut door = Door::open(Limits { grace: SHORT, ..limits() }).await;
    let mut busy = door.tls().await;
    busy.write_all(&post("/held", b"{}")).await.unwrap();
    door.room.begun.notified().await;
    let since = Instant::now();
    door.stop();
    assert!(closed(&mut busy, since).await >= SHORT);
    door.ended().await;
}

/// A program whose certificate is well and whose Ingresses are not there yet, or are.
struct Program {
    synced: bool,
}

impl Health for Program {
    fn conditions(&self) -> Vec<Condition> {
        let says = if self.synced { "synced" } else { "not synced" };
        vec![
            Condition { name: "certificate".into(), level: Level::Well, says: "ok".into() },
            Condition {
                name: "Ingress".into(),
                level: if self.synced { Level::Well } else { Level::Failing },
                says: says.into(),
            },
        ]
    }

    fn metrics(&self) -> String {
        "# EOF\n".into()
    }
}

async fn probes_say_how_we_are() {
    let starting = [
        ("/livez", "200: ok"),
        ("/healthz", "200: ok"),
        ("/readyz", "503: [+] certificate ok\n[-] Ingress not synced\nreadyz check failed"),
        ("/metrics", "200: # EOF"),
        ("/validate", "404: "),
    ];
    let running = [
        ("/readyz", "200: ok"),
        ("/readyz?verbose", "200: [+] certificate ok\n[+] Ingress synced\nreadyz check passed"),
    ];
    for (synced, expected) in [(false, &starting[..]), (true, &running[..])] {
        let router = health::router(Arc::new(Program { synced }));
        let limits = Limits { silent: SHORT, idle: NEVER, ..limits() };
        let (address, traffic, _stop, served) = serve(router, Transport::Plain, limits).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        for (path, answer) in expected {
            let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
            assert_eq!(exchange(&mut stream, request.as_bytes()).await, *answer, "{path}");
        }
        // The plain door has the same limits.
        let since = Instant::now();
        let mut silent = TcpStream::connect(address).await.unwrap();
        assert_eq!(silent.read(&mut [0]).await.unwrap(), 0);
        assert!(since.elapsed() >= SHORT);
        assert_eq!(traffic.timed_out.get(), 1);
        served.abort();
    }
}
