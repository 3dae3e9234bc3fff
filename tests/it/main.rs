//! Trials that run the program or share servers. They have a custom `main`, so that servers start when the first trial
//! needs them and end after the last trial. Tests without servers are in `tests/pure`.

mod access;
mod action;
mod addresses;
mod agreement;
mod alerts;
mod catalog;
mod ci;
mod claims;
mod cluster;
mod commands;
mod compare;
mod config_commands;
mod config_map;
mod contact;
mod control_plane;
mod controller;
mod crd_fields;
mod design;
mod drain;
mod e2e;
mod embedded;
mod enforced;
mod enforcement;
mod explain;
mod faults;
mod features;
mod flood;
mod gateway_fields;
mod gateway_parity;
mod harness;
mod hostile;
mod install;
mod issuer;
mod large;
mod large_namespace;
mod lease;
mod live;
mod manifests;
mod offline;
mod parity;
mod parity_cases;
mod pre_commit;
mod quickstart;
mod release;
mod reload;
mod reviews;
mod rotation;
mod schema_spellings;
mod server;
mod sizing;
mod status;
mod test_server;
mod tls;
mod upstream;
mod verdicts;
mod watches;

fn main() {
    if verdicts::print_if_requested() {
        return;
    }
    let mut args = libtest_mimic::Arguments::from_args();
    // Many trials mostly wait, so there is work for more threads than cores. With three for each core, an API server had no answer
    // within its own time limit now and then.
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    args.test_threads.get_or_insert(2 * cores + 1);
    let trials = [
        access::trials(),
        action::trials(),
        addresses::trials(),
        agreement::trials(),
        alerts::trials(),
        catalog::trials(),
        ci::trials(),
        claims::trials(),
        cluster::trials(),
        commands::trials(),
        config_commands::trials(),
        config_map::trials(),
        controller::trials(),
        contact::trials(),
        control_plane::trials(),
        crd_fields::trials(),
        features::trials(),
        design::trials(),
        drain::trials(),
        e2e::trials(),
        embedded::trials(),
        enforced::trials(),
        enforcement::trials(),
        compare::trials(),
        explain::trials(),
        faults::trials(),
        flood::trials(),
        gateway_fields::trials(),
        gateway_parity::trials(),
        hostile::trials(),
        install::trials(),
        issuer::trials(),
        large::trials(),
        large_namespace::trials(),
        lease::trials(),
        live::trials(),
        manifests::trials(),
        offline::trials(),
        parity::trials(),
        pre_commit::trials(),
        quickstart::trials(),
        release::trials(),
        reload::trials(),
        rotation::trials(),
        server::trials(),
        sizing::trials(),
        schema_spellings::trials(),
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
