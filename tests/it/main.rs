//! One test binary, so one link.

mod door;
mod server;
mod tls;

fn main() {
    let args = libtest_mimic::Arguments::from_args();
    let trials = server::trials().into_iter().chain(tls::trials()).collect();
    libtest_mimic::run(&args, trials).exit();
}
