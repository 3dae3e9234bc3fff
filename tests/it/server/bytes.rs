//! HTTP that is malformed, too long, or unusual but valid.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Instant;

use portcullis::server::Limits;
use tokio::io::AsyncWriteExt;

use crate::test_server::{TestServer, answer, closed, exchange, limits, post, without_review};

pub async fn garbage_does_not_crash_the_server() {
    let server = TestServer::start(limits()).await;
    let json = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let over_tcp: [&[u8]; 5] = [
        b"GET /echo HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        &[0xff; 4096],
        // A handshake record with an invalid length, and one with random content.
        &[0x16, 0x03, 0x01, 0xff, 0xff, 0x01],
        &[&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc][..], &[0xaa; 508]].concat(),
    ];
    for bytes in over_tcp {
        let mut stream = server.tcp().await;
        stream.write_all(bytes).await.unwrap();
        closed(&mut stream, Instant::now()).await;
    }
    assert_eq!(server.traffic.handshakes_failed.get(), over_tcp.len() as u64);
    server.serves_the_next().await;

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
        let mut stream = server.tls().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        if let Some(refusal) = answer(&mut stream).await {
            assert_eq!(refusal.status, 400, "{request:?}");
        }
        closed(&mut stream, Instant::now()).await;
        server.serves_the_next().await;
    }

    // More bytes than declared: the review is complete, and the following bytes are not a request.
    let mut stream = server.tls().await;
    let longer = format!("{json}Content-Length: 2\r\n\r\n{{}}surplus\r\n\r\n");
    assert_eq!(exchange(&mut stream, longer.as_bytes()).await, "200: 2 bytes");
    assert_eq!(answer(&mut stream).await.map(|refusal| refusal.status), Some(400));
    // Fewer bytes than declared, and then the end of the connection.
    let mut stream = server.tls().await;
    stream.write_all(format!("{json}Content-Length: 9\r\n\r\n{{}}").as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    assert!(answer(&mut stream).await.is_none_or(|refusal| refusal.status == 400));
    server.serves_the_next().await;
    server.ended().await;
}

pub async fn heads_beyond_the_limits_are_refused() {
    let server = TestServer::start(limits()).await;
    let many: String = (0..1000).map(|n| format!("X-{n}: y\r\n")).collect();
    let long = format!("X-Long: {}\r\n", "y".repeat(64 << 10));
    for headers in [many, long] {
        let mut stream = server.tls().await;
        let request = format!("POST /echo HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        assert_eq!(answer(&mut stream).await.map(|refusal| refusal.status), Some(431));
        closed(&mut stream, Instant::now()).await;
        server.serves_the_next().await;
    }
    server.ended().await;
}

pub async fn a_client_may_expect_100_continue() {
    let server = TestServer::start(Limits { body: 1000, ..limits() }).await;
    let expecting = |length: usize| {
        format!(
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\
             Content-Length: {length}\r\n\r\n"
        )
    };
    let mut stream = server.tls().await;
    assert_eq!(exchange(&mut stream, expecting(2).as_bytes()).await, "100: ");
    assert_eq!(exchange(&mut stream, b"{}").await, "200: 2 bytes");
    // The server does not send `100 Continue` for a body that it will reject.
    let refused = exchange(&mut stream, expecting(1001).as_bytes()).await;
    assert_eq!(refused, without_review("413: the body is larger than 1000 bytes"));
    server.ended().await;
}

pub async fn pipelined_requests_are_answered_in_order() {
    let server = TestServer::start(limits()).await;
    let mut stream = server.tls().await;
    let both = [post("/echo", b"{}"), post("/echo", b"[1]")].concat();
    assert_eq!(exchange(&mut stream, &both).await, "200: 2 bytes");
    assert_eq!(answer(&mut stream).await.unwrap().body, "3 bytes");
    assert_eq!(exchange(&mut stream, &post("/echo", b"null")).await, "200: 4 bytes");
    server.ended().await;
}
