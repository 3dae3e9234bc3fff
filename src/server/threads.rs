//! Threads for heavy reviews, which give way to everything else that the program does.
//!
//! A heavy review may need a processor for longer than all light reviews that arrive meanwhile. With equal rights, these would wait for
//! their share of it.

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// How much nicer these threads are than the others: a light review interrupts a heavy one at once, and a heavy one still gets a tenth of
/// a processor that light ones use all the time.
const NICE: i32 = 10;

/// So many threads, which start when they are needed.
#[derive(Debug)]
pub struct NiceThreads(Option<Runtime>);

impl NiceThreads {
    pub fn new(count: usize) -> Self {
        let mut threads = Builder::new_current_thread();
        threads.thread_name("heavy-review").max_blocking_threads(count).on_thread_start(be_nice);
        Self(Some(threads.build().expect("a runtime without drivers needs nothing from the system")))
    }

    /// Runs `work` on one of the threads.
    pub fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
        self.0.as_ref().expect("it is there until it is dropped").spawn_blocking(work)
    }
}

impl Drop for NiceThreads {
    /// Work that is under way goes on, as far as the process does.
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// Where this is not allowed, reviews are answered all the same. On Linux, it concerns the calling thread alone.
fn be_nice() {
    if cfg!(target_os = "linux") {
        let _ = rustix::process::nice(NICE);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[tokio::test]
    async fn threads_are_nicer_than_others_and_no_other_is() {
        let threads = NiceThreads::new(2);
        let before = getpriority_process(None).expect("a thread has a priority");
        for _ in 0..3 {
            let there = threads.run(|| getpriority_process(None)).await.expect("no panic").expect("it has one, too");
            assert_eq!(there, (before + NICE).min(19));
        }
        assert_eq!(getpriority_process(None), Ok(before));
        assert!(threads.run(|| panic!("in a review")).await.is_err(), "a panic ends its work only");
        assert_eq!(threads.run(|| 7).await.ok(), Some(7));
    }
}
