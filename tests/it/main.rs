//! One test binary, so one link. It has its own `main`, so that servers start when the first trial asks for them and
//! all end with the last.

mod control_plane;
mod harness;

fn main() {
    let args = libtest_mimic::Arguments::from_args();
    let conclusion = libtest_mimic::run(&args, control_plane::trials());
    harness::end();
    conclusion.exit();
}
