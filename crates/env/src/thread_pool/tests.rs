use super::*;
use base::status::Code;
use parking_lot::{Condvar, Mutex};
use rustix::process::getpriority_process;
use rustix::thread::CapabilitySet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Duration;

fn pool() -> ThreadPool {
    ThreadPool::new(|priority, message| panic!("{priority:?}: {message}"))
}

/// Something that jobs wait for.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.open.lock() = true;
        self.opened.notify_all();
    }

    fn wait(&self) {
        let mut open = self.open.lock();
        while !*open {
            self.opened.wait(&mut open);
        }
    }
}

#[test]
fn jobs_of_one_thread_run_in_order() {
    let pool = pool();
    pool.set_background_threads(Priority::Low, 1);
    let order = Arc::new(Mutex::new(Vec::new()));
    for index in 0..100 {
        let order = Arc::clone(&order);
        pool.schedule(Priority::Low, move || order.lock().push(index)).unwrap();
    }
    pool.wait_until_idle();
    assert!(order.lock().iter().copied().eq(0..100));
}

/// Also without the privilege to take niceness back.
#[test]
fn threads_of_a_queue_are_as_nice_as_asked_whoever_schedules() {
    let mut capabilities = rustix::thread::capabilities(None).unwrap();
    capabilities.effective.remove(CapabilitySet::SYS_NICE);
    rustix::thread::set_capabilities(None, capabilities).unwrap();
    let niceness = || getpriority_process(None).unwrap();
    let own = niceness();
    let pool = Arc::new(pool());
    pool.set_niceness(Priority::Low, 5);
    for priority in Priority::ALL {
        pool.set_background_threads(priority, 2);
    }
    let (sender, receiver) = mpsc::channel();
    let (owned, of_low) = (Arc::clone(&pool), sender.clone());
    let from_low = move || {
        of_low.send((Priority::Low, niceness())).unwrap();
        for priority in [Priority::High, Priority::Bottom] {
            // As many at once as there are threads.
            let met = Arc::new(Barrier::new(2));
            for _ in 0..2 {
                let (sender, met) = (of_low.clone(), Arc::clone(&met));
                let job = move || {
                    met.wait();
                    sender.send((priority, niceness())).unwrap();
                };
                owned.schedule(priority, job).unwrap();
            }
        }
    };
    pool.schedule(Priority::Low, from_low).unwrap();
    drop(sender);
    let found: Vec<_> = receiver.iter().collect();
    assert_eq!(found.len(), 5);
    for (priority, niceness) in found {
        let added = if priority == Priority::Low { 5 } else { 0 };
        assert_eq!(niceness, (own + added).min(19), "{priority:?}");
    }
    assert_eq!(niceness(), own);
}

#[test]
fn no_more_run_at_once_than_the_limit_says() {
    let pool = pool();
    pool.set_background_threads(Priority::High, 3);
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    for _ in 0..60 {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        pool.schedule(Priority::High, move || {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_micros(300));
            now.fetch_sub(1, Ordering::SeqCst);
        })
        .unwrap();
    }
    pool.wait_until_idle();
    assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
}

#[test]
fn queues_do_not_wait_for_each_other() {
    let pool = pool();
    for priority in Priority::ALL {
        pool.set_background_threads(priority, 1);
    }
    let gate = Arc::new(Gate::default());
    let blocked = Arc::clone(&gate);
    pool.schedule(Priority::Low, move || blocked.wait()).unwrap();
    let (send, receive) = mpsc::channel();
    for priority in [Priority::High, Priority::Bottom] {
        let send = send.clone();
        let name = move || thread::current().name().map(str::to_string);
        pool.schedule(priority, move || send.send(name()).unwrap()).unwrap();
    }
    let mut names = [receive.recv().unwrap().unwrap(), receive.recv().unwrap().unwrap()];
    names.sort();
    assert_eq!(names, ["tstone:bottom0", "tstone:high0"]);
    assert_eq!(pool.running(Priority::Low) + pool.queue_len(Priority::Low), 1);
    gate.open();
    pool.wait_until_idle();
}

#[test]
fn limits_change_while_jobs_wait() {
    let pool = pool();
    let gate = Arc::new(Gate::default());
    let (send, receive) = mpsc::channel();
    for _ in 0..4 {
        let (gate, send) = (Arc::clone(&gate), send.clone());
        pool.schedule(Priority::Low, move || {
            send.send(()).unwrap();
            gate.wait();
        })
        .unwrap();
    }
    assert_eq!(pool.queue_len(Priority::Low), 4, "no threads yet");
    pool.set_background_threads(Priority::Low, 4);
    for _ in 0..4 {
        receive.recv().unwrap();
    }
    assert_eq!(pool.running(Priority::Low), 4);
    // Surplus threads end with their job, and what comes later has one thread.
    pool.set_background_threads(Priority::Low, 1);
    gate.open();
    pool.wait_until_idle();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    for _ in 0..20 {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        pool.schedule(Priority::Low, move || {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_micros(200));
            now.fetch_sub(1, Ordering::SeqCst);
        })
        .unwrap();
    }
    pool.wait_until_idle();
    assert_eq!(most.load(Ordering::SeqCst), 1);
    assert_eq!(pool.background_threads(Priority::Low), 1);
}

#[test]
fn shutdown_waits_for_what_runs_and_drops_what_waits() {
    let pool = pool();
    pool.set_background_threads(Priority::Low, 1);
    let (started, finished, dropped) =
        (mpsc::channel(), Arc::new(AtomicUsize::new(0)), Arc::new(()));
    let done = Arc::clone(&finished);
    pool.schedule(Priority::Low, move || {
        started.0.send(()).unwrap();
        thread::sleep(Duration::from_millis(30));
        done.fetch_add(1, Ordering::SeqCst);
    })
    .unwrap();
    for _ in 0..10 {
        let (owned, done) = (Arc::clone(&dropped), Arc::clone(&finished));
        pool.schedule(Priority::Low, move || {
            drop(owned);
            done.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
    }
    started.1.recv().unwrap();
    pool.shutdown();
    assert_eq!(finished.load(Ordering::SeqCst), 1);
    assert_eq!(Arc::strong_count(&dropped), 1);
    let status = pool.schedule(Priority::Low, || {}).unwrap_err();
    assert_eq!(status.code(), Code::ShutdownInProgress);
    pool.shutdown();
    pool.wait_until_idle();
}

#[test]
fn a_job_may_drop_the_pool() {
    let pool = Arc::new(pool());
    pool.set_background_threads(Priority::High, 2);
    let (gate, (send, receive)) = (Arc::new(Gate::default()), mpsc::channel());
    let (owned, opened) = (Arc::clone(&pool), Arc::clone(&gate));
    pool.schedule(Priority::High, move || {
        opened.wait();
        drop(owned);
        send.send(()).unwrap();
    })
    .unwrap();
    drop(pool);
    gate.open();
    receive.recv_timeout(Duration::from_secs(20)).unwrap();
}

#[test]
fn a_panic_is_reported_and_the_thread_goes_on() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&reports);
    let pool = ThreadPool::new(move |priority, message| {
        seen.lock().push((priority, message.to_string()));
        assert_eq!(message, "the first", "a listener that panics too");
    });
    pool.set_background_threads(Priority::Low, 1);
    pool.schedule(Priority::Low, || panic!("the first")).unwrap();
    pool.schedule(Priority::Low, || panic!("number {}", 2)).unwrap();
    let (send, receive) = mpsc::channel();
    pool.schedule(Priority::Low, move || send.send(()).unwrap()).unwrap();
    receive.recv().unwrap();
    let expected = [(Priority::Low, "the first".into()), (Priority::Low, "number 2".into())];
    assert_eq!(*reports.lock(), expected);
}

#[test]
fn jobs_schedule_jobs() {
    let pool = Arc::new(pool());
    for priority in Priority::ALL {
        pool.set_background_threads(priority, 2);
    }
    let count = Arc::new(AtomicUsize::new(0));
    fn next(pool: &Arc<ThreadPool>, count: &Arc<AtomicUsize>, left: usize) {
        let (pool_of_job, count) = (Arc::clone(pool), Arc::clone(count));
        let priority = Priority::ALL[left % 3];
        let job = move || {
            count.fetch_add(1, Ordering::SeqCst);
            if left > 0 {
                next(&pool_of_job, &count, left - 1);
            }
        };
        pool.schedule(priority, job).unwrap();
    }
    next(&pool, &count, 50);
    pool.wait_until_idle();
    assert_eq!(count.load(Ordering::SeqCst), 51);
}

#[test]
fn limits_follow_the_options() {
    let limits = |flushes, compactions, jobs| {
        let limits = BackgroundJobLimits::new(flushes, compactions, jobs);
        (limits.flushes_max, limits.compactions_max)
    };
    assert_eq!(limits(-1, -1, 2), (1, 1));
    assert_eq!(limits(-1, -1, 8), (2, 6));
    assert_eq!(limits(-1, -1, 0), (1, 1));
    assert_eq!(limits(-1, -1, -7), (1, 1));
    assert_eq!(limits(3, -1, 8), (3, 1));
    assert_eq!(limits(-1, 5, 8), (1, 5));
    assert_eq!(limits(0, 0, 8), (1, 1));
}
