//! Groups of rows that are not independent: `--group` of every verb that has it.

use serde_json::Value;

use crate::Place;

/// 24 subjects of 4 rows, without an effect of any feature.
fn place() -> Place {
    let place = Place::new();
    place
        .line("synth xor --rows 24 --features 8 --rows-per-subject 4 --output d.csv --seed 3")
        .done();
    place
}

#[test]
fn repeated_rows_are_made_and_reported() {
    let place = place();
    let text = place.read("d.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 97);
    assert!(lines[0].ends_with(",subject,class"), "{}", lines[0]);
    assert!(lines[1..5].iter().all(|line| line.contains(",s1,")), "{:?}", &lines[1..5]);
    let told = place.line("rank d.csv --target class --drop P1").err;
    assert!(told.contains("rows with the same `subject` look like repeated"), "{told}");
    assert!(told.contains("use --group subject"), "{told}");
    let refused = place.line("synth xor --rows 20 --rows-per-subject 2 --output c.bed").refused();
    assert!(refused.contains("--rows-per-subject"), "{refused}");
}

/// What the message advises works, and reports how the target is permuted.
#[test]
fn whole_groups_are_permuted() {
    let place = place();
    let rank = "rank d.csv --target class --group subject --permutations 99";
    let run = place.line(&format!("{rank} --format json --output r.json --report r.html"));
    assert!(!run.err.contains("repeated"), "{}", run.err);
    run.done();
    let found: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let test = &found["permutation_test"];
    assert_eq!(test["group"], "subject");
    assert_eq!(test["scheme"], "whole groups of subject are exchanged (24)");
    assert!(test["refit_reason"].is_null(), "{test}");
    let names = found["features"].as_array().unwrap();
    assert!(names.iter().all(|feature| feature["name"] != "subject"), "{names:?}");
    let page = place.read("r.html");
    assert!(page.contains("whole groups of subject are exchanged (24)"));
    // The other weighting, and the same bits with any number of threads.
    let weights = |more: &str| {
        let found =
            place.line(&format!("rank d.csv --target class --group subject {more} --format csv"));
        found.done()
    };
    assert_eq!(weights("--threads 1"), weights("--threads 2"));
    let plain = place.line("rank d.csv --target class --drop subject --format csv").done();
    assert_ne!(weights("--group-weight rows"), plain);
}

/// One row per subject: a note, and the results without groups.
#[test]
fn groups_of_one_row_are_reported() {
    let place = Place::new();
    let mut text = place.line("synth xor --rows 40 --features 5").done();
    text = (0..)
        .zip(text.lines())
        .map(|(row, line)| match row {
            0 => format!("{line},person\n"),
            _ => format!("{line},p{row}\n"),
        })
        .collect();
    place.file("d.csv", &text);
    let run = place.line("rank d.csv --target class --group person --permutations 50 --format csv");
    assert!(run.err.contains("the groups have no effect"), "{}", run.err);
    let found = run.done();
    let rest = "rank d.csv --target class --drop person --permutations 50 --format csv";
    assert_eq!(found, place.line(rest).done());
}

#[test]
fn evaluate_stability_sets_and_select_keep_groups_whole() {
    let place = place();
    let run = place.line(
        "evaluate d.csv --target class --group subject --methods euclidean,relieff,lfe --folds 4 --format json",
    );
    assert!(run.err.contains("compare rows of the same group: lfe"), "{}", run.err);
    let found: Value = serde_json::from_str(&run.done()).unwrap();
    let error = |found: &Value| found["methods"][0]["loss"].as_f64().unwrap();
    let drop =
        "evaluate d.csv --target class --drop subject --methods euclidean --folds 4 --format json";
    let leaking: Value = serde_json::from_str(&place.line(drop).done()).unwrap();
    // Rows of a test subject are nearly the same as its training rows.
    assert!(error(&leaking) < 0.1 && error(&found) > 0.2, "{leaking} {found}");
    let loo = "evaluate d.csv --target class --group subject --methods euclidean --folds loo";
    place.line(loo).done();
    let halves =
        "evaluate d.csv --target class --group subject --methods euclidean --protocol halves:3";
    place.line(halves).done();
    let message = place
        .line("evaluate d.csv --target class --group subject --methods euclidean --folds 20")
        .refused();
    assert!(message.contains("groups, fewer than 20 folds"), "{message}");
    place.line("stability d.csv --target class --group subject --resamples 5").done();
    place.file("s.txt", "a P1\na P2\nb N1\nb N2\n");
    let sets = "sets d.csv --target class --group subject --sets s.txt --permutations 19";
    let told = place.line(sets).done().replace("\n  ", " ");
    assert!(told.contains("whole groups of subject are exchanged (24)"), "{told}");
    place.line("select d.csv --target class --group subject --top 2 --output top.csv").done();
}

/// `pairs` has adjusted p-values only, in all formats, from whole groups.
#[test]
fn pairs_of_groups_have_adjusted_p_values_only() {
    let place = place();
    let pairs = "pairs d.csv --target class --group subject --top 8 --pairs 3";
    let refused = place.line(pairs).refused();
    assert!(
        refused.contains("independent rows") && refused.contains("--permutations"),
        "{refused}"
    );
    let with = format!("{pairs} --permutations 99 --permute-all");
    let table = place.line(&format!("{with} --report r.html")).done();
    let one_line = table.replace("\n  ", " ");
    let scheme =
        "99 of the target, whole groups of subject are exchanged (24), each with a new ranking";
    assert!(one_line.contains(scheme), "{table}");
    let head = table.lines().find(|line| line.starts_with("feature")).unwrap();
    let words: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(words, ["feature", "with", "chi2", "df", "adjusted", "(max-T)", "bits"]);
    let last = table.lines().last().unwrap();
    assert!(last.starts_with("No pair is significant (smallest adjusted p (max-T) "), "{table}");
    let page = place.read("r.html");
    assert!(page.contains("whole groups of subject are exchanged (24)"));
    assert!(page.contains("chi-squared of all pairs of the features"));
    for absent in ["q (FDR)", "-log10 p", ", p 0", "chi-squared distribution"] {
        assert!(!page.contains(absent), "{absent}");
    }
    let json = place.line(&format!("{with} --format json")).done();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["group"], "subject");
    assert_eq!(json["scheme"], "whole groups of subject are exchanged (24)");
    assert!(json["q_exact_up_to"].is_null());
    let names = json["features"].as_array().unwrap();
    assert!(names.iter().all(|name| name != "subject"), "{names:?}");
    let csv = place.line(&format!("{with} --format csv")).done();
    let head = "feature_1,feature_2,statistic,df,adjusted_p_value,interaction_information,rows";
    assert_eq!(csv.lines().next(), Some(head));
    for (pair, line) in json["pairs"].as_array().unwrap().iter().zip(csv.lines().skip(1)) {
        for absent in ["p_value", "log10_p", "bonferroni", "q_value"] {
            assert!(pair[absent].is_null(), "{pair}");
        }
        let adjusted = pair["adjusted_p_value"].as_f64().unwrap();
        assert_eq!(line.split(',').nth(4).unwrap().parse::<f64>().unwrap(), adjusted);
    }
    // Whole groups rank, and others test.
    let split = format!("{pairs} --permutations 99 --split 0.5 --format json");
    let split: Value = serde_json::from_str(&place.line(&split).done()).unwrap();
    assert_eq!(split["scheme"], "whole groups of subject are exchanged (12)");
    place.line("rank d.csv --target class --group subject --format csv --output rank.csv").done();
    let from = format!("{pairs} --permutations 99 --from rank.csv --format csv");
    assert_eq!(place.line(&from).done().lines().next(), Some(head));
    let weight = place.line(&format!("{from} --group-weight rows")).refused();
    assert!(weight.contains("cannot be used with"), "{weight}");
    let simba = place.line(&format!("{with} --method simba")).refused();
    assert!(simba.contains("simba does not use groups of rows"), "{simba}");
    // The page of a ranking tests its pairs by the same permutations.
    let rank = "rank d.csv --target class --group subject --permutations 99 --report p.html";
    place.line(rank).done();
    let page = place.read("p.html");
    let (_, interactions) = page.split_once("id=\"pairs-head\"").unwrap();
    assert!(
        interactions.contains("as for independent rows. The p-values are based on 99 permutations")
            || interactions.contains("No two of the best"),
        "{interactions}"
    );
}

#[test]
fn wrong_groups_are_refused() {
    let place = place();
    let rank = "rank d.csv --target class";
    for (arguments, parts) in [
        ("--group nobody", &["nobody"][..]),
        ("--group class", &["--group", "the target"]),
        ("--group subject --drop subject", &["--group", "excluded"]),
        ("--group-weight rows", &["--group"]),
        ("--group subject --group-weight all", &["group-weight"]),
        (
            "--group subject --method simba",
            &["--group", "simba does not use groups of rows", "multisurf"],
        ),
        (
            "--group subject --method multisurf --compat skrebate --genotype-diff categorical",
            &["--group", "skrebate"],
        ),
        ("--group subject --within subject --permutations 50", &["within any stratum"]),
    ] {
        let message = place.line(&format!("{rank} {arguments}")).refused();
        for part in parts {
            assert!(message.contains(part), "{arguments}: {message}");
        }
    }
    place.file("one.csv", "x,who,class\n1,a,u\n2,a,v\n3,a,u\n4,a,v\n");
    let one = place.line("rank one.csv --target class --group who").refused();
    assert!(one.contains("all rows have the same value of `who`"), "{one}");
    place.file("gap.csv", "x,who,class\n1,a,u\n2,,v\n3,b,u\n4,a,v\n");
    let gap = place.line("rank gap.csv --target class --group who").refused();
    assert!(gap.contains("row 2") && gap.contains("`who`"), "{gap}");
    // Each class is one subject.
    place.file("two.csv", "x,who,class\n1,a,u\n2,a,u\n3,b,v\n4,b,v\n");
    let two = place.line("rank two.csv --target class --group who").refused();
    assert!(two.contains("at least two groups of every class"), "{two}");
}

/// Families of a cohort, and columns of its covariates.
#[test]
fn families_of_a_cohort_are_groups() {
    let place = Place::new();
    place.line("synth cohort --rows 60 --variants 140 --output c.bed --seed 5").done();
    let fam = place.read("c.fam");
    let families = |size: usize| -> String {
        let line = |(row, line): (usize, &str)| {
            let rest: Vec<&str> = line.split_whitespace().skip(1).collect();
            // The last six people have no family.
            let family = if row < 54 { format!("f{}", row / size) } else { "0".to_string() };
            format!("{family} {}\n", rest.join(" "))
        };
        fam.lines().enumerate().map(line).collect()
    };
    place.file("c.fam", families(3));
    let run = place.line("rank c.bed --group fid --permutations 50 --format json");
    let found: Value = serde_json::from_str(&run.done()).unwrap();
    let scheme = found["permutation_test"]["scheme"].as_str().unwrap();
    assert!(scheme.contains("groups of fid") && scheme.contains("within groups"), "{scheme}");
    let pairs = "pairs c.bed --group fid --top 8 --permutations 50 --format json";
    let found: Value = serde_json::from_str(&place.line(pairs).done()).unwrap();
    assert_eq!(found["scheme"].as_str(), Some(scheme));
    assert!(found["pairs"][0]["p_value"].is_null(), "{found}");
    place.file(
        "covar.txt",
        fam.lines().enumerate().fold("FID IID home\n".to_string(), |text, (row, line)| {
            let ids: Vec<&str> = line.split_whitespace().collect();
            let family = if row < 54 { format!("f{}", row / 3) } else { "0".to_string() };
            text + &format!("{family} {} h{}\n", ids[1], row / 4)
        }),
    );
    place.line("rank c.bed --covar covar.txt --group home").done();
    let message = place.line("rank c.bed --group home").refused();
    assert!(message.contains("--group") && message.contains("--covar"), "{message}");
    place.file("c.fam", families(27));
    let message = place.line("rank c.bed --group fid").refused();
    for part in ["27 people have the family ID `f", "--within"] {
        assert!(message.contains(part), "{message}");
    }
}
