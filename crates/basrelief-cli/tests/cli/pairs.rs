//! `basrelief pairs`: PLINK as a witness, rankings in files, splits and permutations, and what is refused.

use serde_json::Value;

use crate::{Place, is_there, run_in};

const PEOPLE: usize = 700;
const VARIANTS: usize = 40;

/// Numbers that look random, from 0 to 1.
fn number(one: usize, other: usize) -> f64 {
    let mut mixed = (one as u64) << 32 | other as u64;
    for _ in 0..2 {
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

/// Copies of A1 of a person, or 3 where they are missing: frequent and rare alleles, with and without gaps; every fifth
/// variant is like the one before it.
fn copies(variant: usize, person: usize) -> usize {
    if variant % 3 == 1 && number(variant + 1000, person) < 0.04 {
        return 3;
    }
    let is_linked = variant % 5 == 4 && number(variant + 2000, person) < 0.7;
    let source = if is_linked { variant - 1 } else { variant };
    let frequency = [0.5, 0.3, 0.2, 0.08, 0.03, 0.01][variant % 6];
    (0..2).filter(|&allele| number(10 * source + allele, person + 1) < frequency).count()
}

/// Two variants have effects of their own, and two others act together.
fn is_case(person: usize) -> bool {
    let of = |variant| copies(variant, person) % 3;
    let together = usize::from(of(6) > 0) ^ usize::from(of(13) > 0);
    let risk = 0.25 + 0.1 * of(2) as f64 + 0.08 * of(7) as f64 + 0.35 * together as f64;
    number(77_777, person) < risk
}

fn cohort(place: &Place) {
    let mut bed = vec![0x6c, 0x1b, 1];
    let (mut bim, mut fam) = (String::new(), String::new());
    for variant in 0..VARIANTS {
        let mut bytes = [0; PEOPLE.div_ceil(4)];
        for person in 0..PEOPLE {
            let code = [0b11, 0b10, 0b00, 0b01][copies(variant, person)];
            bytes[person / 4] |= code << (2 * (person % 4));
        }
        bed.extend(bytes);
        bim.push_str(&format!("{} rs{variant} 0 {} A G\n", 1 + variant / 9, 1000 + variant));
    }
    for person in 0..PEOPLE {
        fam.push_str(&format!("f{person} i{person} 0 0 1 {}\n", 1 + usize::from(is_case(person))));
    }
    place.file("cohort.bed", bed);
    place.file("cohort.bim", bim);
    place.file("cohort.fam", fam);
}

/// The cells of CSV by the names of their columns.
fn column<'c>(csv: &'c str, name: &str) -> Vec<&'c str> {
    let place = csv.lines().next().unwrap().split(',').position(|own| own == name);
    let place = place.unwrap_or_else(|| panic!("no column {name} in {csv}"));
    csv.lines().skip(1).map(|line| line.split(',').nth(place).unwrap()).collect()
}

/// Statistics, degrees of freedom and p-values are PLINK's, to its last digit, for all pairs.
#[test]
fn pairs_of_a_cohort_are_those_of_plink() {
    let place = Place::new();
    cohort(&place);
    if !is_there("plink1.9") {
        return;
    }
    let line =
        "--bfile cohort --fast-epistasis boost --epi1 1 --allow-no-sex --keep-allele-order --out x";
    run_in(&place, "plink1.9", line);
    let csv = place.line("pairs cohort.bed --top 1000 --pairs 10000 --format csv -q").done();
    let names = column(&csv, "feature_1").into_iter().zip(column(&csv, "feature_2"));
    let found = column(&csv, "statistic").into_iter().zip(column(&csv, "df"));
    let found = found.zip(column(&csv, "p_value"));
    let in_order = |(one, other)| {
        let number = |name: &str| name[2..].parse::<usize>().unwrap();
        if number(one) < number(other) { (one, other) } else { (other, one) }
    };
    let own: std::collections::HashMap<_, _> = names.map(in_order).zip(found).collect();
    let near = |own: f64, theirs: f64, digits: i32| {
        // Half of the last of so many digits.
        let unit = 10_f64.powf(theirs.abs().log10().floor() - f64::from(digits - 1));
        (own - theirs).abs() <= 0.500_001 * unit
    };
    let (mut compared, mut by_degrees) = (0, [0; 5]);
    for line in place.read("x.epi.cc").lines().skip(1) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, first, _, second, statistic, degrees, p] = fields[..] else { panic!("{line}") };
        if statistic == "nan" {
            assert!(!own.contains_key(&(first, second)), "{line}");
            continue;
        }
        let ((own_statistic, own_degrees), own_p) = own[&(first, second)];
        assert_eq!(own_degrees, degrees, "{line}");
        let [own_statistic, own_p, statistic, p] =
            [own_statistic, own_p, statistic, p].map(|text| text.parse::<f64>().unwrap());
        // What rounding leaves of 0 has no digits, and PLINK calls it impossible where it is negative.
        let is_zero = statistic.abs() < 1e-9 && own_statistic.abs() < 1e-9;
        assert!(is_zero || near(own_statistic, statistic, 6), "{line}: {own_statistic}");
        assert!(near(own_p, p, 4) || is_zero && own_p > 0.9999, "{line}: {own_p}");
        by_degrees[degrees.parse::<usize>().unwrap()] += 1;
        compared += 1;
    }
    assert_eq!(compared, own.len());
    assert!(
        compared > 700 && by_degrees[4] > 300 && by_degrees[2] > 20,
        "{compared} {by_degrees:?}"
    );
    assert_eq!(column(&csv, "CHROM_1").len(), compared);
    // What was made to act together leads.
    let first = csv.lines().nth(1).unwrap();
    assert!(first.contains("rs6") && first.contains("rs13"), "{first}");
}

#[test]
fn rankings_in_files_choose_as_rankings_do() {
    let place = Place::new();
    cohort(&place);
    place.line("rank cohort.bed -q --format json --output ranking.json").done();
    place.line("rank cohort.bed -q --format csv --output ranking.csv").done();
    let direct = place.line("pairs cohort.bed --top 12 --pairs 9 --format csv -q").done();
    assert_eq!(direct.lines().count(), 10);
    for file in ["ranking.json", "ranking.csv"] {
        for threads in [1, 2] {
            let line = format!(
                "pairs cohort.bed --from {file} --top 12 --pairs 9 --format csv --threads {threads} -q"
            );
            assert_eq!(place.line(&line).done(), direct, "{line}");
        }
    }
    let json = place.line("pairs cohort.bed --top 12 --pairs 9 --format json -q").done();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["tested"], 66);
    assert_eq!(json["features"].as_array().unwrap().len(), 12);
    assert!(
        json["caution"].as_str().unwrap().contains("the features were chosen on the same rows")
    );
    let pairs = json["pairs"].as_array().unwrap();
    for (place, pair) in pairs.iter().enumerate() {
        let [first, second] = [0, 1].map(|one| &pair["features"][one]);
        assert_eq!(first["name"], column(&direct, "feature_1")[place]);
        assert_eq!(second["id"], column(&direct, "ID_2")[place]);
        assert_eq!(pair["df"].to_string(), column(&direct, "df")[place]);
        assert_eq!(
            pair["p_value"].to_string().parse::<f64>().ok(),
            column(&direct, "p_value")[place].parse().ok()
        );
        let cells = pair["table"]["counts"].as_array().unwrap().iter();
        let counts =
            cells.flat_map(|row| row.as_array().unwrap()).flat_map(|cell| cell.as_array().unwrap());
        assert_eq!(Some(counts.map(|count| count.as_u64().unwrap()).sum()), pair["rows"].as_u64());
    }
    let out = place.line("pairs cohort.bed --top 12 --pairs 9");
    assert!(out.err.contains("tested 66 pairs"), "{}", out.err);
    assert!(out.err.contains("--split 0.5 ranks and tests on different rows"), "{}", out.err);
    let table = out.done();
    assert!(table.contains("chi2") && table.contains("q (FDR)"), "{table}");
    // All features: nothing was chosen.
    let out = place.line("pairs cohort.bed --top 1000");
    assert!(!out.err.contains("p-values are too small"), "{}", out.err);
}

#[test]
fn splits_and_permutations() {
    let place = Place::new();
    cohort(&place);
    let json = |line: &str| -> Value {
        let out =
            place.line(&format!("pairs cohort.bed --top 10 --pairs 5 --format json -q {line}"));
        serde_json::from_str(&out.done()).unwrap()
    };
    let without_times = |mut json: Value| {
        json["seconds"] = Value::Null;
        json["threads"] = Value::Null;
        json
    };
    for line in ["--split 0.4 --seed 3", "--permutations 30", "--permutations 30 --permute-all"] {
        let found = without_times(json(&format!("{line} --threads 1")));
        assert_eq!(found, without_times(json(&format!("{line} --threads 2"))), "{line}");
        let is_bias = !line.contains("split") && !line.contains("all");
        assert_eq!(found["caution"].is_string(), is_bias, "{line}");
        let adjusted: Vec<Option<f64>> = found["pairs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| pair["adjusted_p_value"].as_f64())
            .collect();
        assert_eq!(adjusted.iter().all(Option::is_some), line.contains("permutations"), "{line}");
        if line.contains("permutations") {
            assert!(adjusted.is_sorted() && adjusted[0] >= Some(1.0 / 31.0), "{adjusted:?}");
        }
    }
    let split = json("--split 0.4 --seed 3");
    let rows = [&split["split"]["rows_that_rank"], &split["split"]["rows_that_test"]];
    let [ranking, testing] = rows.map(|rows| rows.as_u64().unwrap());
    assert_eq!(ranking + testing, PEOPLE as u64);
    assert!(ranking.abs_diff(280) <= 1, "{ranking}");
    let most =
        split["pairs"].as_array().unwrap().iter().map(|pair| pair["rows"].as_u64().unwrap()).max();
    assert!(most <= Some(testing));
    assert_ne!(split["pairs"], json("--split 0.4 --seed 4")["pairs"]);

    // A quantity: F of the product.
    place.file("data.csv", {
        let value = |row: usize, column: usize| number(column + 500, row);
        let lines = (0..200).map(|row| {
            let [a, b, c] = [0, 1, 2].map(|column| value(row, column));
            format!("{a},{b},{c},{}\n", a + 3.0 * (a - 0.5) * (b - 0.5) + value(row, 3) / 2.0)
        });
        format!("a,b,c,y\n{}", lines.collect::<String>())
    });
    let csv = place.line("pairs data.csv --target y --permutations 40 --format csv -q").done();
    assert!(csv.starts_with("feature_1,feature_2,statistic,df,residual_df,p_value"), "{csv}");
    assert_eq!((column(&csv, "df")[0], column(&csv, "residual_df")[0]), ("1", "196"));
    let first = csv.lines().nth(1).unwrap();
    assert!(first.starts_with("a,b,") || first.starts_with("b,a,"), "{first}");
    assert_eq!(column(&csv, "adjusted_p_value")[0].parse::<f64>().unwrap(), 1.0 / 41.0);
}

#[test]
fn pages_show_maps_and_tables() {
    let place = Place::new();
    cohort(&place);
    let line = "pairs cohort.bed --top 12 --pairs 15 --permutations 20 --report page.html --report-json page.json \
                --no-time --force -q";
    place.line(line).done();
    let page = place.read("page.html");
    for words in [
        " of 66 pairs",
        "CHROM:POS A1",
        "adjusted p <span class=\"word\">(max-T)</span>",
        "Heat map of",
        "class=\"mosaic\"",
        "rs6",
        "max-T",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert_eq!(page.matches("class=\"mosaic\"").count(), 12);
    let json: Value = serde_json::from_str(&place.read("page.json")).unwrap();
    assert_eq!(json["pairs"].as_array().unwrap().len(), 15);
    place.line(line).done();
    assert_eq!(place.read("page.html"), page);
}

#[test]
fn the_verdict_is_first_on_the_page_and_last_in_the_terminal() {
    let place = Place::new();
    place.line("synth xor --rows 400 --features 12 --output xor.csv").done();
    let mut null = "a,b,c,y\n".to_string();
    for row in 0..120_usize {
        let class = ["u", "v"][row * 7 % 12 / 6];
        null.push_str(&format!("{},{},{},{class}\n", row % 3, row / 3 % 3, row / 9 % 3));
    }
    place.file("null.csv", null);
    for (data, verdict, is_folded) in [
        ("xor.csv --target class", "1 of 66 pairs is significant (q (FDR) <= 0.05): P", false),
        ("null.csv --target y", "No pair is significant (smallest q ", true),
        (
            "null.csv --target y --permutations 19",
            "No pair is significant (smallest adjusted p (max-T) ",
            true,
        ),
    ] {
        let line =
            format!("pairs {data} --top 12 --pairs 3 --report r.html --report-json r.json --force");
        let text = place.line(&format!("{line} -q")).done();
        let last = text.lines().last().unwrap();
        assert!(last.starts_with(verdict), "{data}: {text}");
        let html = place.read("r.html");
        let (_, answer) = html.split_once("<p class=\"answer\">").unwrap();
        let (answer, rest) = answer.split_once("</p>").unwrap();
        let json: Value = serde_json::from_str(&place.read("r.json")).unwrap();
        assert_eq!(json["verdict"].as_str().unwrap().replace('≤', "<="), last);
        assert_eq!(json["significant"], i32::from(!is_folded));
        // A very small p-value is a bound, on one line; its digits are in the table.
        assert_eq!(
            answer.contains("<span class=\"whole\">p &#60; 1e-16</span>"),
            !is_folded,
            "{answer}"
        );
        assert_eq!(
            rest.matches("<details class=\"fold\"><summary>No pair is").count(),
            2 * usize::from(is_folded)
        );
    }
}

#[test]
fn what_cannot_be_paired_is_refused() {
    let place = Place::new();
    cohort(&place);
    place.file("other.csv", "rank,feature,weight,kind\n1,rs3,0.5,genotype\n2,rs99,0.4,genotype\n");
    place.file("twice.csv", "rank,feature\n1,rs3\n2,rs3\n");
    place.file("names.csv", "rank,name\n1,rs3\n");
    place.file("broken.json", "{\"features\": [\n");
    place.file("none.json", "{\"weights\": []}");
    place.file("empty.json", "{\"features\": []}");
    for (line, words) in [
        ("--from missing.json", vec!["missing.json", "read the ranking"]),
        ("--from other.csv", vec!["other.csv", "line 3", "the data have no feature `rs99`"]),
        ("--from twice.csv", vec!["twice.csv", "line 3", "`rs3` occurs twice"]),
        ("--from names.csv", vec!["names.csv", "line 1", "it has no column `feature`"]),
        ("--from broken.json", vec!["broken.json", "it is not valid JSON"]),
        ("--from none.json", vec!["none.json", "it has no list `features`"]),
        ("--from empty.json", vec!["empty.json", "it contains no features"]),
        ("--from other.csv --neighbors 3", vec!["cannot be used with"]),
        ("--from other.csv --output other.csv", vec!["--output", "is also read by --from"]),
        ("--from other.csv --split 0.5", vec!["cannot be used with"]),
        ("--from other.csv --method surf", vec!["cannot be used with"]),
        ("--permute-all", vec!["--permutations"]),
        ("--permutations 9 --permute-all --split 0.5", vec!["cannot be used with"]),
        ("--split 1", vec!["option --split: 1 is not a share of the rows"]),
        ("--split 0", vec!["option --split: 0 is not a share of the rows"]),
        ("--pairs 0", vec!["--pairs"]),
        ("--permutations 0", vec!["--permutations"]),
        ("--within rs3", vec!["--permutations"]),
    ] {
        let error = place.line(&format!("pairs cohort.bed {line}")).refused();
        for word in words {
            assert!(error.contains(word), "{line}: no `{word}` in {error}");
        }
    }
}

#[cfg(unix)]
#[test]
fn the_page_on_genetics_shows_what_its_commands_give() {
    crate::assert_examples("genetics.md", 2);
}

/// The class is the parity of two columns in 2000 rows: the statistic is 2 n ln 2 with one degree of freedom, and its
/// p-value is too small for a number.
#[test]
fn p_values_too_small_for_numbers_are_known_by_their_logarithms() {
    let place = Place::new();
    let row = |row: usize| {
        let (a, b) = (row % 2, row / 2 % 2);
        format!(
            "{},{},{},{}\n",
            ["x", "y"][a],
            ["x", "y"][b],
            ["x", "y"][row / 4 % 2],
            ["no", "yes"][a ^ b]
        )
    };
    place.file("data.csv", format!("a,b,c,class\n{}", (0..2000).map(row).collect::<String>()));
    let line = "pairs data.csv --target class --neighbors 1000 --pairs 1 --quiet";
    // ln p = ln erfc(sqrt(x / 2)) with x = 4000 ln 2, by the asymptotic series of erfc.
    let half = 2000.0 * std::f64::consts::LN_2;
    let series = 1.0 - 0.5 / half + 0.75 / (half * half);
    let expected =
        (series.ln() - half - 0.5 * (half * std::f64::consts::PI).ln()) / std::f64::consts::LN_10;
    let json: Value =
        serde_json::from_str(&place.line(&format!("{line} --format json")).done()).unwrap();
    let pair = &json["pairs"][0];
    assert_eq!(pair["p_value"].as_f64(), Some(0.0));
    let log10_p = pair["log10_p"].as_f64().unwrap();
    assert!((log10_p - expected).abs() < 1e-3, "{log10_p} {expected}");
    let csv = place.line(&format!("{line} --format csv")).done();
    let place_of =
        csv.lines().next().unwrap().split(',').position(|name| name == "log10_p").unwrap();
    let cell: f64 = csv.lines().nth(1).unwrap().split(',').nth(place_of).unwrap().parse().unwrap();
    assert_eq!(cell, log10_p);
    let exponent = expected.floor();
    let table = place.line(line).done();
    assert!(table.contains(&format!("e{exponent}")), "{table} {exponent}");
    place.line(&format!("{line} --report page.html")).done();
    assert!(place.read("page.html").contains(&format!("e{exponent}")));
}
