//! Trials that run the program or share servers. They have a `main` of their own, so that servers start when the first trial asks for
//! them and all end with the last. Tests that need neither are in `tests/pure`.

mod access;
mod agreement;
mod catalog;
mod cluster;
mod commands;
mod control_plane;
mod crd_fields;
mod design;
mod door;
mod embedded;
mod enforced;
mod explain;
mod faults;
mod gateway_fields;
mod gateway_parity;
mod harness;
mod hostile;
mod large;
mod live;
mod manifests;
mod offline;
mod pages;
mod parity;
mod parity_cases;
mod reload;
mod reviews;
mod server;
mod spelled;
mod status;
mod tls;
mod upstream;
mod verdicts;
mod watches;

fn main() {
    if verdicts::print_if_asked() {
        return;
    }
    let args = libtest_mimic::Arguments::from_args();
    let trials = [
        access::trials(),
        agreement::trials(),
        catalog::trials(),
        cluster::trials(),
        commands::trials(),
        control_plane::trials(),
        crd_fields::trials(),
        design::trials(),
        embedded::trials(),
        enforced::trials(),
        explain::trials(),
        faults::trials(),
        gateway_fields::trials(),
        gateway_parity::trials(),
        hostile::trials(),
        large::trials(),
        live::trials(),
        manifests::trials(),
        offline::trials(),
        pages::trials(),
        parity::trials(),
        reload::trials(),
        server::trials(),
        spelled::trials(),
        status::trials(),
        tls::trials(),
        upstream::trials(),
        verdicts::trials(),
        watches::trials(),
    ];
    let conclusion = libtest_mimic::run(&args, trials.into_iter().flatten().collect());
    harness::end();
    conclusion.exit();
}
