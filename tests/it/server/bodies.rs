//! Bodies: which are read, how large they may be, and what all of them may hold together.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Instant;

use portcullis::server::Limits;
use tokio::io::AsyncWriteExt;

use crate::door::{Door, PATIENCE, answer, closed, exchange, limits, post};

pub async fn a_body_beyond_the_limit_is_refused() {
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

pub async fn a_refusal_reaches_who_is_still_sending() {
    let door = Door::open(Limits { body: 1000, linger: PATIENCE, ..limits() }).await;
    let mut stream = door.tls().await;
    // More than the sockets hold: a server that closed at once would reset the connection under the writer.
    let huge = exchange(&mut stream, &post("/echo", &vec![b' '; 16 << 20])).await;
    assert_eq!(huge, "413: the body is larger than 1000 bytes");
    drop(stream);
    door.ended().await;
}

pub async fn only_json_by_post_is_read() {
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

pub async fn bodies_beyond_the_budget_come_back_later() {
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
