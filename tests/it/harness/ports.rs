//! Free ports for programs that need a port number before they start.

use std::net::{Ipv4Addr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below the range that kernels use for outgoing connections, so that no connection takes the port before the server
/// binds it.
const FIRST: u32 = 20_000;
const COUNT: u32 = 10_000;

/// A port of 127.0.0.1 that is not in use, different for each call in this process. The first port depends on the
/// process id, so that two processes rarely choose the same port.
pub fn free_port() -> u16 {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let begin = process::id().wrapping_mul(97);
    (0..COUNT)
        .map(|_| FIRST + begin.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)) % COUNT)
        .filter_map(|port| u16::try_from(port).ok())
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .expect("one of ten thousand ports is free")
}
