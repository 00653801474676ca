//! `basrelief demo`: two generated data sets, ranked by Relief and by the association of each single feature.

use std::path::Path;

use basrelief::data::synth::{Generated, generator};
use basrelief::data::{Classes, Column, ColumnKind};
use basrelief::methods::Problem;
use basrelief::{Error, Result};
use basrelief_io::{check_replaceable, check_writable};
use basrelief_study::pages::write_file;
use basrelief_study::text::{Format, Look, bars, counted, significant};
use basrelief_study::{MethodChoice, Ranking, Subject};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, audience, note_warnings, say};
use crate::output::print;
use crate::synth::{truth_json, write_data};
use crate::terminal::look_of_standard_output;

/// A data set of the demo, with its description.
struct Scene {
    name: &'static str,
    kind: &'static str,
    options: &'static [(&'static str, &'static str)],
    shown: usize,
    before: &'static str,
    after: &'static str,
}

const SCENES: [Scene; 2] = [
    Scene {
        name: "epistasis",
        kind: "xor",
        options: &[("rows", "1600"), ("features", "20")],
        shown: 6,
        before: "\
1. Epistasis: 20 SNPs of 1600 people, half of them ill. P1 and P2 together
   explain 40 % of the disease; neither has an effect by itself.",
        after: "\
What to look at: relieff ranks P1 and P2 first, far ahead of the rest. Neither
stands out by itself (`alone`: the association of a single column with the
class, from 0 to 1; up to about 0.06 by chance here). Relief is made to find
features that interact.",
    },
    Scene {
        name: "mixed",
        kind: "mixed",
        options: &[],
        shown: 14,
        before: "\
2. A simulated clinical table: numbers, categories and missing values. The
   outcome depends on troponin and stage, and on the interaction of drug and
   variant.",
        after: "\
What to look at: drug and variant look like noise by themselves, but relieff
ranks them with troponin and stage. Weights near or below 0 indicate noise. A
column and its copy get the same weight, and a constant column gets 0; warnings
name both.",
    },
];

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let run = args::start_run(matches)?;
    let directory = args::path(matches, "output");
    if let Some(directory) = directory {
        prepare(directory, args::replaces(matches)?)?;
    }
    let look = look_of_standard_output();
    for (place, scene) in SCENES.iter().enumerate() {
        let made_by = generator(scene.kind)?;
        let made_with = made_by.settings(scene.options)?;
        let data = made_by.generate(&made_with, &run)?;
        let method = MethodChoice::new::<&str, &str>("relieff", &[])?;
        let problem = Problem::new(&data.table, &data.target)?;
        let fitted = method.info.fit(&problem, &method.settings, &run)?;
        let outcome = basrelief_study::Outcome::of_fit(method, run.seed(), fitted);
        let [file, ..] = files_of(scene);
        let target = Some((data.target_name, &data.target));
        let ranking = Ranking::new(
            Subject::new(file.as_str(), &data.table, target, audience()),
            &outcome,
            Vec::new(),
            &run,
        );
        let gap = if place == 0 { "" } else { "\n" };
        print(&format!("{gap}{}\n\n", look.bold(scene.before)))?;
        print(&look.spell(&comparison(&data, &ranking, scene.shown, look)?))?;
        print(&format!("\n{}\n", scene.after))?;
        if !args::quiet(matches) {
            note_warnings(ranking.warnings());
        }
        if let Some(directory) = directory {
            let truth = truth_json(made_by, &made_with, &run, &data);
            let [table, known, json, csv] = files_of(scene).map(|file| directory.join(file));
            write_data(&table, &data, &run)?;
            write_file(&known, &truth)?;
            write_file(&json, &ranking.text(Format::Json, None, look))?;
            write_file(&csv, &ranking.text(Format::Csv, None, look))?;
        }
    }
    match directory {
        Some(directory) if !args::quiet(matches) => {
            say(&format!("wrote data, truth and rankings to {}", directory.display()));
        }
        Some(_) => {}
        None => print("\nYour own data: basrelief rank data.csv --target COLUMN\n")?,
    }
    Ok(())
}

/// The names of the files of a scene: the data, the truth about them, and the ranking as JSON and as CSV.
fn files_of(scene: &Scene) -> [String; 4] {
    [".csv", "-truth.json", "-ranking.json", "-ranking.csv"]
        .map(|end| format!("{}{end}", scene.name))
}

/// Creates the directory and checks that the files can be written there.
fn prepare(directory: &Path, replace: bool) -> Result<()> {
    std::fs::create_dir_all(directory).map_err(|cause| Error::File {
        path: directory.to_path_buf(),
        action: "create the directory".to_string(),
        cause: cause.into(),
        help: "name a directory that you may write to".into(),
    })?;
    let mut files = SCENES.iter().flat_map(files_of).map(|file| directory.join(file));
    files.try_for_each(|file| {
        check_writable(&file)?;
        check_replaceable(&file, replace)
    })
}

/// A table of the best features of a ranking, with the association of each single feature with the class.
fn comparison(data: &Generated, ranking: &Ranking<'_>, shown: usize, look: Look) -> Result<String> {
    let classes = data.target.classes("the demo")?;
    let alone: Vec<f64> =
        data.table.columns().iter().map(|column| association(column, classes)).collect();
    let best: Vec<(&str, usize, f64)> = ranking.features().take(shown).collect();
    let weights: Vec<f64> = best.iter().map(|&(_, _, weight)| weight).collect();
    let width = best.iter().map(|(name, _, _)| name.len()).max().unwrap_or(0).max(7);
    let bar_width = look.width.saturating_sub(width + 42).clamp(10, 36);
    let header =
        format!("rank  {:<width$}  {:<11}  {:<bar_width$}  alone", "feature", "weight", "");
    let mut text = format!("{}\n", look.bold(&header));
    for ((name, rank, weight), bar) in best.iter().zip(bars(&weights, bar_width)) {
        let own = alone[data.table.find(name)?];
        let place = 1 + alone.iter().filter(|&&other| other > own).count();
        text.push_str(&format!(
            "{rank:>4}  {name:<width$}  {:<11}  {bar:<bar_width$}  {own:.3} (rank {place})\n",
            significant(*weight)
        ));
    }
    let rest = alone.len() - best.len();
    if rest > 0 {
        text.push_str(&format!("… {}\n", counted(rest, "more feature")));
    }
    Ok(text)
}

/// The association of a single column with the class, from 0 to 1: the correlation ratio of a
/// numeric column (|r| for two classes), or Cramér's V of categories and genotypes. Missing values
/// are excluded.
fn association(column: &Column<'_>, classes: &Classes) -> f64 {
    let known: Vec<(f64, usize)> = (0..column.len())
        .map(|row| (column.value(row), classes.codes()[row] as usize))
        .filter(|(value, _)| !value.is_nan())
        .collect();
    let count = known.len() as f64;
    if column.kind() == ColumnKind::Numeric {
        let mean = known.iter().map(|(value, _)| value).sum::<f64>() / count;
        let total: f64 = known.iter().map(|(value, _)| (value - mean).powi(2)).sum();
        let mut sums = vec![(0.0, 0.0); classes.len()];
        for &(value, class) in &known {
            sums[class].0 += value - mean;
            sums[class].1 += 1.0;
        }
        let between: f64 =
            sums.iter().filter(|(_, n)| *n > 0.0).map(|(sum, n)| sum * sum / n).sum();
        return if total > 0.0 { (between / total).sqrt() } else { 0.0 };
    }
    let levels = known.iter().map(|(value, _)| *value as usize + 1).max().unwrap_or(0);
    let mut cells = vec![vec![0.0; classes.len()]; levels];
    for &(value, class) in &known {
        cells[value as usize][class] += 1.0;
    }
    let by_class: Vec<f64> =
        (0..classes.len()).map(|class| cells.iter().map(|row| row[class]).sum()).collect();
    let mut chi_square = 0.0;
    let mut seen = 0;
    for row in &cells {
        let rows: f64 = row.iter().sum();
        seen += usize::from(rows > 0.0);
        for (&cell, &column) in row.iter().zip(&by_class) {
            let expected = rows * column / count;
            if expected > 0.0 {
                chi_square += (cell - expected).powi(2) / expected;
            }
        }
    }
    let freedom = seen.min(classes.len()).saturating_sub(1);
    if freedom == 0 { 0.0 } else { (chi_square / (count * freedom as f64)).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use basrelief::data::Categories;

    #[test]
    fn association_is_1_for_the_class_itself_and_0_for_a_constant() {
        let classes = Classes::from_labels(&["a", "b", "a", "b", "b"]);
        let numbers = Column::from_values("x", vec![1.0, 3.0, 1.0, 3.0, f64::NAN]).unwrap();
        assert!((association(&numbers, &classes) - 1.0).abs() < 1e-12);
        let texts = ["u", "v", "u", "v", "v"].map(Some);
        let categories = Column::categorical("c", Categories::from_texts(texts));
        assert!((association(&categories, &classes) - 1.0).abs() < 1e-12);
        let constant = Column::from_values("k", vec![2.0; 5]).unwrap();
        assert_eq!(association(&constant, &classes), 0.0);
        let constant = Column::categorical("k", Categories::from_texts([Some("u"); 5]));
        assert_eq!(association(&constant, &classes), 0.0);
    }

    #[test]
    fn association_of_two_numbers_is_the_correlation() {
        // By hand: class means 2 and 3, mean 2.5; the sum of squares between classes is 4 * 0.25 = 1, in total 5.
        let classes = Classes::from_labels(&["a", "a", "b", "b"]);
        let numbers = Column::from_values("x", vec![1.0, 3.0, 2.0, 4.0]).unwrap();
        assert!((association(&numbers, &classes) - (1.0f64 / 5.0).sqrt()).abs() < 1e-12);
    }
}
