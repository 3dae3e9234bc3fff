//! One test binary, so one link. It has its own `main`, so that servers start when the first trial asks for them and
//! all end with the last.

mod cluster;
mod control_plane;
mod defaults;
mod door;
mod harness;
mod live;
mod matching;
mod page;
mod pages;
mod parity;
mod parity_cases;
mod server;
mod tables;
mod tls;

fn main() {
    let args = libtest_mimic::Arguments::from_args();
    let trials = [
        cluster::trials(),
        control_plane::trials(),
        defaults::trials(),
        live::trials(),
        matching::trials(),
        pages::trials(),
        parity::trials(),
        server::trials(),
        tables::trials(),
        tls::trials(),
    ];
    let conclusion = libtest_mimic::run(&args, trials.into_iter().flatten().collect());
    harness::end();
    conclusion.exit();
}
