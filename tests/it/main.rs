//! One test binary, so one link. It has its own `main`, so that servers start when the first trial asks for them and
//! all end with the last.

mod access;
mod adversarial;
mod agreement;
mod catalog;
mod channels;
mod cluster;
mod commands;
mod control_plane;
mod corpus;
mod crd_fields;
mod data_planes;
mod defaults;
mod design;
mod door;
mod embedded;
mod enforced;
mod explain;
mod faults;
mod fields;
mod fuzz;
mod gateway_parity;
mod golden;
mod harness;
mod hostile;
mod kep_table;
mod large;
mod live;
mod manifests;
mod matching;
mod offline;
mod page;
mod pages;
mod parity;
mod parity_cases;
mod policy;
mod properties;
mod reload;
mod reviews;
mod server;
mod status;
mod tables;
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
        adversarial::trials(),
        agreement::trials(),
        catalog::trials(),
        channels::trials(),
        cluster::trials(),
        commands::trials(),
        control_plane::trials(),
        corpus::trials(),
        crd_fields::trials(),
        data_planes::trials(),
        defaults::trials(),
        design::trials(),
        embedded::trials(),
        enforced::trials(),
        explain::trials(),
        faults::trials(),
        fuzz::trials(),
        gateway_parity::trials(),
        hostile::trials(),
        large::trials(),
        live::trials(),
        manifests::trials(),
        matching::trials(),
        offline::trials(),
        pages::trials(),
        parity::trials(),
        policy::trials(),
        properties::trials(),
        reload::trials(),
        server::trials(),
        status::trials(),
        tables::trials(),
        tls::trials(),
        upstream::trials(),
        verdicts::trials(),
        watches::trials(),
    ];
    let conclusion = libtest_mimic::run(&args, trials.into_iter().flatten().collect());
    harness::end();
    conclusion.exit();
}
