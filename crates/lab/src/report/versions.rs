//! The three tables that campaigns over releases publish: microseconds for an operation, operations in a
//! second, and these relative to the first engine; engines are columns. Then what the relative results of
//! each engine come to.

use crate::relative::{Group, Table};
use crate::summary::{Row, Summary};

/// The tables of all option sets, with tabs between columns.
pub fn render(summary: &Summary) -> String {
    let mut text = String::new();
    if let Some(missing) = &summary.missing {
        text.push_str(&format!("# INCOMPLETE: {missing}\n\n"));
    }
    for set in &summary.spec.sets {
        let rates = table(summary, &set.name, |row| row.ops_per_second);
        let micros = table(summary, &set.name, |row| {
            row.ops_per_second.filter(|rate| *rate > 0.0).map(|rate| 1e6 / rate)
        });
        let relative = rates.relative();
        text.push_str(&format!("# {}: microseconds for each operation\n", set.name));
        text.push_str(&micros.render(1));
        text.push_str(&format!("\n# {}: operations in a second\n", set.name));
        text.push_str(&rates.render(0));
        text.push_str(&format!(
            "\n# {}: operations in a second, relative to the first\n",
            set.name
        ));
        text.push_str(&relative.render(2));
        text.push_str(&format!(
            "\n# {}: what that comes to\nmin\tmax\tmean\tmedian\tengine\n",
            set.name
        ));
        for (index, engine) in relative.builds.iter().enumerate() {
            if let Some(Group { min, max, mean, median }) = relative.group(index) {
                text.push_str(&format!("{min:.2}\t{max:.2}\t{mean:.2}\t{median:.2}\t{engine}\n"));
            }
        }
        text.push('\n');
    }
    text
}

fn table(summary: &Summary, set: &str, value: impl Fn(&Row) -> Option<f64>) -> Table {
    let builds = summary.spec.engine_names();
    let result = |benchmark: &String, engine: &String| {
        let row = summary
            .rows
            .iter()
            .find(|row| row.set == set && row.benchmark == *benchmark && row.engine == *engine);
        row.and_then(&value)
    };
    let row = |benchmark: &String| {
        let results = builds.iter().map(|engine| result(benchmark, engine)).collect();
        (benchmark.clone(), results)
    };
    let rows = summary.spec.benchmark_names().iter().map(row).collect();
    Table { builds: builds.clone(), rows }
}
