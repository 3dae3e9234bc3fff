//! A TCP relay between two programs: a network that can be held back, cut and given back.

use super::http::RUNTIME;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Passes on every connection to one address; gone when dropped.
pub struct FlakyProxy {
    /// Where it listens.
    pub address: SocketAddr,
    line: watch::Sender<Line>,
    accepting: JoinHandle<()>,
}

/// How the line is.
#[derive(Clone, Copy, Default)]
struct Line {
    held: bool,
    cuts: usize,
}

impl FlakyProxy {
    /// Listens on a free port of 127.0.0.1 and passes on to `target`.
    pub fn to(target: SocketAddr) -> Self {
        let listener = RUNTIME.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let (line, state) = watch::channel(Line::default());
        let accepting = RUNTIME.spawn(accept(listener, target, state));
        Self { address, line, accepting }
    }

    /// From now on bytes wait here, in both directions; nobody is told.
    pub fn hold(&self) {
        self.line.send_modify(|line| line.held = true);
    }

    /// What waited goes on its way, and so does all that follows.
    pub fn resume(&self) {
        self.line.send_modify(|line| line.held = false);
    }

    /// Closes every connection; new ones are passed on.
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
        tokio::spawn(relay(near, target, state.clone()));
    }
}

/// One connection, until either end closes it or the line is cut. A target that refuses closes the near end too.
async fn relay(near: TcpStream, target: SocketAddr, state: watch::Receiver<Line>) {
    let Ok(far) = TcpStream::connect(target).await else { return };
    let cuts = state.borrow().cuts;
    let mut cut = state.clone();
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    // However a direction ends, and whether or not the relay itself is gone, this connection is over.
    tokio::select! {
        _ = copy(near_in, far_out, state.clone()) => {}
        _ = copy(far_in, near_out, state) => {}
        _ = cut.wait_for(|line| line.cuts > cuts) => {}
    }
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
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
