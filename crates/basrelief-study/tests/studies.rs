//! Studies that programs build: a wrong one is refused by `check`, before any data are read, with the name of the field;
//! pages of unusual tables are complete.

use std::path::PathBuf;

use basrelief::data::{Column, Roles, Table, Target};
use basrelief::inference::{Correction, Draws, Resampling};
use basrelief::maps::RankBy;
use basrelief::selection::RedundancyRule;
use basrelief::{Error, Run};
use basrelief_study::evaluation::{OuterSplits, Scheme};
use basrelief_study::{
    Comparison, Data, MethodChoice, PageOptions, RowRoles, Source, Study, TestPlan, ranking_page,
};

/// The target as the column of strata.
fn within() -> RowRoles {
    RowRoles { within: Some("class".to_string()), ..RowRoles::default() }
}

/// A study of a file that does not exist: nothing of it is read.
fn study() -> Study {
    Study::new(Source::new("nowhere.csv"), "class")
}

fn option_of(error: &Error) -> String {
    match error {
        Error::Option { option, .. } => option.to_string(),
        other => panic!("{other}"),
    }
}

#[test]
fn a_wrong_study_is_refused_before_its_data_are_read() {
    let few = TestPlan { alpha: 0.001, ..TestPlan::new(Draws::Fixed(99)) };
    let resumed = TestPlan {
        correction: Correction::MinP,
        resume: Some(PathBuf::from("folder")),
        ..TestPlan::new(Draws::Fixed(1000))
    };
    let once = Resampling {
        resamples: 1,
        fraction: 0.5,
        top: 1,
        redundancy: RedundancyRule::None,
        rank_by: RankBy::Weight,
    };
    let scaled = study().with_method("irelief", &[]).unwrap();
    for (wrong, option) in [
        (Study { roles: within(), ..study() }, "within"),
        (study().with_test(few), "permutations"),
        (study().with_test(resumed), "resume"),
        (Study { resampling: Some(once), ..study() }, "resamples"),
        (scaled.with_test(TestPlan::new(Draws::Fixed(1000))), "permutations"),
    ] {
        let error = wrong.check().unwrap_err();
        assert_eq!(option_of(&error), option, "{error}");
        // The error is the same, and not that of the file.
        let ranked = wrong.rank(&Run::new(Some(1)).unwrap(), &|_| ()).unwrap_err();
        assert_eq!(ranked.to_string(), error.to_string());
    }
    assert!(study().with_method("relief-f", &[]).unwrap_err().to_string().contains("relieff"));
}

#[test]
fn a_wrong_comparison_is_refused_before_its_data_are_read() {
    let comparison = || Comparison::new(Source::new("nowhere.csv"), "class");
    let scheme = comparison().scheme;
    let with_splits = |splits| Comparison { scheme: Scheme { splits, ..scheme }, ..comparison() };
    for (wrong, option) in [
        (Comparison { roles: within(), ..comparison() }, "within"),
        (with_splits(OuterSplits::Folds { parts: 2, repeats: 1001 }), "repeats"),
        (with_splits(OuterSplits::Halves(1)), "protocol"),
        (Comparison { scheme: Scheme { inner: 1, ..scheme }, ..comparison() }, "inner_folds"),
    ] {
        let error = wrong.check().unwrap_err();
        assert_eq!(option_of(&error), option, "{error}");
    }
    let unknown = Comparison { methods: Some("lda,nothing".to_string()), ..comparison() };
    assert!(unknown.check().unwrap_err().to_string().contains("nothing"));
}

/// The page of a ranking of these columns.
fn page(columns: Vec<Column<'static>>, labels: &[String]) -> String {
    let data = Data {
        table: Table::new(columns).unwrap(),
        target: Target::from_labels(labels),
        unadjusted: None,
        target_name: "class".to_string(),
        target_columns: vec!["class".to_string()],
        blocks: None,
        unlabeled: 0,
        groups: None,
        strata: None,
        weights: None,
        priors: None,
        covariates: None,
        warnings: Vec::new(),
    };
    let run = Run::new(Some(2)).unwrap();
    let method = MethodChoice::new("relieff", &[("n_neighbors", "2")]).unwrap();
    let outcome = study().weigh(&method, &data, &|_| (), &run).unwrap();
    let ranking = study().ranking(&data, &outcome, &run);
    ranking_page(&ranking, Roles::default(), &PageOptions::default(), &run).unwrap().html
}

fn numbers(rows: usize, step: usize) -> Vec<f64> {
    (0..rows).map(|row| ((row * step) % 101) as f64).collect()
}

#[test]
fn pages_of_unusual_tables_are_complete() {
    let column = |name: String, rows, step| Column::from_values(name, numbers(rows, step)).unwrap();
    let two = |rows: usize| (0..rows).map(|row| (row % 2).to_string()).collect::<Vec<String>>();
    let of_one = page(vec![column("width".to_string(), 20, 7)], &two(20));
    let labels: Vec<String> = (0..180).map(|row| format!("class {}", row % 60)).collect();
    let classes = vec![column("a".to_string(), 180, 7), column("b".to_string(), 180, 3)];
    let of_classes = page(classes, &labels);
    let name = |mark: &str| mark.repeat(10_000);
    let of_names = page(vec![column(name("n"), 20, 7), column(name("m"), 20, 3)], &two(20));
    for (html, word) in [(&of_one, "width"), (&of_classes, "60 classes"), (&of_names, "nnnn")] {
        assert!(html.contains(word) && html.trim_end().ends_with("</html>"), "{word}");
        assert!(html.len() < 1_000_000, "{word}: {}", html.len());
    }
}

#[test]
fn a_page_of_300_000_features_is_of_moderate_size() {
    let column = |feature: usize| {
        Column::from_values(format!("f{feature}"), numbers(12, feature % 97 + 1)).unwrap()
    };
    let labels: Vec<String> = (0..12).map(|row| (row % 2).to_string()).collect();
    let html = page((0..300_000).map(column).collect(), &labels);
    assert!(html.len() < 5_000_000, "{}", html.len());
    assert!(html.contains("300,000"));
}
