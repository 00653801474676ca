//! Figure 1, two-dimensional maps, and Figure 3, the convergence of GI-RELIEF.

use std::fmt::Write;

use basrelief::data::{Classes, DenseMatrix, Target};
use basrelief::knn::KNearestNeighbors;
use basrelief::methods::{
    GiRelief, MapSettings, Problem, fit_map, map_method, method as weighting,
};
use basrelief::neighbors::Metric;
use basrelief::{Result, Run, derived_seed};
use basrelief_report::figures::{Curve, Panel, curves, points};

use super::methods::{EUCLIDEAN, GI_RELIEF, I_RELIEF, LDM, METHODS, Method, options};
use super::sets::{Source, classes};
use crate::claims::{Claim, Finding, Verdict};
use crate::data::{BALANCE, Data, IONOSPHERE, IRIS, USPS, WINE};
use crate::protocol::{ProtocolInfo, Results, Work, numbers_table};

/// Registry entry.
pub(crate) static FIGURE1: ProtocolInfo = ProtocolInfo {
    name: "c10-fig1",
    aliases: &[],
    purpose: "two-dimensional maps by GI-RELIEF and ten other methods",
    source: "Chang 2010, section 4.1, Figure 1",
    quick: "without USPS",
    options: &[],
    generates: true,
    adds: false,
    data: &[&IRIS, &WINE, &BALANCE, &IONOSPHERE, &USPS],
    run: visualize,
};

/// Registry entry.
pub(crate) static FIGURE3: ProtocolInfo = ProtocolInfo {
    name: "c10-fig3",
    aliases: &[],
    purpose: "convergence of GI-RELIEF with the proposed and with a wider kernel",
    source: "Chang 2010, section 4.1, Figure 3",
    quick: "without USPS",
    options: &[],
    generates: true,
    adds: false,
    data: &[&IRIS, &WINE, &BALANCE, &IONOSPHERE, &USPS],
    run: converge,
};

const SOURCES: [Source; 6] = [
    Source::File(&IRIS),
    Source::File(&WINE),
    Source::File(&BALANCE),
    Source::Rings,
    Source::File(&IONOSPHERE),
    Source::File(&USPS),
];

/// The number of classes of USPS that are used.
const USPS_CLASSES: usize = 5;

/// The approximate maximum number of points drawn for a set.
const MOST_DRAWN: usize = 600;

/// The number of iterations in Figure 3.
const ITERATIONS: usize = 50;

/// The number added to the width of the kernel in Figure 3 (b).
const WIDER: f64 = 1000.0;

/// The smallest change that is drawn; smaller changes are drawn at this value.
const LEAST_CHANGE: f64 = 1e-12;

/// The file of each set of Figure 1.
const FIGURES: [&str; 6] =
    ["iris.svg", "wine.svg", "balance.svg", "rings.svg", "ionosphere.svg", "usps.svg"];

/// Loads the rows of a set; for USPS, only the first five classes.
fn load(work: &Work<'_>, place: usize) -> Result<Option<Data>> {
    let source = SOURCES[place];
    let is_usps = source.name() == USPS.file;
    if work.quick && is_usps {
        return Ok(None);
    }
    let Some(data) = source.load(work, derived_seed(work.run.seed(), &[1, place as u64]))? else {
        return Ok(None);
    };
    if !is_usps {
        return Ok(Some(data));
    }
    let codes = classes(&data)?.codes();
    let rows: Vec<usize> =
        (0..codes.len()).filter(|&row| (codes[row] as usize) < USPS_CLASSES).collect();
    let kept: Vec<u32> = rows.iter().map(|&row| codes[row]).collect();
    let names = classes(&data)?.names();
    Ok(Some(Data {
        table: data.table.select_rows(&rows),
        target: Target::Classes(Classes::from_codes(&kept, names)?),
    }))
}

/// The percentage of rows whose nearest other row has the same class (leave-one-out). Among equally near rows, the
/// first one is used.
fn left_out_rate(rows: &DenseMatrix, target: &Target, run: &Run) -> Result<f64> {
    let codes = target.classes("the nearest neighbor")?.codes();
    let neighbors = KNearestNeighbors::new(rows, target, Metric::Euclidean)?;
    let found = neighbors.neighbors(rows, 2, &run.part(run.seed()))?;
    let right = |&row: &usize| {
        let other = found.neighbors(row).0.iter().find(|other| **other as usize != row);
        other.is_some_and(|other| codes[*other as usize] == codes[row])
    };
    Ok(100.0 * (0..rows.rows()).filter(right).count() as f64 / rows.rows() as f64)
}

/// A two-dimensional map.
struct Drawn {
    method: Method,
    rows: DenseMatrix,
    rate: f64,
}

/// A set, and the rate of each method that was drawn.
type SetRates = (&'static str, Vec<(Method, f64)>);

/// Maps the rows to the first two components. Returns `None` for methods that do not order components or are too slow.
fn draw(method: Method, data: &Data, is_large: bool, run: &Run) -> Result<Option<Drawn>> {
    if method == EUCLIDEAN || (is_large && method == LDM) {
        return Ok(None);
    }
    let part = run.part(run.seed());
    let rows = if method == I_RELIEF {
        weighted(data, &part)?
    } else {
        let info = map_method(method.candidate)?;
        let settings = info.settings(&[("n_components", "2")])?;
        let target = info.supervised.then_some(&data.target);
        info.fit(&data.table, target, &settings, &part)?
            .model
            .transform_table(&data.table, &part)?
    };
    let mut flat = DenseMatrix::zeros(rows.rows(), 2);
    for row in 0..rows.rows() {
        let own = rows.row(row).iter().take(2);
        flat.row_mut(row).iter_mut().zip(own).for_each(|(value, own)| *value = *own);
    }
    let rate = left_out_rate(&flat, &data.target, &part)?;
    Ok(Some(Drawn { method, rows: flat, rate }))
}

/// The rows in the two features with the largest weights of I-RELIEF, multiplied by the square roots of the weights.
fn weighted(data: &Data, run: &Run) -> Result<DenseMatrix> {
    let info = weighting(I_RELIEF.candidate)?;
    let settings = info.settings(&options(I_RELIEF, data, run)?)?;
    let table = data.table.clone().in_one_unit();
    let found = info.fit(&Problem::new(&table, &data.target)?, &settings, run)?.model;
    let values = DenseMatrix::from_table(&table, I_RELIEF.name)?;
    let chosen: Vec<usize> = found.order().into_iter().take(2).collect();
    let mut rows = DenseMatrix::zeros(values.rows(), chosen.len());
    for row in 0..values.rows() {
        for (value, &feature) in rows.row_mut(row).iter_mut().zip(&chosen) {
            *value = values.row(row)[feature] * found.weights()[feature].max(0.0).sqrt();
        }
    }
    Ok(rows)
}

fn visualize(work: &Work<'_>) -> Result<Results> {
    let mut numbers = String::from("set,method,left_out_rate_percent\n");
    let mut rates: Vec<SetRates> = Vec::new();
    let mut files = Vec::new();
    for place in 0..SOURCES.len() {
        let Some(data) = load(work, place)? else { continue };
        let name = SOURCES[place].name();
        work.run.progress().start(name, METHODS.len() as u64);
        let one = |&method: &Method| {
            let drawn = draw(method, &data, name == USPS.file, work.run)?;
            work.run.progress().advance(1);
            Ok(drawn)
        };
        let drawn: Vec<Drawn> = work.in_parallel(&METHODS, one)?.into_iter().flatten().collect();
        work.run.progress().finish();
        for one in &drawn {
            let _ = writeln!(numbers, "{name},{},{}", one.method.name, one.rate);
        }
        let title = format!("{name} in two dimensions (C10, Figure 1)");
        let panels = drawn.iter().map(|one| panel(one, &data)).collect::<Result<Vec<_>>>()?;
        files.push((FIGURES[place], points(&title, 4, &panels)?));
        rates.push((name, drawn.iter().map(|one| (one.method, one.rate)).collect()));
    }
    let opening = "C10, Figure 1: two-dimensional maps, learned from all rows. The separation of the \
                   classes is measured by the leave-one-out success rate of the nearest neighbor in the map, in \
                   percent.\n";
    let heads: Vec<&str> =
        ["method"].into_iter().chain(rates.iter().map(|(name, _)| *name)).collect();
    let row = |method: Method| {
        let rate = |(_, rates): &SetRates| {
            let rate = rates.iter().find(|(own, _)| *own == method);
            rate.map_or("-".to_string(), |(_, rate)| format!("{rate:.2}"))
        };
        [method.name.to_string()].into_iter().chain(rates.iter().map(rate)).collect()
    };
    let drawn = METHODS.into_iter().filter(|method| *method != EUCLIDEAN);
    let caption = "Leave-one-out rate of the nearest neighbor in percent".to_string();
    let claim = Claim::about(
        "GI-RELIEF separates the classes better than the other methods.",
        &rates,
        has_greatest_rate,
    );
    files.insert(0, ("rates.csv", numbers));
    Ok(Results {
        opening: opening.to_string(),
        tables: vec![numbers_table(caption, &heads, drawn.map(row).collect())],
        claims: vec![claim],
        files,
        ..Results::default()
    })
}

/// Whether no method has a higher rate than GI-RELIEF.
fn has_greatest_rate((_, rates): &SetRates) -> Finding {
    let own = rates.iter().find(|(method, _)| *method == GI_RELIEF);
    let Some((_, own)) = own else { return Finding::no_result() };
    let ahead: Vec<String> = rates
        .iter()
        .filter(|(_, rate)| rate > own)
        .map(|(method, rate)| format!("{} {rate:.2}", method.name))
        .collect();
    Verdict::of_fact(ahead.is_empty()).with(match ahead.len() {
        0 => format!("{own:.2}, no method is better"),
        _ => format!("{own:.2}; better: {}", ahead.join(", ")),
    })
}

/// The points of a map, class by class: all rows, or an evenly spaced subset of many rows.
fn panel(drawn: &Drawn, data: &Data) -> Result<Panel> {
    let classes = classes(data)?;
    let step = drawn.rows.rows().div_ceil(MOST_DRAWN);
    let group = |(code, name): (usize, &String)| {
        let rows = (0..drawn.rows.rows()).filter(|&row| classes.codes()[row] as usize == code);
        let point = |row: usize| (drawn.rows.row(row)[0], drawn.rows.row(row)[1]);
        Curve { name: name.clone(), points: rows.step_by(step).map(point).collect() }
    };
    Ok(Panel {
        title: format!("{}: {:.1} %", drawn.method.name, drawn.rate),
        x_label: String::new(),
        y_label: String::new(),
        curves: classes.names().iter().enumerate().map(group).collect(),
    })
}

/// The course of an iteration.
struct Iterated {
    name: &'static str,
    /// The change of the map in each iteration, divided by the number of features.
    changes: Vec<f64>,
    converged: bool,
}

fn converge(work: &Work<'_>) -> Result<Results> {
    let mut numbers = String::from("set,added_to_width,iteration,change\n");
    let titles =
        ["(a) the proposed width".to_string(), format!("(b) the proposed width plus {WIDER:.0}")];
    let mut panels = Vec::new();
    let mut found: Vec<Vec<Iterated>> = Vec::new();
    let sets: Vec<(&'static str, Data)> = (0..SOURCES.len())
        .filter_map(|place| match load(work, place) {
            Ok(data) => data.map(|data| Ok((SOURCES[place].name(), data))),
            Err(error) => Some(Err(error)),
        })
        .collect::<Result<_>>()?;
    for (title, sigma_offset) in titles.iter().zip([0.0, WIDER]) {
        let mut own = Vec::new();
        for (name, data) in &sets {
            let one = iterate(name, data, sigma_offset, work.run)?;
            for (place, change) in one.changes.iter().enumerate() {
                let _ = writeln!(numbers, "{name},{sigma_offset},{},{change}", place + 1);
            }
            own.push(one);
        }
        // A logarithmic scale cannot show a change of 0.
        let point =
            |(place, change): (usize, &f64)| ((place + 1) as f64, change.max(LEAST_CHANGE).log10());
        let curve = |one: &Iterated| Curve {
            name: one.name.to_string(),
            points: one.changes.iter().enumerate().map(point).collect(),
        };
        panels.push(Panel {
            title: title.clone(),
            x_label: "iteration".to_string(),
            y_label: "log10 of the change".to_string(),
            curves: own.iter().map(curve).collect(),
        });
        found.push(own);
    }
    let opening = format!(
        "C10, Figure 3: change of the map of GI-RELIEF in every iteration, ||L_previous - L|| / n in \
         the Frobenius norm, with n features and the sign of each component chosen to minimize it. The iteration \
         converges if the relative change of the metric L'L is below 1e-4 within {ITERATIONS} iterations.\n",
    );
    let table = |(title, own): (&String, &Vec<Iterated>)| {
        let row = |one: &Iterated| {
            let last = one.changes.last().copied().unwrap_or(0.0);
            let first = one.changes.first().copied().unwrap_or(0.0);
            let converges = if one.converged { "yes" } else { "no" };
            vec![
                one.name.to_string(),
                one.changes.len().to_string(),
                format!("{first:.2e}"),
                format!("{last:.2e}"),
                converges.to_string(),
            ]
        };
        let heads = ["set", "iterations", "first change", "last change", "converges"];
        numbers_table(title.clone(), &heads, own.iter().map(row).collect())
    };
    let title = "Change of the map in every iteration of GI-RELIEF (C10, Figure 3)";
    Ok(Results {
        opening,
        tables: titles.iter().zip(&found).map(table).collect(),
        claims: convergence_claims(&found),
        files: vec![("changes.csv", numbers), ("figure.svg", curves(title, 2, &panels)?)],
        ..Results::default()
    })
}

/// The claims about the convergence with the proposed width and with a wider one.
fn convergence_claims(found: &[Vec<Iterated>]) -> Vec<Claim> {
    let claim = |text, own: &[Iterated], expected: fn(usize, usize) -> bool| {
        let converging = own.iter().filter(|one| one.converged).count();
        let finding = Verdict::of_fact(expected(converging, own.len()))
            .with(format!("{converging} of {} converge", own.len()));
        Claim::about_all(text, "sets", finding)
    };
    vec![
        claim(
            "With the proposed width, the iteration converges for three of the six sets and oscillates for \
             the others.",
            &found[0],
            |some, all| 0 < some && some < all,
        ),
        claim("With a width larger by 1000, it converges for all.", &found[1], |some, all| {
            some == all
        }),
    ]
}

fn iterate(name: &'static str, data: &Data, sigma_offset: f64, run: &Run) -> Result<Iterated> {
    let method = GiRelief { sigma_offset, max_iter: ITERATIONS, ..GiRelief::default() };
    let found = fit_map(&method, &data.table, Some(&data.target), &MapSettings::default(), run)?;
    let count = data.table.width() as f64;
    Ok(Iterated {
        name,
        changes: found.report.changes.iter().map(|change| change / count).collect(),
        converged: found.report.converged.unwrap_or(false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_leaves_every_row_out() {
        // The rows 0 and 0 are equal, with different classes; 5 and 6 have the same class; 6 is nearest to 9.
        let rows = DenseMatrix::new(vec![0.0, 0.0, 5.0, 6.0, 9.0], 5, 1);
        let labels = ["a", "b", "a", "a", "b"];
        let target = Target::Classes(Classes::from_labels(&labels));
        let rate = left_out_rate(&rows, &target, &Run::new(Some(1)).unwrap()).unwrap();
        assert_eq!(rate, 40.0);
    }
}
