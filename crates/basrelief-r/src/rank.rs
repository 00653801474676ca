//! The weights of features, with their tests.

use std::cell::RefCell;

use basrelief::data::RawTable;
use basrelief::{FrontEnd, Result, Run};
use basrelief_study::text::{Format, Look};
use basrelief_study::{Outcome, PageFile, PageOptions, Ranking, ranking_page};

use crate::answer::{Answer, Value};
use crate::arguments::Arguments;
use crate::study::study;

/// Computes the weights of the features of a data frame, or of the variants of a cohort: `relief()`.
///
/// Returns, per feature in the order of the columns, `feature`, `kind`, `weight` and `rank`; of a test `p_value`,
/// `adjusted`, `q_value` and `selected`; of intervals `lower` and `upper`; the weights `by_neighbors` if several numbers of
/// neighbors were given; the weights of `blocks`; and what the result is about, in words and as JSON.
///
/// # Errors
/// An argument has a wrong value; the errors of [`Study::rank`](basrelief_study::Study::rank). The page in `report` is
/// written after everything that can fail.
pub fn rank(table: Option<RawTable>, arguments: &Arguments, run: &Run) -> Result<Answer> {
    let study = study(arguments, table)?;
    let page = arguments.path("report");
    let page = page.map(|file| PageFile::new(file, arguments.switch("force"))).transpose()?;
    let notes = RefCell::new(Vec::new());
    let (data, outcome) =
        study.rank(run, &|note| notes.borrow_mut().push(FrontEnd::R.spell(&note.into())))?;
    let ranking = study.ranking(&data, &outcome, run);
    if let Some(page) = page {
        let command = arguments.text("call").map(str::to_string);
        let options = PageOptions { command, ..PageOptions::default() };
        let html = ranking_page(&ranking, data.roles(), &options, run)?.html;
        run.check()?;
        page.write(&html)?;
    }
    let columns = data.table.columns();
    let report = ranking.report();
    let kinds = Value::texts(columns.iter().map(|column| column.kind().name()));
    let mut answer = Answer::default()
        .with("feature", Value::texts(columns.iter().map(|column| column.name())))
        .with("kind", kinds)
        .with("weight", Value::Numbers(outcome.fitted.model.weights().to_vec()))
        .with("rank", Value::counts(outcome.fitted.model.ranks()));
    answer = answer.with("test", Value::maybe(tested(&outcome)));
    let intervals = outcome.intervals.as_ref().map(|found| {
        let (lower, upper) = found.limits.iter().copied().unzip();
        Value::List(
            Answer::default()
                .with("lower", Value::Numbers(lower))
                .with("upper", Value::Numbers(upper)),
        )
    });
    answer = answer.with("intervals", Value::maybe(intervals));
    let profile = report.profile.as_ref().map(|profile| {
        let pairs = profile.neighbors.iter().zip(&profile.weights);
        Value::List(Answer(
            pairs.map(|(k, weights)| (k.to_string(), Value::Numbers(weights.clone()))).collect(),
        ))
    });
    answer = answer.with("by_neighbors", Value::maybe(profile));
    answer = answer.with("blocks", Value::maybe(blocks(&outcome)));
    Ok(described(answer, &ranking)
        .with("notes", Value::texts(notes.into_inner()))
        .with("rows", Value::counts([data.table.rows()])))
}

/// The p-values, if there was a test.
fn tested(outcome: &Outcome) -> Option<Value> {
    let tested = outcome.tested.as_ref()?;
    let found = tested.significance();
    let selected = (0..found.p_values.len()).map(|feature| tested.is_selected(feature));
    let answer = Answer::default()
        .with("p_value", Value::Numbers(found.p_values.clone()))
        .with("adjusted", Value::maybe(found.adjusted.clone().map(Value::Numbers)))
        .with("q_value", Value::Numbers(found.q_values.clone()))
        .with("selected", Value::Switches(selected.collect()))
        .with("summary", Value::text(tested.summary()));
    Some(Value::List(answer))
}

/// The names, weights and p-values of blocks, if there are any.
fn blocks(outcome: &Outcome) -> Option<Value> {
    let blocks = outcome.blocks.as_ref()?;
    let found = outcome.tested.as_ref().and_then(|tested| tested.blocks());
    let answer = Answer::default()
        .with("block", Value::texts(blocks.names.iter().cloned()))
        .with("weight", Value::Numbers(blocks.weights.clone()))
        .with("p_value", Value::maybe(found.map(|found| Value::Numbers(found.p_values.clone()))))
        .with(
            "adjusted",
            Value::maybe(found.and_then(|found| found.adjusted.clone()).map(Value::Numbers)),
        );
    Some(Value::List(answer))
}

/// What the ranking is about: lines for people, JSON for programs, and the warnings.
fn described(answer: Answer, ranking: &Ranking<'_>) -> Answer {
    let lines = ranking.subject().lines(Look::of_file().width);
    let lines = lines.lines().map(str::to_string).chain([ranking.method_line().to_string()]);
    answer
        .with("about", Value::texts(lines))
        .with("json", Value::text(ranking.text(Format::Json, None, Look::of_file())))
        .with_warnings(ranking.warnings())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{FrameColumn, FrameValues, LevelKind, raw_table};

    const NEAR: [f64; 8] = [1.0, 1.5, 1.2, 0.9, 7.0, 7.5, 8.0, 7.2];
    const NOISE: [f64; 8] = [3.0, 1.0, 2.0, 5.0, 4.0, 2.0, 3.0, 1.0];
    const CLASSES: [i32; 8] = [1, 1, 1, 1, 2, 2, 2, 2];

    fn frame() -> RawTable {
        frame_of(&CLASSES)
    }

    fn frame_of(codes: &[i32]) -> RawTable {
        let levels = vec!["a".to_string(), "b".to_string()];
        let classes = FrameValues::Levels { codes, levels, kind: LevelKind::Factor };
        raw_table(&[
            FrameColumn { name: "near", values: FrameValues::Numbers(&NEAR) },
            FrameColumn { name: "noise", values: FrameValues::Numbers(&NOISE) },
            FrameColumn { name: "y", values: classes },
        ])
        .unwrap()
    }

    fn arguments(given: &[(&str, &[&str])]) -> Arguments {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
        let all = [("target", &["y"][..]), ("method", &["relieff"])];
        let all = all.iter().chain(given);
        all.map(|(name, values)| (name.to_string(), texts(values))).collect()
    }

    fn ranked(given: &[(&str, &[&str])]) -> Result<Answer> {
        let arguments = arguments(given);
        rank(Some(frame()), &arguments, &arguments.run()?)
    }

    #[test]
    fn a_frame_is_ranked_as_a_table() {
        let options: &[(&str, &[&str])] =
            &[("options", &["2"]), ("options.names", &["n_neighbors"])];
        let answer = ranked(options).unwrap();
        assert_eq!(answer.get("feature"), Some(&Value::texts(["near", "noise"])));
        assert_eq!(answer.get("rank"), Some(&Value::Integers(vec![1, 2])));
        let Some(Value::Numbers(weights)) = answer.get("weight") else { panic!("no weights") };
        // The nearest rows of `near`: differences to misses less those to hits, per range.
        assert!(weights[0] > 0.7 && weights[1].abs() < weights[0], "{weights:?}");
        assert_eq!(answer.get("test"), Some(&Value::Absent));
    }

    #[test]
    fn a_test_and_roles_are_settings() {
        let answer = ranked(&[("permutations", &["60"]), ("seed", &["3"])]).unwrap();
        let Some(Value::List(test)) = answer.get("test") else { panic!("no test") };
        let Some(Value::Numbers(p_values)) = test.get("p_value") else { panic!("no p-values") };
        assert!(p_values.iter().all(|p| (1.0 / 61.0..=1.0).contains(p)));
        let grouped = ranked(&[("groups", &["noise"])]).unwrap();
        assert_eq!(grouped.get("feature"), Some(&Value::texts(["near"])));
    }

    #[test]
    fn unlabeled_rows_determine_ranges() {
        // The class of the row with the largest value of `near` is not available.
        let mut codes = CLASSES;
        codes[6] = i32::MIN;
        let near = |given: &[(&str, &[&str])]| {
            let arguments = arguments(given);
            let answer = rank(Some(frame_of(&codes)), &arguments, &arguments.run().unwrap());
            match answer.unwrap().get("weight") {
                Some(Value::Numbers(weights)) => weights[0],
                other => panic!("no weights: {other:?}"),
            }
        };
        let (excluded, unlabeled) = (near(&[]), near(&[("unlabeled", &["missing"])]));
        assert!((excluded * 6.6 - unlabeled * 7.1).abs() < 1e-12, "{excluded} {unlabeled}");
    }

    #[test]
    fn messages_have_the_names_of_r() {
        let message = |given: &[(&str, &[&str])]| ranked(given).unwrap_err().message(FrontEnd::R);
        let covariates = message(&[("covariates", &["noise"])]);
        assert!(covariates.contains("residuals = TRUE"), "{covariates}");
        let seed = message(&[("seed", &["-1"])]);
        assert!(seed.starts_with("option seed: `-1`"), "{seed}");
        let infinite = [1.0, f64::INFINITY];
        let column = FrameColumn { name: "x", values: FrameValues::Numbers(&infinite) };
        let infinite = raw_table(&[column]).unwrap_err().message(FrontEnd::R);
        assert!(infinite.contains("row 2") && infinite.contains("NA"), "{infinite}");
    }
}
