//! Charts as SVG: ratios, shares of the limit, and latency over rate.

use crate::plan::{OptionSet, Tree};
use crate::summary::{Measure, Row, Summary};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// For a file's name: letters, digits and hyphens.
    pub name: String,
    /// The picture.
    pub svg: String,
}

/// Colours of engines; told apart by those who see few colours, too.
const COLOURS: &[RGBColor] = &[
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
];

const HEIGHT: u32 = 340;

/// A bar with the interval that it may be in.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bar {
    height: f64,
    interval: Option<(f64, f64)>,
}

/// Bars side by side, by benchmark and engine.
struct Bars<'a> {
    title: String,
    y_label: &'a str,
    groups: Vec<String>,
    series: Vec<String>,
    /// By group, then series.
    bars: Vec<Vec<Option<Bar>>>,
    /// A line across, for instance at 1.
    line: Option<f64>,
}

impl Bars<'_> {
    /// Width of a group of bars, with room for its name.
    fn group_pixels(&self) -> f64 {
        let name = self.groups.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        let bars = (self.series.len() + 1) as f64;
        // Narrower where there are many, so that the chart fits a page.
        let bar = (1000.0 / (bars * self.groups.len().max(1) as f64)).clamp(16.0, 36.0);
        (bar * bars).max(9.0 * name as f64)
    }

    /// Width of what is on the right of all bars.
    fn legend_pixels(&self) -> f64 {
        let name = self.series.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        60.0 + 9.0 * name as f64
    }
}

/// All charts of a summary.
///
/// # Errors
/// A chart cannot be drawn.
pub fn all(summary: &Summary) -> Result<Vec<Chart>, String> {
    let mut charts = Vec::new();
    let series = summary.measured_engines();
    let ratio = |row: &Row| {
        let interval = row.ratio_low.zip(row.ratio_high);
        row.ratio.map(|height| Bar { height, interval })
    };
    let limit = |row: &Row| row.limit_percent.map(|height| Bar { height, interval: None });
    for place in places(summary) {
        let title = |what: &str| match &summary.missing {
            Some(_) => format!("{}: {what} (incomplete)", place.title),
            None => format!("{}: {what}", place.title),
        };
        let ratios = Bars {
            title: title(&format!("times as good as {}", summary.spec.engines[0])),
            y_label: "ratio",
            line: Some(1.0),
            ..bars(summary, &place, &series, &ratio)
        };
        let limits = Bars {
            title: title("percent of what the machine allows"),
            y_label: "percent",
            ..bars(summary, &place, &series, &limit)
        };
        let ratios = (series.len() > 1).then_some(("ratio", ratios));
        for (name, bars) in ratios.into_iter().chain([("limit", limits)]) {
            if bars.bars.iter().flatten().any(Option::is_some) {
                let svg = draw_bars(&bars)?;
                charts.push(Chart { name: format!("{name}-{}", place.name), svg });
            }
        }
    }
    charts.extend(latency_charts(summary)?);
    Ok(charts)
}

/// What a chart of bars is of.
struct Place {
    /// For the file's name.
    name: String,
    /// For the chart.
    title: String,
    /// A label, an option set and a benchmark for each group of bars.
    groups: Vec<(String, String, String)>,
}

/// One for each option set, with a group for each benchmark; where trees are chosen, one for each benchmark,
/// with a group for each tree.
fn places(summary: &Summary) -> Vec<Place> {
    let (spec, benchmarks) = (&summary.spec, summary.spec.benchmark_names());
    let of_set = |(index, set): (usize, &OptionSet)| Place {
        name: (index + 1).to_string(),
        title: set.name.clone(),
        groups: spec
            .parts(index)
            .concat()
            .into_iter()
            .map(|one| (benchmarks[one].clone(), set.name.clone(), benchmarks[one].clone()))
            .collect(),
    };
    let sets = spec.sets.iter().enumerate();
    let (plain, chosen): (Vec<_>, Vec<_>) = sets.partition(|(_, set)| set.tree == Tree::AsItComes);
    let read = chosen.first().map(|(set, _)| spec.parts(*set).concat()).unwrap_or_default();
    let of_benchmark = |index: usize| Place {
        name: benchmarks[index].clone(),
        title: benchmarks[index].clone(),
        groups: chosen
            .iter()
            .map(|(_, set)| (set.name.clone(), set.name.clone(), benchmarks[index].clone()))
            .collect(),
    };
    plain.into_iter().map(of_set).chain(read.into_iter().map(of_benchmark)).collect()
}

fn bars<'a>(
    summary: &Summary,
    place: &Place,
    series: &[String],
    bar: &dyn Fn(&Row) -> Option<Bar>,
) -> Bars<'a> {
    let of = |set: &str, benchmark: &str, engine: &String| {
        summary.row(set, benchmark, engine).and_then(bar)
    };
    let bars = |(_, set, benchmark): &(String, String, String)| {
        series.iter().map(|engine| of(set, benchmark, engine)).collect()
    };
    Bars {
        title: String::new(),
        y_label: "",
        groups: place.groups.iter().map(|(label, ..)| label.clone()).collect(),
        series: series.to_vec(),
        bars: place.groups.iter().map(bars).collect(),
        line: None,
    }
}

fn told(error: impl std::fmt::Display) -> String {
    format!("drawing a chart: {error}")
}

fn draw_bars(bars: &Bars<'_>) -> Result<String, String> {
    let width =
        (90.0 + bars.legend_pixels() + bars.group_pixels() * bars.groups.len() as f64) as u32;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width, HEIGHT)).into_drawing_area();
        area.fill(&WHITE).map_err(told)?;
        draw_bars_in(&area, bars)?;
        area.present().map_err(told)?;
    }
    Ok(svg)
}

fn draw_bars_in(area: &DrawingArea<SVGBackend<'_>, Shift>, bars: &Bars<'_>) -> Result<(), String> {
    let tops = bars.bars.iter().flatten().flatten();
    let tops = tops.map(|bar| bar.interval.map_or(bar.height, |(_, high)| high.max(bar.height)));
    let top = tops.chain(bars.line).fold(0.0, f64::max) * 1.1;
    let top = if top > 0.0 { top } else { 1.0 };
    let legend = bars.legend_pixels() / bars.group_pixels();
    let mut chart = ChartBuilder::on(area)
        .caption(&bars.title, ("sans-serif", 19))
        .margin(10)
        .x_label_area_size(30)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..bars.groups.len() as f64 + legend, 0.0..top)
        .map_err(told)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_desc(bars.y_label)
        .label_style(("sans-serif", 16))
        .light_line_style(TRANSPARENT)
        .draw()
        .map_err(told)?;
    let slot = 0.8 / bars.series.len() as f64;
    for (index, name) in bars.series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let placed = bars.bars.iter().enumerate().filter_map(|(group, bars)| {
            bars[index].map(|bar| (group as f64 + 0.1 + slot * index as f64, bar))
        });
        let placed: Vec<(f64, Bar)> = placed.collect();
        let shapes = placed.iter().map(|(x, bar)| {
            Rectangle::new([(*x, 0.0), (x + slot * 0.9, bar.height)], colour.filled())
        });
        chart
            .draw_series(shapes)
            .map_err(told)?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], colour.filled()));
        let whiskers = placed.iter().filter_map(|(x, bar)| {
            let (low, high) = bar.interval?;
            let x = x + slot * 0.45;
            Some(PathElement::new([(x, low), (x, high)], BLACK))
        });
        chart.draw_series(whiskers).map_err(told)?;
    }
    if let Some(line) = bars.line {
        let ends = [(0.0, line), (bars.groups.len() as f64, line)];
        chart.draw_series([PathElement::new(ends, BLACK.mix(0.5))]).map_err(told)?;
    }
    let style = TextStyle::from(("sans-serif", 16)).pos(Pos::new(HPos::Center, VPos::Top));
    let names = bars.groups.iter().enumerate();
    let names = names.map(|(group, name)| {
        EmptyElement::at((group as f64 + 0.5, 0.0)) + Text::new(name.clone(), (0, 6), style.clone())
    });
    chart.draw_series(names).map_err(told)?;
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 16))
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()
        .map_err(told)
}

/// p99 over the rate, a chart for each benchmark, where rates were given.
fn latency_charts(summary: &Summary) -> Result<Vec<Chart>, String> {
    let mut charts = Vec::new();
    for (index, benchmark) in summary.spec.benchmark_names().iter().enumerate() {
        let of_engine = |engine: &String| -> Vec<(f64, f64)> {
            let own = summary.rows.iter().filter(|row| {
                row.benchmark == *benchmark
                    && row.engine == *engine
                    && row.measure == Measure::P99Micros
            });
            let rate = |row: &Row| {
                let set = summary.spec.sets.iter().find(|set| set.name == row.set)?;
                Some((set.arrival_rate? as f64, row.p99_micros?))
            };
            own.filter_map(rate).collect()
        };
        let names = summary.spec.engine_names();
        let lines: Vec<(String, Vec<(f64, f64)>)> =
            names.iter().map(|name| (name.clone(), of_engine(name))).collect();
        if lines.iter().any(|(_, points)| points.len() > 1) {
            let svg = draw_lines(&format!("{benchmark}: p99 over rate"), &lines)?;
            charts.push(Chart { name: format!("latency-{}", index + 1), svg });
        }
    }
    Ok(charts)
}

fn draw_lines(title: &str, lines: &[(String, Vec<(f64, f64)>)]) -> Result<String, String> {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let right = points().map(|point| point.0).fold(1.0, f64::max) * 1.05;
    let top = points().map(|point| point.1).fold(1.0, f64::max) * 1.1;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (640, HEIGHT)).into_drawing_area();
        area.fill(&WHITE).map_err(told)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 19))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(70)
            .build_cartesian_2d(0.0..right, 0.0..top)
            .map_err(told)?;
        chart
            .configure_mesh()
            .x_desc("operations in a second")
            .y_desc("p99 in us")
            .label_style(("sans-serif", 16))
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(told)?;
        for (index, (name, points)) in lines.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let line =
                LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3);
            chart
                .draw_series(line)
                .map_err(told)?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 12, y)], colour));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .label_font(("sans-serif", 16))
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()
            .map_err(told)?;
        area.present().map_err(told)?;
    }
    Ok(svg)
}
