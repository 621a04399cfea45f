use super::{allocator_idle_bytes, make_room_for_many};
use std::fs::File;
use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Held by who looks at what is idle of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// Every other one of many pieces is freed, so that none of them goes back to the system.
#[test]
#[cfg_attr(not(all(target_os = "linux", target_env = "gnu")), ignore = "glibc alone tells")]
fn what_was_freed_between_pieces_in_use_is_idle() {
    const PIECES: usize = 10_000;
    const PIECE_BYTES: usize = 3000;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(before) = allocator_idle_bytes() else {
        eprintln!("skipped: this C library does not say");
        return;
    };
    let mut pieces: Vec<_> = (0..PIECES).map(|_| Some(vec![1_u8; PIECE_BYTES])).collect();
    pieces.iter_mut().step_by(2).for_each(|piece| *piece = None);
    let freed = PIECES / 2 * PIECE_BYTES;
    let idle = allocator_idle_bytes().expect("told before").saturating_sub(before);
    assert!(
        idle > freed * 9 / 10 && idle < freed * 12 / 10,
        "{idle} idle of {freed} that were freed"
    );
    drop(pieces);
    let idle = allocator_idle_bytes().expect("told before").saturating_sub(before);
    assert!(idle < freed / 2, "{idle} idle though all could go back");
}

/// What is free in the middle of an arena goes back, and is no longer told.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[cfg_attr(miri, ignore = "it has no arenas")]
fn what_is_idle_is_returned_when_that_is_asked_for() {
    use super::{resident_anonymous_bytes, return_idle_memory};
    const PIECES: usize = 40_000;
    const PIECE_BYTES: usize = 3000;
    // Other tests take and leave a little meanwhile.
    const MOST: usize = PIECES * PIECE_BYTES / 4 * 3;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let fill = || (0..PIECES).map(|_| vec![1_u8; PIECE_BYTES]).collect::<Vec<_>>();
    let mut pieces = thread::spawn(fill).join().unwrap();
    // It keeps the arena from giving back its end.
    let last = pieces.pop();
    drop(pieces);
    let (Some(before), Some(resident)) = (allocator_idle_bytes(), resident_anonymous_bytes())
    else {
        println!("skipped: this system does not say");
        return;
    };
    assert!(return_idle_memory());
    let resident = resident.saturating_sub(resident_anonymous_bytes().unwrap());
    let idle = before.saturating_sub(allocator_idle_bytes().unwrap());
    assert!(resident > MOST && idle > MOST, "{resident} and {idle} less of {before}");
    drop(last);
}

/// Where the writable part of memory ends that `address` is in. `buffer` has room: nothing large is allocated.
fn writable_end(address: usize, buffer: &mut Vec<u8>) -> Option<usize> {
    buffer.clear();
    File::open("/proc/self/maps").ok()?.read_to_end(buffer).ok()?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    std::str::from_utf8(buffer).ok()?.lines().find_map(|line| {
        let (start, rest) = line.split_once('-')?;
        let end = number(rest.split_once(' ')?.0)?;
        (number(start)? <= address && address < end).then_some(end)
    })
}

#[test]
#[cfg_attr(
    not(all(target_os = "linux", target_env = "gnu")),
    ignore = "glibc alone has such arenas"
)]
#[cfg_attr(miri, ignore = "it has no arenas")]
fn an_arena_grows_for_many_pieces_at_once() {
    const PIECES: usize = 300;
    let grown = thread::spawn(|| {
        let (mut buffer, mut ends) = (Vec::with_capacity(1 << 20), Vec::with_capacity(PIECES));
        let mut pieces = Vec::with_capacity(PIECES);
        for _ in 0..PIECES {
            make_room_for_many(4200);
            let piece = vec![1_u8; 4200];
            ends.extend(writable_end(piece.as_ptr().addr(), &mut buffer));
            pieces.push(piece);
        }
        assert_eq!(ends.len(), PIECES);
        ends.windows(2).filter(|ends| ends[0] != ends[1]).count()
    });
    let grown = grown.join().unwrap();
    // 1.2 MiB in steps of 112 KiB, where it would be 300.
    assert!(grown <= 30, "{grown} times");
}
