//! What kube-proxy is to the API server: one address behind which servers come and go. A connection stays with the
//! server that it was given.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::http::RUNTIME;
use super::webhooks::Callee;

/// Gives each new connection to the next server; gone when dropped, with all connections.
pub struct Balancer {
    address: SocketAddr,
    ca_pem: String,
    targets: Arc<Mutex<Vec<SocketAddr>>>,
    accepting: JoinHandle<()>,
}

impl Balancer {
    /// Listens on a free port of 127.0.0.1 in front of `targets`, whose certificates are of the authority `ca_pem`.
    pub fn of(targets: &[SocketAddr], ca_pem: &str) -> Self {
        let listener = RUNTIME.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let targets = Arc::new(Mutex::new(targets.to_vec()));
        let accepting = RUNTIME.spawn(accept(listener, Arc::clone(&targets)));
        Self { address, ca_pem: ca_pem.to_owned(), targets, accepting }
    }

    /// Gives new connections to `new` instead of `old`.
    pub fn replace(&self, old: SocketAddr, new: SocketAddr) {
        let mut targets = self.targets.lock().expect("no holder panics");
        let target = targets.iter_mut().find(|target| **target == old).expect("a target");
        *target = new;
    }

    /// Gives new connections to `new`, too.
    pub fn add(&self, new: SocketAddr) {
        self.targets.lock().expect("no holder panics").push(new);
    }
}

impl Callee for Balancer {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn ca_pem(&self) -> &str {
        &self.ca_pem
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, targets: Arc<Mutex<Vec<SocketAddr>>>) {
    while let Ok((mut near, _)) = listener.accept().await {
        let target = {
            let mut targets = targets.lock().expect("no holder panics");
            targets.rotate_left(1);
            targets[0]
        };
        tokio::spawn(async move {
            // A server that refuses closes the near end, too.
            if let Ok(mut far) = TcpStream::connect(target).await {
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            }
        });
    }
}
