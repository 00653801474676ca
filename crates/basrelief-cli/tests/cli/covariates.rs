//! Covariates of cohorts and of tables: the same of both, what they are for, and what is refused.

use serde_json::Value;

use crate::Place;

const PEOPLE: usize = 120;
const VARIANTS: usize = 9;

fn any(a: usize, b: usize) -> usize {
    ((a * 7919 + b * 104_729 + 13).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 97
}

/// Copies of A1; the first three variants are more frequent in the second population.
fn copies(variant: usize, person: usize) -> usize {
    let shift = if variant < 3 && population(person) == 1 { 45 } else { 0 };
    let (a, b) = (any(variant, person), any(variant + 50, person));
    usize::from(a < 30 + shift) + usize::from(b < 30 + shift)
}

fn population(person: usize) -> usize {
    person % 2
}

/// Disease is more frequent in the second population, and acts by the last two variants.
fn is_case(person: usize) -> bool {
    let acts = (copies(7, person) == 1) != (copies(8, person) == 1);
    any(person, 3) < 8 + 55 * population(person) + 30 * usize::from(acts)
}

fn age(person: usize) -> usize {
    30 + any(person, 77) % 40
}

/// A cohort, its table, and a file of covariates.
fn write(place: &Place) {
    let mut bed = vec![0x6c, 0x1b, 1];
    let mut bim = String::new();
    for variant in 0..VARIANTS {
        let mut bytes = [0; PEOPLE / 4];
        for person in 0..PEOPLE {
            bytes[person / 4] |= [0b11, 0b10, 0b00][copies(variant, person)] << (2 * (person % 4));
        }
        bed.extend(bytes);
        bim.push_str(&format!("1 rs{variant} 0 {} A G\n", 1000 + variant));
    }
    let names: String = (0..VARIANTS).map(|variant| format!("rs{variant},")).collect();
    let mut table = format!("{names}age,PC1,PC2,sex,phenotype\n");
    let (mut fam, mut covar) = (String::new(), "#FID IID age PC1 PC2 sex\n".to_string());
    for person in 0..PEOPLE {
        let (age, sex) = (age(person), ["f", "m"][any(person, 5) % 2]);
        let pcs = [population(person) * 10 + any(person, 9) % 3, any(person, 2)];
        let class = if is_case(person) { "case" } else { "control" };
        fam.push_str(&format!("f{person} i{person} 0 0 0 {}\n", 1 + u8::from(is_case(person))));
        covar.push_str(&format!("f{person} i{person} {age} {} {} {sex}\n", pcs[0], pcs[1]));
        let genotypes: String =
            (0..VARIANTS).map(|variant| format!("{},", copies(variant, person))).collect();
        table.push_str(&format!("{genotypes}{age},{},{},{sex},{class}\n", pcs[0], pcs[1]));
    }
    place.file("cohort.bed", bed);
    place.file("cohort.bim", bim);
    place.file("cohort.fam", fam);
    place.file("covar.txt", covar);
    place.file("table.csv", table);
}

fn ranked(place: &Place, data: &str, options: &str) -> Value {
    let run = place.line(&format!("rank {data} {options} --format json --quiet"));
    serde_json::from_str(&run.done()).unwrap()
}

/// Names and weights, and what is told of the covariates.
fn weights(ranking: &Value) -> (Vec<(String, f64)>, Value) {
    let features = ranking["features"].as_array().unwrap().iter();
    let of = |feature: &Value| {
        (feature["name"].as_str().unwrap().to_string(), feature["weight"].as_f64().unwrap())
    };
    (features.map(of).collect(), ranking["data"]["covariates"].clone())
}

#[test]
fn of_a_cohort_and_of_a_table_they_do_the_same() {
    let place = Place::new();
    write(&place);
    for (options, dropped) in [
        ("--covar-name PC1-PC2,sex --residuals", "age"),
        ("--covar-name PC1 --residuals --method multisurf", "age,PC2,sex"),
        ("--covar-name PC1,sex --caliper 0.7", "age,PC2"),
        ("--covar-name PC1 --caliper 0.7 --method surf* --missing ignore", "age,PC2,sex"),
        ("--covar-name age-sex --covar-distance", ""),
        ("--covar-name PC1 --caliper 0.7 --wrap turf:drop=0.4,keep=3", "age,PC2,sex"),
        ("--covar-name PC1 --residuals --seed 5 --permutations 20 --within sex", "age,PC2"),
    ] {
        let drop = if dropped.is_empty() { String::new() } else { format!("--drop {dropped}") };
        let table = format!("--target phenotype --genotype all {drop} {options}");
        let (of_table, told) = weights(&ranked(&place, "table.csv", &table));
        let of_cohort = ranked(&place, "cohort.bed", &format!("--covar covar.txt {options}"));
        assert_eq!(weights(&of_cohort), (of_table, told.clone()), "{options}");
        assert!(!told["names"].as_array().unwrap().is_empty(), "{options}");
    }
}

/// Variants that differ between populations lead under `multisurf`; under a caliper they do not.
#[test]
fn a_caliper_takes_ancestry_away() {
    let place = Place::new();
    write(&place);
    let mean_rank = |options: &str| {
        let ranking = ranked(&place, "cohort.bed", &format!("--method multisurf {options}"));
        let features = ranking["features"].as_array().unwrap().iter();
        let ranks = features
            .filter(|feature| ["rs0", "rs1", "rs2"].contains(&feature["name"].as_str().unwrap()))
            .map(|feature| feature["rank"].as_f64().unwrap());
        ranks.sum::<f64>() / 3.0
    };
    assert_eq!(mean_rank(""), 2.0);
    let matched = mean_rank("--covar covar.txt --covar-name PC1 --caliper 0.7");
    assert!(matched > 3.0, "{matched}");
}

#[test]
fn people_are_matched_by_their_ids_and_gaps_are_told() {
    let place = Place::new();
    write(&place);
    // Backwards, by IID alone, with a stranger, and one person left out.
    let lines: String =
        (1..PEOPLE).rev().map(|person| format!("i{person} {}\n", age(person))).collect();
    place.file("ages.txt", format!("#IID age\nstranger 4\n{lines}"));
    let rank = |options: &str| place.line(&format!("rank cohort.bed --caliper 1 {options}"));
    let refused = rank("--covar ages.txt").refused();
    for part in [
        "1 of 120 rows have missing covariates",
        "FID `f0` IID `i0`",
        "--drop-missing-covar",
        "age",
    ] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    let outcome = rank("--covar ages.txt --drop-missing-covar");
    let told = outcome.err.clone() + &outcome.done();
    for part in [
        "1 of 120 rows have missing covariates",
        "are not in ages.txt",
        "IID `stranger`",
        "119 rows",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    place.file(
        "bare.txt",
        (0..PEOPLE).map(|p| format!("f{p} i{p} {}\n", age(p))).collect::<String>(),
    );
    let bare = weights(&ranked(&place, "cohort.bed", "--covar bare.txt --caliper 1")).0;
    let named =
        weights(&ranked(&place, "cohort.bed", "--covar covar.txt --covar-name age --caliper 1")).0;
    assert_eq!(bare, named);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new();
    write(&place);
    place.file("twice.txt", "FID IID age\nf1 i1 3\nf1 i1 4\n");
    place.file("short.txt", "FID IID age PC1\nf1 i1 3\n");
    place.file("others.txt", "FID IID age\nx y 3\n");
    let same: String =
        (0..PEOPLE).map(|person| format!("f{person} i{person} 1 {person} {person}\n")).collect();
    place.file("same.txt", format!("FID IID one a b\n{same}"));
    for (options, parts) in [
        (
            "cohort.bed --covar covar.txt",
            &["--residuals", "--caliper", "the use of the covariates is not specified"][..],
        ),
        ("cohort.bed --residuals", &["no covariates were given", "--covar"]),
        ("cohort.bed --covar none.txt --residuals", &["none.txt"]),
        ("cohort.bed --covar covar.txt --covar-name PC3 --residuals", &["`PC3`", "PC2", "line 1"]),
        ("cohort.bed --covar covar.txt --caliper 0", &["--caliper", "above 0"]),
        ("cohort.bed --covar twice.txt --caliper 1", &["twice.txt", "line 3", "an earlier line"]),
        ("cohort.bed --covar short.txt --caliper 1", &["short.txt", "line 2", "1 field"]),
        ("cohort.bed --covar others.txt --caliper 1", &["none of its people", "FID `x` IID `y`"]),
        ("cohort.bed --covar same.txt --covar-name one --caliper 1", &["one value", "`one`"]),
        ("cohort.bed --covar same.txt --covar-name a,b --residuals", &["combination", "`b`"]),
        (
            "cohort.bed --covar covar.txt --covar-name age --caliper 1 --method irelief",
            &["irelief"],
        ),
        ("cohort.bed --covar covar.txt --covar-name age --residuals --method relief", &["relief"]),
        ("cohort.bed --permutations 20 --within sex", &["--within", "--covar"]),
        (
            "cohort.bed --covar covar.txt --covar-name age --caliper 1 --output covar.txt",
            &["--output", "covar.txt is also read by --covar"],
        ),
        ("table.csv --target phenotype --covar covar.txt --caliper 1", &["--covar", "cohorts"]),
        ("table.csv --target phenotype --covar-name phenotype --caliper 1", &["is the target"]),
        ("table.csv --target phenotype --covar-name agee --caliper 1", &["`agee`", "`age`"]),
    ] {
        let refused = place.line(&format!("rank {options}")).refused();
        for part in parts {
            assert!(refused.contains(part), "{options}: {part}: {refused}");
        }
    }
}

/// What is said of all columns is said of features, not of groups and covariates.
#[test]
fn groups_and_covariates_have_kinds_of_their_own() {
    let place = Place::new();
    write(&place);
    let drop = "--target phenotype --genotype all --permutations 20";
    let run = place.line(&format!("rank table.csv {drop} --drop age,PC1,PC2 --within sex --quiet"));
    assert!(run.done().contains("(9 genotype)"));
    let options = "--covar-name age-sex --residuals --within sex";
    assert!(place.line(&format!("rank table.csv {drop} {options}")).done().contains("covariates"));
}

#[test]
fn other_verbs_take_covariates_too() {
    let place = Place::new();
    write(&place);
    let options = "--covar covar.txt --covar-name PC1 --caliper 0.7";
    place.line(&format!("rank cohort.bed {options} --report page.html --quiet")).done();
    assert!(place.read("page.html").contains("PC1: rows are matched within 0.7 SD"));
    let selected = place.line(&format!("select cohort.bed {options} --top 2 --quiet")).done();
    assert_eq!(selected.lines().next().map(|line| line.split(',').count()), Some(3));
    let steady =
        place.line(&format!("stability cohort.bed {options} --resamples 5 --top 2")).done();
    assert!(steady.contains("covariates PC1"), "{steady}");
    let page = place.read("page.html");
    assert!(page.contains("--permutations 1000"));
}

/// Permutations are those given the covariates, and say so.
#[test]
fn tests_are_given_the_covariates() {
    let place = Place::new();
    write(&place);
    place.file("sets.txt", "first rs0\nfirst rs1\nfirst rs2\nlast rs7\nlast rs8\n");
    let own = "--covar covar.txt --covar-name PC1";
    let told = "rows are exchanged with the odds of a regression of the target on the covariates";
    for (verb, uses) in [
        ("rank cohort.bed", "--permutations 20"),
        ("select cohort.bed", "--permutations 20 --significant --correction none --alpha 0.9"),
        ("sets cohort.bed --sets sets.txt", "--permutations 20"),
    ] {
        for option in ["--caliper 0.7", "--covar-distance", "--residuals"] {
            let outcome = place.line(&format!("{verb} {own} {option} {uses}"));
            let text = outcome.err.clone() + &outcome.done();
            // Lines are wrapped.
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(verb.starts_with("select") || text.contains(told), "{verb} {option}: {text}");
        }
    }
    let found = ranked(&place, "cohort.bed", &format!("{own} --caliper 0.7 --permutations 99"));
    assert_eq!(found["permutation_test"]["scheme"], told);
    // Every variant that only ancestry relates to the phenotype is a finding without it.
    let p_of = |found: &Value| -> f64 {
        let features = found["features"].as_array().unwrap();
        let of = |name: &str| {
            let feature = features.iter().find(|feature| feature["name"] == name).unwrap();
            feature["adjusted_p_value"].as_f64().unwrap()
        };
        ["rs0", "rs1", "rs2"].map(of).into_iter().fold(1.0, f64::min)
    };
    let naive = ranked(&place, "cohort.bed", "--method multisurf --permutations 99");
    let given = format!("{own} --covar-distance --method multisurf --permutations 99");
    let given = ranked(&place, "cohort.bed", &given);
    assert!(p_of(&naive) < 0.05 && p_of(&given) > 0.05, "{} {}", p_of(&naive), p_of(&given));
    // A plan takes no covariates at all.
    let refused = place
        .line(&format!("plan cohort.bed --output job {own} --caliper 1 --permutations 20"))
        .refused();
    assert!(refused.contains("covar") && !place.path("job").exists(), "{refused}");
    // A column is a stratum and has a caliper at once.
    let both = "--covar covar.txt --covar-name PC1,sex --caliper 1 --within sex --permutations 20";
    let found = ranked(&place, "cohort.bed", both);
    assert_eq!(weights(&found).1["names"], serde_json::json!(["PC1", "sex"]));
    assert_eq!(found["permutation_test"]["scheme"], told);
}

/// Tests of pairs have the covariates in both models; a caliper and the distance affect the ranking only. The header, JSON
/// and the page report what was done.
#[test]
fn tests_of_pairs_have_the_covariates_in_both_models() {
    let place = Place::new();
    write(&place);
    let json = |options: &str| -> Value {
        let run = place.line(&format!("pairs {options} --pairs 36 --format json --quiet"));
        serde_json::from_str(&run.done()).unwrap()
    };
    let statistics = |found: &Value| -> Vec<(String, String)> {
        let of_pair = |pair: &Value| {
            let mut names = [0, 1].map(|one| pair["features"][one]["name"].to_string());
            names.sort();
            // The order of the features depends on the ranking, and the last digits on the order.
            (names.join(" "), format!("{:.6}", pair["statistic"].as_f64().unwrap()))
        };
        let mut all: Vec<_> = found["pairs"].as_array().unwrap().iter().map(of_pair).collect();
        all.sort();
        all
    };
    let own = "cohort.bed --covar covar.txt --covar-name PC1-PC2,sex";
    let adjusted = json(own);
    let told = &adjusted["data"]["covariates"];
    assert_eq!(told["names"].as_array().unwrap().len(), 3);
    assert_eq!((&told["in_models"], &told["residuals"]), (&Value::Bool(true), &Value::Null));
    assert_eq!(adjusted["covariates_in_models"], true);
    assert_eq!(adjusted["covariates_in_ranking"], false);
    assert_eq!(adjusted["tested"], 36);
    assert_eq!(adjusted["statistic"], "likelihood ratio");
    // The table of the same data gives the same tests, and so do covariates that also affect the ranking, for all pairs.
    let table =
        json("table.csv --target phenotype --genotype all --drop age --covar-name PC1,PC2,sex");
    assert_eq!(statistics(&table), statistics(&adjusted));
    for (options, words) in [
        ("--caliper 5", "for the ranking, rows are matched within 5 SD"),
        ("--covar-distance", "for the ranking, included in the distance"),
    ] {
        let ranked = json(&format!("{own} {options}"));
        assert_eq!(statistics(&ranked), statistics(&adjusted), "{options}");
        assert_eq!(ranked["covariates_in_ranking"], true, "{options}");
        let text =
            place.line(&format!("pairs {own} {options} --quiet")).done().replace("\n  ", " ");
        for part in [words, "covariates PC1, PC2, sex: in both models of each test; "] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("without the covariates"), "{text}");
    }
    let plain = json("cohort.bed");
    assert_eq!(plain["covariates_in_models"], false);
    assert!(plain["covariates_in_ranking"].is_null() && plain["data"]["covariates"].is_null());
    assert_ne!(statistics(&plain), statistics(&adjusted));
    let text = place.line(&format!("pairs {own} --report pairs.html --quiet")).done();
    for part in [
        "covariates PC1, PC2, sex: in both models of each test\n",
        "paired: the best 9 features, ranked without the covariates\n",
        "likelihood ratio with the covariates in both models (bits:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = place.read("pairs.html");
    for part in ["in both models of each test", "Both models contain the covariates"] {
        assert!(page.contains(part), "{part}");
    }
    // Parts of the rows, permutations, and a ranking in a file.
    let split = json(&format!("{own} --top 5 --split 0.5"));
    assert_eq!((&split["caution"], &split["tested"]), (&Value::Null, &Value::from(10)));
    let permuted = json(&format!("{own} --top 5 --permutations 19 --within sex"));
    assert!(permuted["pairs"][0]["adjusted_p_value"].is_number());
    assert!(
        permuted["caution"]
            .as_str()
            .unwrap()
            .ends_with("--split 0.5 ranks and tests on different rows")
    );
    place.line("rank cohort.bed --format json --output ranking.json --quiet").done();
    let from = json(&format!("{own} --from ranking.json"));
    assert_eq!(statistics(&from), statistics(&adjusted));
    assert!(from["covariates_in_ranking"].is_null());
    for option in ["--caliper 1", "--covar-distance"] {
        let refused = place.line(&format!("pairs {own} --from ranking.json {option}")).refused();
        assert!(refused.contains("cannot be used with"), "{refused}");
    }
    // A file that is named for its strata alone has no covariates.
    let strata = json("cohort.bed --covar covar.txt --within sex --permutations 19");
    assert_eq!(strata["covariates_in_models"], false);
    // Rows of different strata are not comparable.
    assert!(strata["pairs"][0]["p_value"].is_null() && plain["pairs"][0]["p_value"].is_number());
    assert_eq!(statistics(&strata), statistics(&plain));
    // Residuals choose features only by a ranking in a file.
    let refused = place.line(&format!("pairs {own} --residuals")).refused();
    for part in ["--residuals", "omit the option", "basrelief rank", "--from"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    place
        .line(&format!(
            "rank {own} --residuals --format json --output ranking.json --force --quiet"
        ))
        .done();
    assert_eq!(json(&format!("{own} --from ranking.json --top 5"))["tested"], 10);
    // A numeric target.
    let real =
        json("table.csv --target age --drop phenotype,PC2 --genotype all --covar-name PC1,sex");
    assert_eq!(real["statistic"], "F of the product term");
    let pair = &real["pairs"][0];
    assert_eq!(pair["residual_df"], 120 - 6, "{pair}");
}

#[test]
fn tests_of_pairs_refuse_what_covariates_make_invalid() {
    let place = Place::new();
    write(&place);
    let own = "pairs cohort.bed --covar covar.txt --covar-name PC1";
    for option in ["", "--caliper 0.7", "--covar-distance"] {
        let line = format!("{own} --top 5 --permutations 19 {option}");
        let refused = place.line(&format!("{line} --permute-all")).refused();
        for part in ["--permute-all", "p-values are not valid", "--split 0.5"] {
            assert!(refused.contains(part), "{option}: {part}: {refused}");
        }
        place.line(&format!("{own} --top 5 {option} --split 0.5 --quiet")).done();
    }
    // Three classes.
    let table = place.read("table.csv");
    let mut lines = table.lines();
    let head = lines.next().unwrap();
    let lines = lines.enumerate().map(|(row, line)| match row % 3 {
        0 => format!("{}other\n", &line[..line.rfind(',').unwrap() + 1]),
        _ => format!("{line}\n"),
    });
    place.file("three.csv", format!("{head}\n{}", lines.collect::<String>()));
    let three = "pairs three.csv --target phenotype --genotype all --drop age,PC2,sex";
    let refused = place.line(&format!("{three} --covar-name PC1")).refused();
    for part in ["3 classes", "two classes", "--within"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    let three = three.replace(",sex", "");
    place.line(&format!("{three},PC1 --permutations 9 --within sex --top 4 --quiet")).done();
}

/// What the covariates determine leaves nothing to permute; the message says why, and what it advises runs.
#[test]
fn covariates_that_determine_the_target_are_refused() {
    let place = Place::new();
    write(&place);
    let same: String = (0..PEOPLE)
        .map(|person| {
            let status = u8::from(is_case(person));
            format!("f{person} i{person} {status} {} s{}\n", age(person), person % 40)
        })
        .collect();
    place.file("same.txt", format!("FID IID status age site\n{same}"));
    let rank = "rank cohort.bed --covar same.txt --caliper 3 --permutations 20 --covar-name";
    let refused = place.line(&format!("{rank} status,age")).refused();
    for part in ["separate classes", "nothing to permute", "exclude the covariate"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    place.line(&format!("{rank} age --quiet")).done();
    let refused = place.line(&format!("{rank} site")).refused();
    for part in ["40 parameters", "120 rows", "use fewer covariates"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
}

/// Errors about a covariate name the file of covariates.
#[test]
fn a_covariate_that_others_determine_is_found_in_its_file() {
    let place = Place::new();
    write(&place);
    let lines = place.read("covar.txt");
    let doubled = lines.lines().enumerate().map(|(number, line)| {
        let age = line.split(' ').nth(2).unwrap();
        format!("{line} {}\n", if number == 0 { "months" } else { age })
    });
    place.file("doubled.txt", doubled.collect::<String>());
    let line = "rank cohort.bed --covar doubled.txt --covar-name age,months --residuals";
    let message = place.line(line).refused();
    assert!(message.contains("doubled.txt, column `months`"), "{message}");
}

/// A column of strata among all covariates of a file is not one of them, which is reported.
#[test]
fn residuals_do_not_depend_on_the_seed() {
    let place = Place::new();
    write(&place);
    let own = "--covar covar.txt --covar-name PC1 --residuals";
    let of_seed =
        |seed: u64| weights(&ranked(&place, "cohort.bed", &format!("{own} --seed {seed}")));
    assert_eq!(of_seed(4), of_seed(5));
    assert_eq!(of_seed(4).1["residuals"], "quantile");
    let within =
        place.line("rank cohort.bed --covar covar.txt --residuals --within sex --permutations 20");
    assert!(within.err.contains("`sex` contains the groups of --within"), "{}", within.err);
    let named = place.line(
        "rank cohort.bed --covar covar.txt --covar-name age-sex --residuals --within sex --permutations 20",
    );
    assert!(!named.err.contains("contains the groups"), "{}", named.err);
    named.done();
    let refused = place.line(&format!("rank cohort.bed {own}=quantile")).refused();
    assert!(refused.contains("--residuals"), "{refused}");
}
