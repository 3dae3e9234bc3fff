//! A TCP proxy that simulates a network which can be paused, resumed, silenced and cut.

use super::http::RUNTIME;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Forwards every connection to one address. Dropping it stops it.
pub struct FlakyProxy {
    /// The address of the proxy.
    pub address: SocketAddr,
    line: watch::Sender<Line>,
    accepting: JoinHandle<()>,
}

/// The state of the simulated network.
#[derive(Clone, Copy, Default)]
struct Line {
    held: bool,
    cuts: usize,
    is_silent: bool,
    /// How often the line fell silent.
    silences: usize,
}

impl FlakyProxy {
    /// Listens on a free port of 127.0.0.1 and forwards to `target`.
    pub fn to(target: SocketAddr) -> Self {
        let listener = RUNTIME.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let (line, state) = watch::channel(Line::default());
        let accepting = RUNTIME.spawn(accept(listener, target, state));
        Self { address, line, accepting }
    }

    /// Pauses all connections: bytes wait here in both directions, and the peers are not notified.
    pub fn hold(&self) {
        self.line.send_modify(|line| line.held = true);
    }

    /// Resumes all connections and forwards the waiting bytes.
    pub fn resume(&self) {
        self.line.send_modify(|line| line.held = false);
    }

    /// Stops forwarding without closing anything. Connections that are open now, or opened until the silence ends,
    /// never carry another byte: the worst case of a TCP that waits longer and longer before it retransmits.
    pub fn silence(&self) {
        self.line.send_modify(|line| (line.is_silent, line.silences) = (true, line.silences + 1));
    }

    /// Forwards new connections again.
    pub fn end_silence(&self) {
        self.line.send_modify(|line| line.is_silent = false);
    }

    /// Closes all connections. New ones are forwarded.
    pub fn cut(&self) {
        self.line.send_modify(|line| line.cuts += 1);
    }
}

impl Drop for FlakyProxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, state: watch::Receiver<Line>) {
    while let Ok((near, _)) = listener.accept().await {
        tokio::spawn(forward(near, target, state.clone()));
    }
}

/// Forwards one connection until a peer closes it or the network is cut. If the target refuses the connection, the
/// client's connection is closed, too.
async fn forward(near: TcpStream, target: SocketAddr, state: watch::Receiver<Line>) {
    let Ok(far) = TcpStream::connect(target).await else { return };
    let Line { cuts, silences, is_silent, .. } = *state.borrow();
    let mut cut = state.clone();
    let ((mut near_in, mut near_out), (mut far_in, mut far_out)) = (near.into_split(), far.into_split());
    let silenced = async |mut state: watch::Receiver<Line>| {
        let _ = state.wait_for(|line| is_silent || line.silences > silences).await;
    };
    // The connection is over as soon as one direction ends, even if the proxy was dropped.
    let carried = async {
        tokio::select! {
            biased;
            // The sockets stay open, but neither end hears anything.
            () = silenced(state.clone()) => std::future::pending().await,
            _ = copy(&mut near_in, &mut far_out, state.clone()) => {}
            _ = copy(&mut far_in, &mut near_out, state.clone()) => {}
        }
    };
    tokio::select! {
        () = carried => {}
        _ = cut.wait_for(|line| line.cuts > cuts) => {}
    }
}

async fn copy(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut state: watch::Receiver<Line>,
) -> io::Result<()> {
    let mut bytes = vec![0; 64 << 10];
    loop {
        let count = from.read(&mut bytes).await?;
        if count == 0 {
            return Ok(());
        }
        let resumed = state.wait_for(|line| !line.held).await;
        resumed.map_err(|_| io::ErrorKind::ConnectionAborted)?;
        to.write_all(&bytes[..count]).await?;
    }
}
