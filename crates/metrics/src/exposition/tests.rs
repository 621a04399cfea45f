use super::*;

#[test]
fn samples_of_a_metric_stand_together_with_its_help() {
    let mut exposition = Exposition::default();
    let one = Metric::new("b_total", Kind::Counter, "Line\nwith \\ and \"quotes\".");
    let two = Metric::new("a", Kind::Summary, "A.");
    exposition.add(&one, &vec![("db", "/tmp/\"x\"\\\n".to_owned())], 1.0);
    exposition.add(&two, &vec![("quantile", "0.5".to_owned())], f64::INFINITY);
    exposition.add_part(&two, "_count", &Vec::new(), 0.25);
    exposition.add(&one, &Vec::new(), 18_446_744_073_709_551_615.0);
    assert_eq!(
        exposition.into_text(),
        "# HELP a A.\n\
         # TYPE a summary\n\
         a{quantile=\"0.5\"} +Inf\n\
         a_count 0.25\n\
         # HELP b_total Line\\nwith \\\\ and \"quotes\".\n\
         # TYPE b_total counter\n\
         b_total{db=\"/tmp/\\\"x\\\"\\\\\\n\"} 1\n\
         b_total 18446744073709552000\n"
    );
}
