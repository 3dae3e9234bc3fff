//! One test binary, so one link. It has its own `main`, so that servers start when the first trial asks for them and
//! all end with the last.

mod cluster;
mod control_plane;
mod door;
mod embedded;
mod faults;
mod harness;
mod hostile;
mod page;
mod pages;
mod reviews;
mod server;
mod tls;

fn main() {
    let args = libtest_mimic::Arguments::from_args();
    let trials = [
        cluster::trials(),
        control_plane::trials(),
        embedded::trials(),
        faults::trials(),
        hostile::trials(),
        pages::trials(),
        server::trials(),
        tls::trials(),
    ];
    let conclusion = libtest_mimic::run(&args, trials.into_iter().flatten().collect());
    harness::end();
    conclusion.exit();
}
