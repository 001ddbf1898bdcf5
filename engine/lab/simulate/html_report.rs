//! The report of a simulation as one HTML file with pictures: shares with their intervals, how they
//! settle over the runs, and histograms. It needs no other file and has no script.

use std::collections::BTreeMap;

use super::report::{GroupResult, RunRecord, SimulationReport};
use super::statistics::{Distribution, OutcomeShare};
use base::text::strip_unprintable;

/// The size of a picture.
const WIDTH: f64 = 640.0;
const CURVE_HEIGHT: f64 = 160.0;
const HISTOGRAM_HEIGHT: f64 = 90.0;
/// The most points of a curve.
const MAX_CURVE_POINTS: usize = 160;
/// The colours of curves and how they are dashed, so that colour is not the only difference.
const CURVE_STYLES: [(&str, &str); 6] = [
    ("#1b5e20", ""),
    ("#a01818", "7 3"),
    ("#1646a0", "2 3"),
    ("#7a5200", "9 3 2 3"),
    ("#7a2048", "4 4"),
    ("#444444", "1 5"),
];

const STYLE: &str = "body{font:16px/1.5 Georgia,serif;max-width:46rem;margin:1rem auto;padding:0 1rem;\
    color:#221e19;background:#fff}table{border-collapse:collapse}td,th{text-align:left;\
    padding:.1rem .8rem .1rem 0;border-bottom:1px solid #bbb}td.number{text-align:right}\
    svg{display:block;width:100%;height:auto}svg text{font:11px sans-serif;fill:#221e19}\
    .axis{stroke:#777}.bar{fill:#5c7fb8}.interval{stroke:#221e19;stroke-width:2}\
    pre{white-space:pre-wrap;overflow-wrap:anywhere}";

impl SimulationReport<'_> {
    /// The report as HTML.
    pub(super) fn to_html(&self) -> String {
        let title = escape_html(&format!("{} runs by {}", self.records.len(), self.bot));
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"script-src 'none'; connect-src 'none'; img-src 'none'; object-src 'none'\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n<main>\n<h1>{title}</h1>\n"
        );
        let last = self.first_seed.wrapping_add((self.runs_per_group as u64).saturating_sub(1));
        page.push_str(&format!(
            "<p>Seeds {} to {last}. Intervals are of 95%.</p>\n",
            self.first_seed
        ));
        for (index, (group, result)) in self.groups.iter().zip(self.group_results()).enumerate() {
            let name = match group.label.is_empty() {
                true => "All runs".to_owned(),
                false => escape_html(&group.label_text()),
            };
            page.push_str(&format!("<h2>{name}: {} runs</h2>\n", result.runs));
            let records = self.records.iter().filter(|record| record.group_index == index);
            add_group(&mut page, &result, &records.collect::<Vec<_>>());
        }
        page + "</main>\n"
    }
}

fn add_group(page: &mut String, result: &GroupResult, records: &[&RunRecord]) {
    page.push_str("<table>\n<tr><th>outcome<th>runs<th>share<th>interval\n");
    for (name, share) in &result.outcomes {
        let [low, high] = share.interval.map(percent);
        let line = format!(
            "<tr><td>{}<td class=\"number\">{}<td class=\"number\">{}<td>{low} to {high}\n",
            escape_html(name),
            share.count,
            percent(share.share)
        );
        page.push_str(&line);
    }
    page.push_str("</table>\n");
    page.push_str(&share_picture(&result.outcomes));
    page.push_str("<h3>Shares after so many runs</h3>\n");
    page.push_str(&curve_picture(&result.outcomes, records));
    for (name, distribution) in &result.numbers {
        let [least, tenth, median, ninetieth, most] = distribution.quantiles;
        let line = format!(
            "<h3>{}</h3>\n<p>Mean {:.1}, median {median}; 10% {tenth}, 90% {ninetieth}; {least} to {most}</p>\n",
            escape_html(name),
            distribution.mean
        );
        page.push_str(&line);
        page.push_str(&histogram_picture(name, distribution));
    }
    for found in &result.problems {
        let problem = escape_html(&found.problem.to_string());
        let runs = format!("{} runs, first with seed {}", found.runs, found.seed);
        page.push_str(&format!("<h3>Problem: {runs}</h3>\n<pre>{problem}</pre>\n"));
    }
}

/// A bar for each share, with its interval.
fn share_picture(outcomes: &BTreeMap<String, OutcomeShare>) -> String {
    let (row, left) = (22.0, 150.0);
    let x = |share: f64| left + share * (WIDTH - left - 10.0);
    let mut picture = open_picture("Shares of the outcomes", row * outcomes.len() as f64 + 4.0);
    for (at, (name, share)) in outcomes.iter().enumerate() {
        let y = at as f64 * row + 4.0;
        let [low, high] = share.interval.map(x);
        let middle = y + 8.0;
        let name = escape_html(&shorten(name, 22));
        let shapes = format!(
            "<text x=\"0\" y=\"{:.1}\">{name}</text>\
             <rect class=\"bar\" x=\"{left}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"16\"/>\
             <line class=\"interval\" x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\"/>\n",
            y + 12.0,
            x(share.share) - left
        );
        picture.push_str(&shapes);
    }
    picture + "</svg>\n"
}

/// The share of an outcome after so many runs.
pub(super) fn share_curve(outcome: &str, records: &[&RunRecord]) -> Vec<(usize, OutcomeShare)> {
    let (runs, mut hits) = (records.len(), 0);
    let step = runs.div_ceil(MAX_CURVE_POINTS).max(1);
    let share_after = |(index, record): (usize, &&RunRecord)| {
        hits += usize::from(record.run_end.outcome_word() == outcome);
        let count = index + 1;
        let is_point = count.is_multiple_of(step) || count == runs;
        is_point.then(|| (count, OutcomeShare::new(hits, count)))
    };
    records.iter().enumerate().filter_map(share_after).collect()
}

/// The share of each outcome after so many runs, with its interval as a band.
fn curve_picture(outcomes: &BTreeMap<String, OutcomeShare>, records: &[&RunRecord]) -> String {
    let (left, bottom) = (40.0, CURVE_HEIGHT - 18.0);
    let runs = records.len();
    let x = |count: usize| left + count as f64 / runs.max(1) as f64 * (WIDTH - left - 10.0);
    let y = |share: f64| bottom - share * (bottom - 8.0);
    let legend_rows = outcomes.len().div_ceil(CURVE_STYLES.len()) as f64;
    let mut picture = open_picture("Shares after so many runs", CURVE_HEIGHT + legend_rows * 20.0);
    for share in [0.0, 0.5, 1.0] {
        let line = format!(
            "<line class=\"axis\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\"/>\
             <text x=\"0\" y=\"{2:.1}\">{3}</text>\n",
            WIDTH - 10.0,
            y(share),
            y(share) + 4.0,
            percent(share)
        );
        picture.push_str(&line);
    }
    for (at, outcome) in outcomes.keys().enumerate() {
        let (row, column) = (at / CURVE_STYLES.len(), at % CURVE_STYLES.len());
        let (colour, dashes) = CURVE_STYLES[column];
        let (mut middle, mut low, mut high) = (String::new(), Vec::new(), String::new());
        for (count, share) in share_curve(outcome, records) {
            middle.push_str(&format!("{:.1},{:.1} ", x(count), y(share.share)));
            high.push_str(&format!("{:.1},{:.1} ", x(count), y(share.interval[1])));
            low.push(format!("{:.1},{:.1} ", x(count), y(share.interval[0])));
        }
        low.reverse();
        let low = low.concat();
        let (legend_x, legend_y) =
            (left + column as f64 * 100.0, CURVE_HEIGHT + 6.0 + row as f64 * 20.0);
        let stroke = format!(
            "fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\""
        );
        let name = escape_html(&shorten(outcome, 12));
        let shapes = format!(
            "<polygon points=\"{high}{low}\" fill=\"{colour}\" fill-opacity=\"0.12\"/>\
             <polyline points=\"{middle}\" {stroke}/>\
             <polyline points=\"{legend_x:.1},{legend_y:.1} {:.1},{legend_y:.1}\" {stroke}/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{name}</text>\n",
            legend_x + 18.0,
            legend_x + 22.0,
            legend_y + 4.0
        );
        picture.push_str(&shapes);
    }
    let label = format!("<text x=\"{left}\" y=\"{:.1}\">1</text>", CURVE_HEIGHT - 4.0);
    let end = format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{runs} runs</text>",
        WIDTH - 10.0,
        CURVE_HEIGHT - 4.0
    );
    picture + &label + &end + "</svg>\n"
}

/// The runs in each part between the least and the largest number.
fn histogram_picture(name: &str, distribution: &Distribution) -> String {
    let tallest = distribution.bin_counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let width = WIDTH / distribution.bin_counts.len().max(1) as f64;
    let bottom = HISTOGRAM_HEIGHT - 16.0;
    let mut picture = open_picture(&format!("Histogram of {name}"), HISTOGRAM_HEIGHT);
    for (at, count) in distribution.bin_counts.iter().enumerate() {
        let height = *count as f64 / tallest * (bottom - 4.0);
        let bar = format!(
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"><title>{count} runs</title></rect>\n",
            at as f64 * width,
            bottom - height,
            (width - 1.0).max(1.0)
        );
        picture.push_str(&bar);
    }
    let [least, .., most] = distribution.quantiles;
    let y = HISTOGRAM_HEIGHT - 3.0;
    let ends = format!(
        "<text x=\"0\" y=\"{y}\">{least}</text><text x=\"{WIDTH}\" y=\"{y}\" text-anchor=\"end\">{most}</text>"
    );
    picture + &ends + "</svg>\n"
}

fn open_picture(name: &str, height: f64) -> String {
    let name = escape_html(name);
    format!("<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{name}\">\n")
}

/// The first characters of a text.
fn shorten(text: &str, characters: usize) -> String {
    match text.chars().count() > characters {
        true => text.chars().take(characters - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A text of a mod is never markup.
fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in strip_unprintable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
