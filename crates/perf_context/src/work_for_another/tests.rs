use super::WorkForAnother;
use crate::{IoMetric, PerfLevel, add_io_stats, count_io, io_stats_context, perf_level};
use crate::{reset_io_stats_context, set_perf_level};

#[test]
fn the_helper_measures_what_the_other_does_and_only_that() {
    set_perf_level(PerfLevel::EnableTime);
    reset_io_stats_context();
    count_io(IoMetric::BytesRead, 3);
    let handed_over = WorkForAnother::new();
    let helper = std::thread::spawn(move || {
        count_io(IoMetric::BytesRead, 100);
        handed_over.run(|| {
            count_io(IoMetric::BytesRead, 7);
            perf_level()
        })
    });
    let (level, io) = helper.join().unwrap();
    assert_eq!((level, io.get(IoMetric::BytesRead)), (PerfLevel::EnableTime, 7));
    add_io_stats(&io);
    assert_eq!(io_stats_context().get(IoMetric::BytesRead), 10);
}
