//! `sets`: genes, pathways and chromosomes, each a fit of its own.

use serde_json::Value;

use crate::Place;

/// A cohort whose pair lies in one block, and its genes: the block of the pair, and others.
fn cohort(place: &Place) -> (String, String) {
    let line = "synth cohort --rows 400 --variants 60 --block 10 --main 0 --main-heritability 0 --heritability 0.7 \
                --minor-allele-frequency 0.5 --seed 2 --output cohort.bed --truth truth.json";
    place.line(line).done();
    let truth: Value = serde_json::from_str(&place.read("truth.json")).unwrap();
    let pair = truth["interacting"][0].as_array().unwrap().iter();
    let pair: Vec<String> = pair.map(|name| name.as_str().unwrap().to_string()).collect();
    (pair[0].clone(), pair[1].clone())
}

fn json(place: &Place, options: &str) -> Value {
    let run = place.line(&format!("sets cohort.bed {options} --format json --quiet"));
    serde_json::from_str(&run.done()).unwrap()
}

#[test]
fn the_set_of_the_pair_leads() {
    let place = Place::new();
    let (a, b) = cohort(&place);
    let others: Vec<String> = (1..=60)
        .map(|variant| format!("snp{variant}"))
        .filter(|name| *name != a && *name != b)
        .collect();
    let mut text = format!("pair {a}\npair {b}\npair {}\n", others[0]);
    for (number, name) in others.iter().enumerate().skip(1) {
        text.push_str(&format!("noise{} {name}\n", number % 5));
    }
    place.file("sets.txt", format!("{text}noise0 snp99\nempty snp98\n"));
    let options = "--sets sets.txt --genotype-diff categorical --neighbors 30 --permutations 99";
    let found = json(&place, options);
    let sets = found["sets"].as_array().unwrap();
    assert_eq!(sets.len(), 6);
    assert_eq!((&sets[0]["set"], &sets[0]["p"]), (&"pair".into(), &0.01.into()));
    assert!(sets[0]["adjusted"].as_f64().unwrap() < 0.1);
    let best = |set: &Value| set["best_weight"].as_f64().unwrap();
    assert!(best(&sets[0]) > 5.0 * best(&sets[1]), "{sets:?}");
    let features = sets[0]["features"].as_array().unwrap();
    assert_eq!(features.len(), 3);
    let best: Vec<&str> =
        features[..2].iter().map(|feature| feature["name"].as_str().unwrap()).collect();
    assert!(best.contains(&a.as_str()) && best.contains(&b.as_str()));
    assert!(features[0]["chrom"].is_string() && features[0]["pos"].is_u64());
    // The weights are those of a fit to the set's variants alone.
    place.file("list.txt", format!("{a}\n{b}\n{}\n", others[0]));
    let alone = place.line(
        "rank cohort.bed --extract list.txt --genotype-diff categorical --neighbors 30 --format json --quiet",
    );
    let alone: Value = serde_json::from_str(&alone.done()).unwrap();
    let weights = |features: &Value| -> Vec<(String, f64)> {
        let features = features.as_array().unwrap().iter();
        let mut all: Vec<(String, f64)> = features
            .map(|one| (one["name"].to_string(), one["weight"].as_f64().unwrap()))
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    };
    assert_eq!(weights(&sets[0]["features"]), weights(&alone["features"]));
    // The same bits for any number of threads.
    assert_eq!(json(&place, &format!("{options} --threads 1"))["sets"], found["sets"]);
    let told = place.line(&format!("sets cohort.bed {options} --top 2"));
    assert!(told.err.contains("2 of the variants in sets.txt"), "{}", told.err);
    assert!(told.err.contains("1 of the 7 sets"), "{}", told.err);
    let text = told.done();
    assert!(text.contains("adjusted (min-P)") && text.contains("4 more sets"), "{text}");
    let csv = place.line(&format!("sets cohort.bed {options} --format csv --quiet")).done();
    assert_eq!(csv.lines().count(), 1 + 60);
    assert!(
        csv.starts_with(
            "rank,set,best_weight,p,q,adjusted,feature,weight,CHROM,POS,ID,A1\n1,pair,"
        )
    );
}

#[test]
fn ranges_chromosomes_and_tables_make_sets() {
    let place = Place::new();
    cohort(&place);
    let by_chromosome = json(&place, "--by-chromosome");
    let sets = by_chromosome["sets"].as_array().unwrap();
    let sizes: usize = sets.iter().map(|set| set["features"].as_array().unwrap().len()).sum();
    assert_eq!(sizes, 60);
    let first = &sets[0]["features"][0];
    let (chromosome, position) = (first["chrom"].as_str().unwrap(), first["pos"].as_u64().unwrap());
    place.file("genes.txt", format!("{chromosome} {position} {position} one\n1 1 999999999 all\n"));
    let found = json(&place, "--sets genes.txt");
    let one = found["sets"].as_array().unwrap().iter().find(|set| set["set"] == "one").unwrap();
    assert_eq!(one["features"].as_array().unwrap().len(), 1);
    assert_eq!(one["features"][0]["name"], first["name"]);
    place.file("small.csv", crate::small_table());
    place.file("columns.txt", "numbers x1\nnumbers x2\ncolors color\n");
    let text = place.line("sets small.csv --target class --sets columns.txt").done();
    assert!(text.contains("numbers") && text.contains("--permutations"), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new();
    cohort(&place);
    place.file("small.csv", crate::small_table());
    place.file("genes.txt", "1 1 99 a\n");
    place.file("wrong.txt", "1 9 3 a\n");
    for (options, parts) in [
        ("cohort.bed", &["--sets", "--by-chromosome"][..]),
        ("small.csv --target class --by-chromosome", &["no chromosome"]),
        ("small.csv --target class --sets genes.txt", &["no chromosome", "line 1"]),
        ("cohort.bed --sets wrong.txt", &["wrong.txt", "line 1", "before it begins"]),
        ("cohort.bed --sets none.txt", &["none.txt"]),
        ("cohort.bed --sets genes.txt --output genes.txt", &["--output", "also read by --sets"]),
    ] {
        let refused = place.line(&format!("sets {options}")).refused();
        for part in parts {
            assert!(refused.contains(part), "{options}: {part}: {refused}");
        }
    }
}
