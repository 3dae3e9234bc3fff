//! More peers than slots: which peers get a slot, and which connections are evicted. The peers have different loopback
//! addresses.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::net::Ipv4Addr;
use std::time::Instant;

use portcullis::server::Limits;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::SHORT;
use crate::test_server::{PATIENCE, TestServer, answer, closed, exchange, limits, post};

/// The address of the API server.
const US: Ipv4Addr = Ipv4Addr::LOCALHOST;
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const THIRD: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);

/// A request whose body is never sent.
const PROMISE: &[u8] =
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";

/// A connection from `peer` on which one request has been answered.
async fn proven(server: &TestServer, peer: Ipv4Addr) -> TlsStream<TcpStream> {
    let mut stream = server.tls_from(peer).await;
    asks(&mut stream).await;
    stream
}

async fn asks(stream: &mut TlsStream<TcpStream>) {
    assert_eq!(exchange(stream, &post("/echo", b"{}")).await, "200: 2 bytes");
}

/// Connections from `peer` on which a head is sent, but no body.
async fn promising(server: &TestServer, peer: Ipv4Addr, count: usize) -> Vec<TlsStream<TcpStream>> {
    let mut streams = Vec::new();
    for _ in 0..count {
        let mut stream = server.tls_from(peer).await;
        stream.write_all(PROMISE).await.unwrap();
        streams.push(stream);
    }
    // The server reads the heads within this time.
    tokio::time::sleep(SHORT).await;
    streams
}

async fn gone(stream: &mut TlsStream<TcpStream>) {
    closed(stream, Instant::now()).await;
}

pub async fn a_silent_flood_blocks_no_other_peer() {
    let server = TestServer::start(Limits { connections: 8, ..limits() }).await;
    let mut pooled = proven(&server, US).await;
    let mut flood = Vec::new();
    for _ in 0..40 {
        flood.push(server.tcp().await);
    }
    server.serves_the_next().await;
    // As many clients again, which complete the handshake and then send nothing.
    let mut handshaken = Vec::new();
    for _ in 0..40 {
        handshaken.push(server.tls().await);
    }
    server.serves_the_next().await;
    assert!(server.traffic.evicted.get() >= 66, "{} evicted", server.traffic.evicted.get());
    asks(&mut pooled).await;
    drop((flood, handshaken));
    server.ended().await;
}

pub async fn a_flood_of_single_requests_blocks_no_other_peer() {
    let server = TestServer::start(Limits { connections: 8, ..limits() }).await;
    let mut pooled = proven(&server, US).await;
    let mut flood = Vec::new();
    for _ in 0..40 {
        flood.push(proven(&server, OTHER).await);
    }
    // Only connections of the flood were evicted.
    assert_eq!(server.traffic.evicted.get(), 33);
    asks(&mut pooled).await;
    server.serves_the_next().await;
    asks(&mut pooled).await;
    for stream in &mut flood[..33] {
        gone(stream).await;
    }
    drop(flood);
    server.ended().await;
}

pub async fn the_longest_idle_connection_is_evicted() {
    let server = TestServer::start(Limits { connections: 3, ..limits() }).await;
    let (mut first, mut second, mut third) =
        (proven(&server, US).await, proven(&server, US).await, proven(&server, US).await);
    asks(&mut first).await;
    let mut newest = proven(&server, US).await;
    gone(&mut second).await;
    for stream in [&mut third, &mut first, &mut newest] {
        asks(stream).await;
    }
    assert_eq!(server.traffic.evicted.get(), 1);
    server.ended().await;
}

pub async fn the_peer_with_most_idle_connections_loses_one() {
    let server = TestServer::start(Limits { connections: 5, ..limits() }).await;
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        ours.push(proven(&server, US).await);
    }
    for _ in 0..3 {
        others.push(proven(&server, OTHER).await);
    }
    let mut newest = proven(&server, THIRD).await;
    // Our connections have been idle for longer.
    gone(&mut others[0]).await;
    for stream in ours.iter_mut().chain(&mut others[1..]).chain([&mut newest]) {
        asks(stream).await;
    }
    assert_eq!(server.traffic.evicted.get(), 1);
    server.ended().await;
}

pub async fn unproven_connections_are_evicted_before_idle_ones() {
    let server = TestServer::start(Limits { connections: 3, ..limits() }).await;
    let (mut first, mut second) = (proven(&server, OTHER).await, proven(&server, OTHER).await);
    let mut silent = server.tls_from(US).await;
    server.serves_the_next().await;
    gone(&mut silent).await;
    asks(&mut first).await;
    asks(&mut second).await;
    assert_eq!(server.traffic.evicted.get(), 1);
    server.ended().await;
}

/// At any stage of a request (partial head, partial body, response in preparation or partially written), its connection
/// is evicted only after the request is complete, and then at once.
pub async fn started_request_is_completed_before_eviction() {
    let whole = post("/echo", b"{}");
    let (head, rest) = whole.split_at(20);
    let (body, end) = whole.split_at(whole.len() - 1);
    for (begin, end) in [(head, rest), (body, end)] {
        let server = TestServer::start(Limits { connections: 1, ..limits() }).await;
        let mut busy = proven(&server, US).await;
        busy.write_all(begin).await.unwrap();
        tokio::time::sleep(SHORT).await;
        let finishing = async {
            tokio::time::sleep(SHORT).await;
            assert_eq!(exchange(&mut busy, end).await, "200: 2 bytes");
            Instant::now()
        };
        let waiting = async {
            server.serves_the_next().await;
            Instant::now()
        };
        let (finished, served) = tokio::join!(finishing, waiting);
        assert!(served > finished);
        gone(&mut busy).await;
        assert_eq!(server.traffic.evicted.get(), 1);
        server.ended().await;
    }
}

pub async fn response_is_written_before_its_slot_is_reused() {
    let server = TestServer::start(Limits { connections: 2, ..limits() }).await;
    let (mut held, mut large) = (server.tls().await, server.tls().await);
    held.write_all(&post("/held", b"{}")).await.unwrap();
    server.state.begun.notified().await;
    large.write_all(&post("/large", b"{}")).await.unwrap();
    // Until the handler has begun, the connection may be evicted.
    server.state.begun.notified().await;
    let reading = async {
        tokio::time::sleep(SHORT).await;
        let begun = Instant::now();
        let answer = answer(&mut large).await.unwrap();
        assert_eq!((answer.status, answer.body.len()), (200, 64 << 20));
        begun
    };
    let waiting = async {
        server.serves_the_next().await;
        Instant::now()
    };
    let (begun, served) = tokio::join!(reading, waiting);
    assert!(served > begun);
    server.state.release.notify_one();
    assert_eq!(answer(&mut held).await.unwrap().body, "released");
    server.ended().await;
}

pub async fn unfinished_requests_block_no_other_peer() {
    let server = TestServer::start(Limits { connections: 8, ..limits() }).await;
    let mut pooled = [proven(&server, US).await, proven(&server, US).await];
    // From two addresses, so that neither holds many more connections than we do.
    let flood = [promising(&server, OTHER, 10).await, promising(&server, THIRD, 10).await];
    assert_eq!(server.traffic.evicted.get(), 14);
    for _ in 0..5 {
        server.serves_the_next().await;
    }
    for stream in &mut pooled {
        asks(stream).await;
    }
    drop(flood);
    server.ended().await;
}

/// The same from peers that have sent complete requests before.
pub async fn slow_requests_of_proven_peers_block_no_other_peer() {
    let server = TestServer::start(Limits { connections: 16, slow_after: SHORT, ..limits() }).await;
    let mut pooled = [proven(&server, US).await, proven(&server, US).await];
    let mut flood = Vec::new();
    for last in 10..24 {
        let peer = Ipv4Addr::new(127, 0, 0, last);
        asks(&mut server.tls_from(peer).await).await;
        flood.extend(promising(&server, peer, 1).await);
    }
    for _ in 0..5 {
        server.serves_the_next().await;
    }
    for stream in &mut pooled {
        asks(stream).await;
    }
    drop(flood);
    server.ended().await;
}

pub async fn the_network_with_most_connections_loses_one() {
    let server = TestServer::start(Limits { connections: 6, ..limits() }).await;
    let alone = Ipv4Addr::new(127, 0, 1, 1);
    let mut alone = promising(&server, alone, 2).await;
    let mut network = Vec::new();
    for last in 1..=4 {
        network.extend(promising(&server, Ipv4Addr::new(127, 0, 2, last), 1).await);
    }
    server.serves_the_next().await;
    gone(&mut network[0]).await;
    for stream in alone.iter_mut().chain(&mut network[1..]) {
        assert_eq!(exchange(stream, &[b' '; 100]).await, "200: 100 bytes");
    }
    server.ended().await;
}

/// If no connection can be evicted, the next one waits until one can be.
pub async fn new_connection_waits_while_all_are_busy() {
    let server = TestServer::start(Limits { connections: 2, ..limits() }).await;
    let mut busy = [server.tls_from(OTHER).await, server.tls_from(OTHER).await];
    for stream in &mut busy {
        stream.write_all(&post("/held", b"{}")).await.unwrap();
        server.state.begun.notified().await;
    }
    let leaving = async {
        tokio::time::sleep(SHORT).await;
        server.state.release.notify_one();
        Instant::now()
    };
    let waiting = async {
        tokio::time::timeout(PATIENCE, server.serves_the_next()).await.unwrap();
        Instant::now()
    };
    let (left, served) = tokio::join!(leaving, waiting);
    assert!(served > left);
    assert_eq!(server.traffic.evicted.get(), 1);
    drop(busy);
    server.ended().await;
}
