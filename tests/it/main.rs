//! One test binary, so one link. It has its own `main`, so that servers start when the first trial asks for them and
//! all end with the last.

mod control_plane;
mod harness;
mod matching;
mod page;
mod pages;

fn main() {
    let args = libtest_mimic::Arguments::from_args();
    let trials = [control_plane::trials(), matching::trials(), pages::trials()].into_iter().flatten().collect();
    let conclusion = libtest_mimic::run(&args, trials);
    harness::end();
    conclusion.exit();
}
