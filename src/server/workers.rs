//! Runs heavy reviews on separate threads: a few at a time, with fair turns among namespaces.
//!
//! One namespace uses at most half of the threads, and waiting namespaces take turns, so a client that sends a thousand
//! heavy reviews delays only reviews of the same namespace.
//!
//! A review that is assumed to be light runs where its request was read, on an async worker, as long as another async
//! worker stays free: the assumption may be wrong, and connections must be served meanwhile.

use std::collections::{HashMap, VecDeque};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Bodies with more than this many bytes are reviewed one at a time, since parsing one takes many times its size in
/// memory.
const LARGE: usize = 256 << 10;

/// The threads for heavy reviews and the queue for them, and the room for light reviews.
#[derive(Debug)]
pub struct Workers {
    threads: usize,
    light: LightReviews,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    running: usize,
    is_large_running: bool,
    namespaces: HashMap<String, Namespace>,
    /// The namespaces that wait; the first one has waited longest for its turn.
    order: VecDeque<String>,
}

#[derive(Debug, Default)]
struct Namespace {
    running: usize,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    is_large: bool,
    turn: oneshot::Sender<Turn>,
}

/// How many reviews run on async workers now, and how many may.
#[derive(Debug)]
struct LightReviews {
    running: AtomicUsize,
    maximum: usize,
}

/// The right to review on an async worker, until it is dropped.
#[derive(Debug)]
pub struct LightTurn<'a>(&'a LightReviews);

/// The right to use a thread, until it is dropped.
#[derive(Debug)]
struct Turn {
    workers: Arc<Workers>,
    namespace: String,
    is_large: bool,
}

impl Workers {
    /// Two threads per processor, but at least 4 and at most 16: the heaviest reviews share the processors with each
    /// other and with the light ones.
    pub fn new() -> Self {
        Self::of((2 * processors()).clamp(4, 16))
    }

    fn of(threads: usize) -> Self {
        let light = LightReviews { running: AtomicUsize::new(0), maximum: async_workers() - 1 };
        Self { threads, light, queue: Mutex::default() }
    }

    /// The right to review on the async worker that calls this, unless all others but one review already.
    pub fn light_turn(&self) -> Option<LightTurn<'_>> {
        let running = self.light.running.fetch_add(1, Ordering::Relaxed);
        let turn = LightTurn(&self.light);
        (running < self.light.maximum).then_some(turn)
    }

    /// Runs `work` for `namespace` when its turn comes; `size` is the size of the body in bytes. Returns `None` if
    /// `work` panics. The turn lasts until `work` ends, even if the caller no longer waits for it.
    pub async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        namespace: String,
        size: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let turn = self.turn(namespace, size > LARGE).await?;
        let work = move || {
            let _turn = turn;
            work()
        };
        tokio::task::spawn_blocking(work).await.ok()
    }

    async fn turn(self: &Arc<Self>, namespace: String, is_large: bool) -> Option<Turn> {
        let (sender, turn) = oneshot::channel();
        self.lock().wait(namespace, Waiting { is_large, turn: sender });
        self.start_waiting();
        turn.await.ok()
    }

    /// Gives turns to waiting reviews as long as threads are free.
    fn start_waiting(self: &Arc<Self>) {
        loop {
            let Some((namespace, waiting)) = self.lock().next(self.threads) else { return };
            let turn = Turn { workers: Arc::clone(self), namespace, is_large: waiting.is_large };
            // If the receiver is gone, the turn is dropped here, which returns it.
            drop(waiting.turn.send(turn));
        }
    }

    /// Every change of the queue is finished before anything can panic, so a poisoned lock never guards inconsistent
    /// data.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of async workers that the server needs: one for each processor, and a second one that serves connections
/// while the first reviews.
pub fn async_workers() -> usize {
    processors().max(2)
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, NonZero::get)
}

impl Drop for LightTurn<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.workers.lock().end(&self.namespace, self.is_large);
        self.workers.start_waiting();
    }
}

impl Queue {
    fn wait(&mut self, namespace: String, waiting: Waiting) {
        let queue = &mut self.namespaces.entry(namespace.clone()).or_default().waiting;
        if queue.is_empty() {
            self.order.push_back(namespace);
        }
        queue.push_back(waiting);
    }

    /// Removes and returns the next review that may begin.
    fn next(&mut self, threads: usize) -> Option<(String, Waiting)> {
        if self.running >= threads {
            return None;
        }
        let may_begin = |name: &String| {
            let namespace = self.namespaces.get(name)?;
            let first = namespace.waiting.front()?;
            let has_room = namespace.running < threads / 2 && !(first.is_large && self.is_large_running);
            has_room.then_some(())
        };
        let position = self.order.iter().position(|name| may_begin(name).is_some())?;
        let name = self.order.remove(position)?;
        let namespace = self.namespaces.get_mut(&name)?;
        let waiting = namespace.waiting.pop_front()?;
        namespace.running += 1;
        self.running += 1;
        self.is_large_running |= waiting.is_large;
        if !namespace.waiting.is_empty() {
            self.order.push_back(name.clone());
        }
        Some((name, waiting))
    }

    fn end(&mut self, name: &str, is_large: bool) {
        self.running -= 1;
        self.is_large_running &= !is_large;
        let Some(namespace) = self.namespaces.get_mut(name) else { return };
        namespace.running -= 1;
        if namespace.running == 0 && namespace.waiting.is_empty() {
            self.namespaces.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue and the requests for a turn that still wait.
    struct Trial {
        workers: Arc<Workers>,
        waiting: Vec<(&'static str, oneshot::Receiver<Turn>)>,
    }

    impl Trial {
        fn new(threads: usize) -> Self {
            Self { workers: Arc::new(Workers::of(threads)), waiting: Vec::new() }
        }

        fn request_turn(&mut self, namespace: &'static str, is_large: bool) {
            let (sender, turn) = oneshot::channel();
            self.workers.lock().wait(namespace.to_owned(), Waiting { is_large, turn: sender });
            self.workers.start_waiting();
            self.waiting.push((namespace, turn));
        }

        /// The turns that were granted since the last call, in order. Each lasts until the test drops it.
        fn granted(&mut self) -> Vec<(&'static str, Turn)> {
            let mut granted = Vec::new();
            self.waiting.retain_mut(|(namespace, turn)| match turn.try_recv() {
                Ok(turn) => {
                    granted.push((*namespace, turn));
                    false
                }
                Err(_) => true,
            });
            granted
        }
    }

    fn names(turns: &[(&'static str, Turn)]) -> Vec<&'static str> {
        turns.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn one_async_worker_never_reviews() {
        let workers = Workers::of(4);
        let mut turns: Vec<_> = (1..async_workers()).map(|_| workers.light_turn().expect("a free worker")).collect();
        assert!(workers.light_turn().is_none(), "the last worker serves connections");
        turns.pop();
        assert!(workers.light_turn().is_some(), "a turn has ended");
    }

    #[test]
    fn one_namespace_has_at_most_half_and_others_come_first() {
        let mut trial = Trial::new(4);
        (0..10).for_each(|_| trial.request_turn("greedy", false));
        let mut greedy = trial.granted();
        assert_eq!(names(&greedy), ["greedy"; 2]);
        trial.request_turn("web", false);
        trial.request_turn("shop", false);
        let mut others = trial.granted();
        assert_eq!(names(&others), ["web", "shop"]);
        trial.request_turn("web", false);
        assert!(trial.granted().is_empty(), "all threads are taken");
        greedy.pop();
        let next = trial.granted();
        assert_eq!(names(&next), ["greedy"], "it has waited for longer");
        others.clear();
        assert_eq!(names(&trial.granted()), ["web"]);
    }

    #[test]
    fn large_bodies_take_turns_and_keep_no_thread_from_others() {
        let mut trial = Trial::new(4);
        trial.request_turn("greedy", true);
        trial.request_turn("greedy", true);
        trial.request_turn("web", true);
        trial.request_turn("shop", false);
        let mut first = trial.granted();
        assert_eq!(names(&first), ["greedy", "shop"]);
        first.remove(0);
        let second = trial.granted();
        assert_eq!(names(&second), ["greedy"]);
        drop(second);
        assert_eq!(names(&trial.granted()), ["web"]);
    }

    #[test]
    fn turn_of_a_cancelled_review_goes_to_the_next() {
        let mut trial = Trial::new(4);
        trial.request_turn("web", true);
        let first = trial.granted();
        trial.request_turn("web", true);
        trial.request_turn("shop", true);
        trial.waiting.remove(0);
        drop(first);
        let next = trial.granted();
        assert_eq!(names(&next), ["shop"]);
        drop(next);
        let queue = trial.workers.lock();
        assert!(queue.namespaces.is_empty() && queue.order.is_empty() && queue.running == 0 && !queue.is_large_running);
    }
}
