//! More peers than slots: who gets one, who loses one, and who never does. The peers are addresses of the loopback net.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::net::Ipv4Addr;
use std::time::Instant;

use portcullis::server::Limits;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::SHORT;
use crate::door::{Door, PATIENCE, answer, closed, exchange, limits, post};

/// The API server.
const US: Ipv4Addr = Ipv4Addr::LOCALHOST;
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const THIRD: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);

/// A request whose body is not sent.
const PROMISE: &[u8] =
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";

/// A connection from `peer` that has been answered once.
async fn proven(door: &Door, peer: Ipv4Addr) -> TlsStream<TcpStream> {
    let mut stream = door.tls_from(peer).await;
    asks(&mut stream).await;
    stream
}

async fn asks(stream: &mut TlsStream<TcpStream>) {
    assert_eq!(exchange(stream, &post("/echo", b"{}")).await, "200: 2 bytes");
}

/// Connections from `peer` that have sent a head and owe the body.
async fn promising(door: &Door, peer: Ipv4Addr, count: usize) -> Vec<TlsStream<TcpStream>> {
    let mut streams = Vec::new();
    for _ in 0..count {
        let mut stream = door.tls_from(peer).await;
        stream.write_all(PROMISE).await.unwrap();
        streams.push(stream);
    }
    // Heads on their way are read within this time.
    tokio::time::sleep(SHORT).await;
    streams
}

async fn gone(stream: &mut TlsStream<TcpStream>) {
    closed(stream, Instant::now()).await;
}

pub async fn a_silent_flood_keeps_nobody_out() {
    let door = Door::open(Limits { connections: 8, ..limits() }).await;
    let mut pooled = proven(&door, US).await;
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
    asks(&mut pooled).await;
    drop((flood, handshaken));
    door.ended().await;
}

pub async fn a_flood_that_asks_once_keeps_nobody_out() {
    let door = Door::open(Limits { connections: 8, ..limits() }).await;
    let mut pooled = proven(&door, US).await;
    let mut flood = Vec::new();
    for _ in 0..40 {
        flood.push(proven(&door, OTHER).await);
    }
    // The flood has pushed out itself alone.
    assert_eq!(door.traffic.evicted.get(), 33);
    asks(&mut pooled).await;
    door.serves_the_next().await;
    asks(&mut pooled).await;
    for stream in &mut flood[..33] {
        gone(stream).await;
    }
    drop(flood);
    door.ended().await;
}

pub async fn who_has_been_idle_for_the_longest_makes_room() {
    let door = Door::open(Limits { connections: 3, ..limits() }).await;
    let (mut first, mut second, mut third) =
        (proven(&door, US).await, proven(&door, US).await, proven(&door, US).await);
    asks(&mut first).await;
    let mut newest = proven(&door, US).await;
    gone(&mut second).await;
    for stream in [&mut third, &mut first, &mut newest] {
        asks(stream).await;
    }
    assert_eq!(door.traffic.evicted.get(), 1);
    door.ended().await;
}

pub async fn the_peer_with_most_idle_connections_makes_room() {
    let door = Door::open(Limits { connections: 5, ..limits() }).await;
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        ours.push(proven(&door, US).await);
    }
    for _ in 0..3 {
        others.push(proven(&door, OTHER).await);
    }
    let mut newest = proven(&door, THIRD).await;
    // Ours have been idle for longer.
    gone(&mut others[0]).await;
    for stream in ours.iter_mut().chain(&mut others[1..]).chain([&mut newest]) {
        asks(stream).await;
    }
    assert_eq!(door.traffic.evicted.get(), 1);
    door.ended().await;
}

pub async fn the_unproven_make_room_before_the_idle() {
    let door = Door::open(Limits { connections: 3, ..limits() }).await;
    let (mut first, mut second) = (proven(&door, OTHER).await, proven(&door, OTHER).await);
    let mut silent = door.tls_from(US).await;
    door.serves_the_next().await;
    gone(&mut silent).await;
    asks(&mut first).await;
    asks(&mut second).await;
    assert_eq!(door.traffic.evicted.get(), 1);
    door.ended().await;
}

/// However a request stands (its head begun, its body on the way, its answer made or half written), it is ended before its
/// place is given away; and then it is given away at once.
pub async fn a_request_that_has_begun_is_waited_for() {
    let whole = post("/echo", b"{}");
    let (head, rest) = whole.split_at(20);
    let (body, end) = whole.split_at(whole.len() - 1);
    for (begin, end) in [(head, rest), (body, end)] {
        let door = Door::open(Limits { connections: 1, ..limits() }).await;
        let mut busy = proven(&door, US).await;
        busy.write_all(begin).await.unwrap();
        tokio::time::sleep(SHORT).await;
        let finishing = async {
            tokio::time::sleep(SHORT).await;
            assert_eq!(exchange(&mut busy, end).await, "200: 2 bytes");
            Instant::now()
        };
        let waiting = async {
            door.serves_the_next().await;
            Instant::now()
        };
        let (finished, served) = tokio::join!(finishing, waiting);
        assert!(served > finished);
        gone(&mut busy).await;
        assert_eq!(door.traffic.evicted.get(), 1);
        door.ended().await;
    }
}

pub async fn an_answer_is_written_before_its_place_is_given_away() {
    let door = Door::open(Limits { connections: 2, ..limits() }).await;
    let (mut held, mut large) = (door.tls().await, door.tls().await);
    held.write_all(&post("/held", b"{}")).await.unwrap();
    door.room.begun.notified().await;
    large.write_all(&post("/large", b"{}")).await.unwrap();
    // Until then it is a connection that nobody waits for.
    door.room.begun.notified().await;
    let reading = async {
        tokio::time::sleep(SHORT).await;
        let begun = Instant::now();
        let answer = answer(&mut large).await.unwrap();
        assert_eq!((answer.status, answer.body.len()), (200, 64 << 20));
        begun
    };
    let waiting = async {
        door.serves_the_next().await;
        Instant::now()
    };
    let (begun, served) = tokio::join!(reading, waiting);
    assert!(served > begun);
    door.room.release.notify_one();
    assert_eq!(answer(&mut held).await.unwrap().body, "released");
    door.ended().await;
}

pub async fn requests_that_never_end_keep_nobody_out() {
    let door = Door::open(Limits { connections: 8, ..limits() }).await;
    let mut pooled = [proven(&door, US).await, proven(&door, US).await];
    // From two addresses, so that neither holds much more than we do.
    let flood = [promising(&door, OTHER, 10).await, promising(&door, THIRD, 10).await];
    assert_eq!(door.traffic.evicted.get(), 14);
    for _ in 0..5 {
        door.serves_the_next().await;
    }
    for stream in &mut pooled {
        asks(stream).await;
    }
    drop(flood);
    door.ended().await;
}

/// The same from peers that have sent complete requests before.
pub async fn slow_requests_of_the_proven_keep_nobody_out() {
    let door = Door::open(Limits { connections: 16, slow: SHORT, ..limits() }).await;
    let mut pooled = [proven(&door, US).await, proven(&door, US).await];
    let mut flood = Vec::new();
    for last in 10..24 {
        let peer = Ipv4Addr::new(127, 0, 0, last);
        asks(&mut door.tls_from(peer).await).await;
        flood.extend(promising(&door, peer, 1).await);
    }
    for _ in 0..5 {
        door.serves_the_next().await;
    }
    for stream in &mut pooled {
        asks(stream).await;
    }
    drop(flood);
    door.ended().await;
}

pub async fn the_network_with_most_connections_makes_room() {
    let door = Door::open(Limits { connections: 6, ..limits() }).await;
    let alone = Ipv4Addr::new(127, 0, 1, 1);
    let mut alone = promising(&door, alone, 2).await;
    let mut network = Vec::new();
    for last in 1..=4 {
        network.extend(promising(&door, Ipv4Addr::new(127, 0, 2, last), 1).await);
    }
    door.serves_the_next().await;
    gone(&mut network[0]).await;
    for stream in alone.iter_mut().chain(&mut network[1..]) {
        assert_eq!(exchange(stream, &[b' '; 100]).await, "200: 100 bytes");
    }
    door.ended().await;
}

/// With no connection that can be spared, the next waits until one can be.
pub async fn while_everybody_is_busy_the_next_waits() {
    let door = Door::open(Limits { connections: 2, ..limits() }).await;
    let mut busy = [door.tls_from(OTHER).await, door.tls_from(OTHER).await];
    for stream in &mut busy {
        stream.write_all(&post("/held", b"{}")).await.unwrap();
        door.room.begun.notified().await;
    }
    let leaving = async {
        tokio::time::sleep(SHORT).await;
        door.room.release.notify_one();
        Instant::now()
    };
    let waiting = async {
        tokio::time::timeout(PATIENCE, door.serves_the_next()).await.unwrap();
        Instant::now()
    };
    let (left, served) = tokio::join!(leaving, waiting);
    assert!(served > left);
    assert_eq!(door.traffic.evicted.get(), 1);
    drop(busy);
    door.ended().await;
}
