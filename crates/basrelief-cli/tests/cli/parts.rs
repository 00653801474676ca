//! `plan`, `run` and `merge`: parts in any order give the ranking of `rank`; what does not fit is refused.

use std::process::Stdio;

use serde_json::Value;

use crate::{Place, small_table};

/// Numbers, categories, genotypes, gaps and ties.
fn table(rows: usize) -> String {
    let mut text = "x,tenths,color,snp,y,class\n".to_string();
    for row in 0..rows {
        let class = ["yes", "no", "maybe"][row * row % 7 % 3];
        let x = if row % 11 == 3 {
            String::new()
        } else {
            format!("{:.3}", (row as f64 * 0.618).fract())
        };
        let color = if row % 13 == 5 { "" } else { ["red", "green", "blue"][row * 5 % 3] };
        let (tenths, snp, y) = (row * 7 % 20, row * row % 3, row * 37 % 101);
        text.push_str(&format!(
            "{x},{}.{},{color},{snp},{y}.5,{class}\n",
            tenths / 10,
            tenths % 10
        ));
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.file("data.csv", table(600));
    place
}

/// The table with a column of subjects and a column of weights, some of which are 0.
fn place_with_roles() -> Place {
    let place = Place::new();
    let of_row = |(row, line): (usize, &str)| match row {
        0 => format!("{line},subject,weight\n"),
        _ => format!("{line},s{},{}\n", row * row % 173, [0.5, 1.0, 2.0, 3.5, 0.0][row % 5]),
    };
    place.file("data.csv", table(400).lines().enumerate().map(of_row).collect::<String>());
    place
}

/// Groups, weights and priors count in parts as in `rank`; a merge reports them.
#[test]
fn roles_of_rows_in_parts_make_the_ranking() {
    let place = place_with_roles();
    for (at, options) in [
        "--target class --drop y,weight --group subject --seed 2",
        "--target y --drop class,weight --group subject --group-weight rows --method multisurf",
        "--target class --drop y,subject --row-weight weight --neighbors 5 --ties first",
        "--target class --drop y,subject,weight --priors uniform --method surf",
        "--target class --drop y --group subject --row-weight weight --permutations 30 --alpha 0.1 \
         --priors yes=0.5,no=0.25,maybe=0.25",
        "--target y --drop class --row-weight weight --group subject --permutations 25 --alpha 0.1 \
         --method rrelieff --sided two",
        "--target class --drop subject,weight --covar-name y --caliper 0.8 --permutations 20 --alpha 0.1",
        "--target class --drop subject,weight --covar-name y --covar-distance --permutations 20 --alpha 0.1",
        "--target y --drop class,subject,weight --covar-name x --residuals --drop-missing-covar \
         --method multisurf",
    ]
    .into_iter()
    .enumerate()
    {
        let job = format!("job{at}");
        let plan = format!("plan data.csv {options} --parts 4 --block-rows 256 --output {job}");
        place.line(&plan).done();
        place.line(&format!("run {job}")).done();
        for format in ["json", "table"] {
            let whole = place.line(&format!("rank data.csv {options} --format {format}")).done();
            assert_merged(&place, &job, format, &whole, options);
        }
    }
}

/// What a part reads must have the roles of the plan, and a map has none.
#[test]
fn other_roles_of_rows_are_refused() {
    let place = place_with_roles();
    let options = "--target class --drop y,weight --group subject";
    place.line(&format!("plan data.csv {options} --parts 2 --output job")).done();
    let changed = place.read("data.csv").replace(",s9,", ",s8,");
    place.file("other.csv", changed);
    let message = place.line("run job --data other.csv").refused();
    assert!(message.contains("the groups of rows are not what they were"), "{message}");
    for (roles, words) in [
        ("--method lfe --drop y,weight,color --group subject", "option --group: lfe learns a map"),
        ("--method lfe --drop y,color,subject --row-weight weight", "option --row-weight: lfe"),
        ("--method lfe --drop y,color,subject,weight --priors uniform", "option --priors: lfe"),
        ("--method irelief --drop y,weight --group subject", "irelief does not use groups of rows"),
        ("--drop y,weight --group-weight rows", "option --group-weight: there are no groups"),
        (
            "--method lfe --drop subject,color,weight --covar-name y --caliper 1",
            "option --covar: lfe learns a map",
        ),
    ] {
        let plan = format!("plan data.csv --target class {roles} --parts 2 --output none");
        let message = place.line(&plan).refused();
        assert!(message.contains(words), "{message}");
        assert!(!place.path("none").exists(), "{roles}");
    }
}

/// The text of a plan that was changed, with the checksum of what it is now.
fn resealed(text: &str) -> String {
    let body = &text[..text.rfind(",\n  \"checksum\"").unwrap()];
    basrelief::checksum::sealed(&format!("{body}\n}}"), "plan.json")
}

/// JSON without facts of the run, and without the warning that only a fit that sees all pairs of neighbors can give.
fn result(json: &str) -> Value {
    let mut all: Value = serde_json::from_str(json).unwrap();
    for name in ["threads", "seconds", "plan", "search"] {
        all.as_object_mut().unwrap().remove(name);
    }
    if let Some(test) = all["permutation_test"].as_object_mut() {
        test.remove("seconds");
    }
    if let Some(warnings) = all["warnings"].as_array_mut() {
        warnings.retain(|warning| warning["code"] != "never-differs");
    }
    all
}

/// The merge of a job prints what `rank` printed.
fn assert_merged(place: &Place, job: &str, format: &str, whole: &str, options: &str) {
    let merged = place.line(&format!("merge {job} --format {format}")).done();
    if format == "json" {
        let text = |json: &str| format!("{:#}", result(json));
        assert_eq!(text(&merged), text(whole), "{options}");
    } else {
        assert_eq!(merged, whole, "{options}");
    }
}

/// The stages of the current iteration of a job with their numbers of parts.
fn stages(place: &Place, job: &str) -> Vec<(String, usize)> {
    let printed = place.line(&format!("run {job} --list --format lines")).done();
    let commands = printed.lines().filter(|line| line.starts_with("basrelief run "));
    let words = commands.map(|line| line.split(' ').map(str::to_string).collect::<Vec<_>>());
    words.map(|words| (words[4].clone(), words[8].parse().unwrap())).collect()
}

#[test]
fn parts_in_any_order_make_the_ranking() {
    let place = place();
    let lines = [
        ("--target class --drop y", &["search", "lists", "sums"][..]),
        (
            "--target class --drop y --neighbors 5 --samples 40 --seed 3 --ties first",
            &["search", "lists", "sums"],
        ),
        ("--target y --drop class", &["search", "lists", "sums"]),
        ("--target class --method surf* --drop y", &["measure", "search", "lists", "sums"]),
        (
            "--target y --method multisurf --drop class --missing ignore",
            &["radii", "search", "lists", "sums"],
        ),
    ];
    for (at, (options, expected)) in lines.into_iter().enumerate() {
        let job = format!("job{at}");
        let printed = place
            .line(&format!(
                "plan data.csv {options} --parts 5 --block-rows 256 --output {job} --threads 1"
            ))
            .done();
        let stages = stages(&place, &job);
        assert!(stages.iter().map(|(name, _)| name).eq(expected), "{printed}");
        for (stage, parts) in stages {
            // From the last to the first, and one again.
            for part in (1..=parts).rev().chain([parts]) {
                place.line(&format!("run {job} --stage {stage} --part {part}")).done();
            }
        }
        for format in ["json", "csv", "table"] {
            let whole = place.line(&format!("rank data.csv {options} --format {format}")).done();
            assert_merged(&place, &job, format, &whole, options);
        }
        let shown = place.line(&format!("merge {job} --top 1 --format csv")).done();
        assert_eq!(shown.lines().count(), 2);
    }
}

/// The page of a merge is that of `rank`, but for the command and the seconds.
#[test]
fn a_merge_writes_the_page_of_rank() {
    let place = place();
    let options = "--target class --drop y,snp --permutations 99";
    place.line(&format!("plan data.csv {options} --parts 2 --output job")).done();
    place.line("run job --quiet").done();
    place.line("merge job --report merged.html --report-json merged.json --no-time").done();
    place.line(&format!("rank data.csv {options} --report whole.html --no-time")).done();
    let lines = |name: &str| place.read(name).lines().map(str::to_string).collect::<Vec<_>>();
    let (merged, whole) = (lines("merged.html"), lines("whole.html"));
    assert_eq!(merged.len(), whole.len());
    let differ: Vec<_> =
        merged.iter().zip(&whole).filter(|(merged, whole)| merged != whole).collect();
    let is_command = |line: &str| line.contains("basrelief ");
    assert!(differ.iter().all(|(own, other)| is_command(own) && is_command(other)), "{differ:#?}");
    let behind: Value = serde_json::from_str(&place.read("merged.json")).unwrap();
    assert!(behind["permutation_test"]["chance_weight"].is_number(), "{behind:#}");
    let place = place.carefully();
    let refused = place.line("merge job --report merged.html").refused();
    assert!(refused.contains("merged.html"), "{refused}");
    let refused = place.line("merge job --report data.csv").refused();
    assert!(refused.contains("data.csv"), "{refused}");
}

/// Permutations are a stage; the merge tests as `rank` does.
#[test]
fn permutations_in_parts_make_the_test() {
    let place = place();
    for (at, options) in [
        "--target class --drop y --permutations 199",
        "--target y --drop color --within class --permutations 99 --alpha 0.1 --correction fdr --seed 4",
        "--target class --method surf --permutations 40 --correction none",
        "--target class --method multisurf --permutations 40 --sided two",
    ]
    .into_iter()
    .enumerate()
    {
        let job = format!("job{at}");
        let plan = format!("plan data.csv {options} --parts 3 --block-rows 256 --output {job}");
        place.line(&plan).done();
        let stages = stages(&place, &job);
        assert_eq!(stages.last(), Some(&("permute".to_string(), 3)), "{stages:?}");
        let refused = place.line(&format!("run {job} --stage permute --part 2")).refused();
        assert!(refused.contains("run stage permute"), "{refused}");
        for (stage, parts) in stages {
            (1..=parts).rev().for_each(|part| {
                place.line(&format!("run {job} --stage {stage} --part {part}")).done();
            });
        }
        let format = ["json", "csv", "table", "json"][at];
        let whole = place.line(&format!("rank data.csv {options} --format {format}")).done();
        assert_merged(&place, &job, format, &whole, options);
        std::fs::remove_file(place.path(&format!("{job}/permute-2.part"))).unwrap();
        let refused = place.line(&format!("merge {job}")).refused();
        assert!(refused.contains("1 of 3 parts of stage permute are missing: 2"), "{refused}");
    }
    for (options, part) in [
        ("--permutations adaptive", "an adaptive test decides after every permutation"),
        ("--permutations 400 --correction min-p", "min-p needs the weights of all permutations"),
        ("--permutations 99 --wrap turf:keep=2", "the weights of a wrapped method"),
        ("--permutations 99 --method irelief", "the weights of irelief are scaled in every fit"),
        ("--permutations 9", "9 are too few"),
    ] {
        let line = format!("plan data.csv --target class --parts 3 --output never {options}");
        let refused = place.line(&line).refused();
        assert!(refused.contains(part), "{refused}");
    }
}

/// Rounds of a wrapped method: a merge plans the next round and says what to run, until it prints the ranking.
#[test]
fn rounds_in_parts_make_the_ranking() {
    let place = place();
    for (at, (options, more, rounds)) in [
        ("--target class --wrap turf:drop=0.4,keep=2", " --block-rows 256", 3),
        ("--target class --method multisurf --drop y --wrap turf:drop=0.1,keep=1", "", 4),
        ("--target y --drop class --samples 40 --seed 3 --wrap turf:drop=0.5,keep=9", "", 1),
        ("--target class --method irelief --max-iter 3 --tol 1e-12 --missing ignore", "", 3),
    ]
    .into_iter()
    .enumerate()
    {
        let job = format!("job{at}");
        let plan = format!("plan data.csv {options} --parts 3{more} --output");
        let mut told = place.line(&format!("{plan} {job}")).done();
        for round in 1..=rounds {
            let most = if options.contains("irelief") { "up to 3" } else { &rounds.to_string() };
            assert!(told.contains(&format!("iteration {round} of {most}: ")), "{told}");
            for (stage, parts) in stages(&place, &job) {
                for part in (1..=parts).rev() {
                    place.line(&format!("run {job} --stage {stage} --part {part}")).done();
                }
            }
            let merged = place.line(&format!("merge {job} --format csv"));
            assert_eq!(merged.code, Some(0), "{}", merged.err);
            if round < rounds {
                assert_eq!(merged.out, "", "the ranking comes at last");
                told = merged.err;
            }
        }
        // Again, and in every format; as one run of all rounds has it.
        place.line(&format!("{plan} {job}-at-once")).done();
        let run = place.line(&format!("run {job}-at-once"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        for format in ["json", "csv", "table"] {
            let whole = place.line(&format!("rank data.csv {options} --format {format}")).done();
            for job in [job.clone(), format!("{job}-at-once")] {
                assert_merged(&place, &job, format, &whole, options);
            }
        }
        let run = place.line(&format!("run {job}-at-once"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert!(!run.err.contains("wrote"), "{}", run.err);
    }
}

#[test]
fn what_does_not_fit_a_round_is_refused() {
    let place = place();
    let plan =
        "plan data.csv --target class --wrap turf:drop=0.4,keep=2 --parts 3 --block-rows 256";
    place.line(&format!("{plan} --output job")).done();
    place.line("run job --stage search").done();
    let message = place.line("merge job").refused();
    assert!(
        message.contains("3 of 3 parts of stage lists of iteration 1 are missing"),
        "{message}"
    );
    for stage in ["lists", "sums"] {
        place.line(&format!("run job --stage {stage}")).done();
    }
    // A file that is in the way of the next round's folder.
    place.file("job/round-2", "");
    let message = place.line("merge job --output ranking.csv").refused();
    assert!(message.contains("job/round-2: cannot create the folder"), "{message}");
    std::fs::remove_file(place.path("job/round-2")).unwrap();
    place.line("merge job --output ranking.csv").done();
    assert!(!place.names().contains(&"ranking.csv".to_string()));
    let message = place.line("merge job --output ranking.csv").refused();
    assert!(message.contains("of stage search of iteration 2 are missing: 1"), "{message}");
    let (first, second) = (place.read("job/plan.json"), place.read("job/round-2/plan.json"));
    place.file("job/round-2/plan.json", &second[..second.len() / 2]);
    let message = place.line("run job").refused();
    assert!(
        message.contains("job/round-2/plan.json: cannot read the plan of iteration 2"),
        "{message}"
    );
    assert!(message.contains("remove the folder job/round-2 and merge"), "{message}");
    place.file("job/round-2/plan.json", &first);
    let message = place.line("run job").refused();
    assert!(message.contains("it is the plan of iteration 1"), "{message}");
    let round: Value = serde_json::from_str(&second).unwrap();
    let digits = round["round"].as_str().unwrap();
    let (head, tail) = digits.split_at(digits.len() / 2);
    for changed in [format!("{head}00{tail}"), format!("{head}zz{}", &tail[2..]), String::new()] {
        place.file("job/round-2/plan.json", resealed(&second.replacen(digits, &changed, 1)));
        let message = place.line("run job").refused();
        assert!(message.contains("is damaged"), "{message}");
    }
    place.file("job/plan.json", resealed(&first.replacen("\"round\"", "\"other\"", 1)));
    let message = place.line("run job").refused();
    assert!(message.contains("its iteration does not match its arguments"), "{message}");
    place.file("job/plan.json", &first);
    std::fs::remove_dir_all(place.path("job/round-2")).unwrap();
    place.line("run job").done();
    place.line("merge job").done();
}

/// Numbers alone, some of which tell the class together.
fn numbers(rows: usize, columns: usize) -> String {
    let names: Vec<String> = (0..columns).map(|column| format!("x{column}")).collect();
    let mut text = format!("{},class\n", names.join(","));
    for row in 0..rows {
        let value = |column: usize| (row as f64 * (0.618 + 0.01 * column as f64)).fract();
        let values: Vec<String> =
            (0..columns).map(|column| format!("{:.3}", value(column))).collect();
        let class = if value(0) + value(1) > 1.0 { "yes" } else { "no" };
        text.push_str(&format!("{},{class}\n", values.join(",")));
    }
    text
}

/// The merge of a map writes the model of `fit`, byte for byte, and prints what it printed.
#[test]
fn parts_in_any_order_make_the_map() {
    let place = Place::new();
    place.file("data.csv", numbers(520, 70));
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    for (at, options) in [
        "--form direct --scale range --components 2",
        "--metric manhattan --scale standard --neighbors 3",
    ]
    .into_iter()
    .enumerate()
    {
        let options = format!("--target class --method lfe {options}");
        let job = format!("job{at}");
        let printed = place
            .line(&format!("plan data.csv {options} --parts 2 --block-rows 256 --output {job}"))
            .done();
        assert!(printed.contains("of 3 pairs of blocks of columns"), "{printed}");
        assert!(
            printed.contains(&format!("basrelief merge {job} --model {job}.basrelief")),
            "{printed}"
        );
        let stages = stages(&place, &job);
        assert!(
            stages.iter().map(|(name, _)| name).eq(["search", "lists", "scatter"]),
            "{printed}"
        );
        for (stage, parts) in stages {
            for part in (1..=parts).rev().chain([parts]) {
                place.line(&format!("run {job} --stage {stage} --part {part}")).done();
            }
        }
        let whole = place.line(&format!("fit data.csv {options} --model whole.basrelief")).done();
        let merged = place.line(&format!("merge {job} --model merged.basrelief")).done();
        assert_eq!(merged, whole);
        assert!(bytes("merged.basrelief") == bytes("whole.basrelief"), "{options}");
        let fit = format!("fit data.csv {options} --model whole.basrelief --format json");
        let merge =
            format!("merge {job} --model merged.basrelief --format json --figure merged.svg");
        let [whole, merged] = [fit, merge].map(|line| place.line(&line).done());
        assert_eq!(format!("{:#}", result(&merged)), format!("{:#}", result(&whole)));
        assert!(place.read("merged.svg").contains("<svg"));
        place.line("transform merged.basrelief data.csv --output mapped.csv").done();
    }
}

#[test]
fn a_map_in_parts_says_which_columns_are_no_complete_numbers() {
    let place = Place::new();
    let table = small_table();
    place.file("colors.csv", table.clone());
    let numbers = table.replace("red", "1").replace("green", "2").replace("blue", "4");
    place.file("gaps.csv", numbers.replacen("30,", ",", 1));
    for (file, words) in [
        (
            "colors.csv",
            "colors.csv: lfe in parts needs numbers, but there are categories in: color;",
        ),
        (
            "gaps.csv",
            "gaps.csv: lfe in parts needs complete data, but values are missing (NaN) in: x1;",
        ),
    ] {
        let line =
            format!("plan {file} --target class --method lfe --form direct --parts 2 --output job");
        let message = place.line(&line).refused();
        assert!(message.contains(words), "no `{words}` in: {message}");
        assert!(
            message.contains("or fit on one machine, which supports such columns"),
            "{message}"
        );
        assert!(!place.names().contains(&"job".to_string()), "nothing is left");
        let fit = format!("fit {file} --target class --method lfe --form direct --model own.model");
        place.line(&fit).done();
    }
}

#[test]
fn what_a_map_in_parts_has_not_is_refused() {
    let place = Place::new();
    place.file("data.csv", numbers(300, 5));
    let plan = "plan data.csv --target class --parts 2 --output job";
    for (options, words) in [
        ("--method lfe", "option --form: auto may use the span of the rows"),
        ("--method lfe --form fast", "use direct, which computes the same map"),
        ("--method lfe --form direct --kernel rbf:rho=1", "lfe in a kernel's space"),
        (
            "--method lfe --form direct --wrap turf",
            "lfe learns a map, and wrappers are only for rankings",
        ),
        ("--method lfe --form direct --permutations 99", "which has no weights to test"),
        ("--method lfe --form direct --samples 9", "lfe does not take it"),
        ("--method relieff --components 2", "relieff does not take it"),
    ] {
        let message = place.line(&format!("{plan} {options}")).refused();
        assert!(message.contains(words), "no `{words}` in: {message}");
        assert!(!place.names().contains(&"job".to_string()), "nothing is left");
    }
    place.line(&format!("{plan} --method lfe --form direct")).done();
    let message = place.line("merge job --model lfe.basrelief").refused();
    assert!(message.contains("of stage search are missing"), "{message}");
    place.line("run job --quiet").done();
    for (options, words) in [
        ("", "option --model: it is not given, and lfe learns a map"),
        ("--model lfe.basrelief --top 3", "option --top: lfe learns a map, not a ranking"),
        ("--model lfe.basrelief --format csv", "CSV is only for rankings"),
        ("--model data.csv", "data.csv"),
    ] {
        let message = place.line(&format!("merge job {options}")).refused();
        assert!(message.contains(words), "no `{words}` in: {message}");
    }
    assert!(!place.names().contains(&"lfe.basrelief".to_string()));
    place.line("merge job --model lfe.basrelief --quiet").done();

    place.line("plan data.csv --target class --parts 2 --output ranking").done();
    place.line("run ranking --quiet").done();
    let read = |name: &str| serde_json::from_str::<Value>(&place.read(name)).unwrap();
    let (mut map, ranking) = (read("job/plan.json"), read("ranking/plan.json"));
    map["plan"] = ranking["plan"].clone();
    map.as_object_mut().unwrap().remove("checksum");
    place.file("job/plan.json", basrelief::checksum::sealed(&map.to_string(), "plan.json"));
    let message = place.line("merge job --model lfe.basrelief").refused();
    assert!(message.contains("its method does not match its arguments"), "{message}");
    for option in ["model lfe.basrelief", "figure map.svg"] {
        let message = place.line(&format!("merge ranking --{option}")).refused();
        assert!(message.contains("relieff computes a ranking, not a map"), "{message}");
    }
}

#[test]
fn what_is_missing_is_named_and_run_alone_completes_it() {
    let place = place();
    place.line("plan data.csv --target class --method surf --drop y --parts 3 --block-rows 256 --output job").done();
    let message = place.line("merge job").refused();
    assert!(message.contains("3 of 3 parts of stage measure are missing: 1, 2, 3"), "{message}");
    place.line("run job --stage measure").done();
    place.line("run job --part 2").done();
    let message = place.line("run job --stage sums --part 1").refused();
    assert!(
        message.contains("cannot run stage sums: 2 of 3 parts of stage search are missing: 1, 3"),
        "{message}"
    );
    assert!(message.contains("basrelief run job --stage search --part 1"), "{message}");
    let message = place.line("merge job --output ranking.json").refused();
    assert!(message.contains("cannot merge its parts: 2 of 3 parts of stage search"), "{message}");
    assert!(!place.names().contains(&"ranking.json".to_string()));
    let outcome = place.line("run job");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    assert!(outcome.err.contains("part 2 of stage search exists"), "{}", outcome.err);
    assert!(outcome.err.contains("part 1 of stage sums in "), "{}", outcome.err);
    let outcome = place.line("run job --part 1");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    place.line("merge job").done();
    for (line, words) in [
        (
            "run job --stage search --part 4",
            "option --part: there is no part 4 of stage search; its parts are 1 to 3",
        ),
        ("run job --stage sums --part 2", "its parts are 1 to 1"),
        ("run data.csv", "cannot read the plan of this job"),
        ("merge nowhere", "cannot read the plan of this job"),
    ] {
        let message = place.line(line).refused();
        assert!(message.contains(words), "no `{words}` in: {message}");
    }
    place
        .line("plan data.csv --target class --drop y --parts 3 --block-rows 256 --output other")
        .done();
    let message = place.line("run other --stage measure").refused();
    assert!(
        message.contains("this plan has no stage measure; its stages are: search, lists, sums"),
        "{message}"
    );
}

#[test]
fn data_that_changed_are_refused() {
    let place = place();
    place
        .line("plan data.csv --target class --drop y --parts 3 --block-rows 256 --output job")
        .done();
    place.line("run job --part 1").done();
    let changed = place.read("data.csv").replacen("0.618", "0.619", 1);
    assert_ne!(changed, place.read("data.csv"));
    place.file("data.csv", &changed);
    let message = place.line("run job --part 2").refused();
    assert!(
        message.contains("data.csv: column `x` is not what it was since the plan was made"),
        "{message}"
    );
    // Where the data are as they were, in another place, all is well.
    place.file("moved.csv", table(600));
    place.line("run job --data moved.csv").done();
    place.line("merge job --data moved.csv").done();
    let message = place.line("merge job").refused();
    assert!(message.contains("the data have changed"), "{message}");
    place.file("data.csv", table(149));
    let message = place.line("merge job").refused();
    assert!(message.contains("600 rows have become 149"), "{message}");
    let message =
        place.line("merge job --data moved.csv --output moved.csv --format csv").refused();
    assert!(message.contains("is the data file itself"), "{message}");
}

#[test]
fn broken_and_foreign_files_are_refused_and_run_again() {
    let place = place();
    for (job, more) in [("job", ""), ("other", " --neighbors 3")] {
        place
            .line(&format!("plan data.csv --target class --drop y --parts 3 --block-rows 256 --output {job}{more}"))
            .done();
        place.line(&format!("run {job} --stage search")).done();
    }
    let bytes = std::fs::read(place.path("job/search-2.part")).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    let mut older = bytes.clone();
    older[16] = b'9';
    let foreign = std::fs::read(place.path("other/search-2.part")).unwrap();
    let wrong_part = std::fs::read(place.path("job/search-3.part")).unwrap();
    for (content, words) in [
        (&bytes[..bytes.len() - 3], "is damaged: its length is not the one in its header"),
        (&flipped, "is damaged: its checksum does not match its contents"),
        (b"", "is damaged: it does not start with the expected header"),
        (&older, "use one version for the plan, all parts and the merge"),
        (&foreign, "is of another plan"),
        (&wrong_part, "of another part than part 2 of stage search"),
    ] {
        place.file("job/search-2.part", content);
        let message = place.line("run job --stage lists --part 1").refused();
        assert!(message.contains("job/search-2.part: the result"), "{message}");
        assert!(message.contains(words), "no `{words}` in: {message}");
        place.line("run job --stage search --part 2").done();
        assert!(std::fs::read(place.path("job/search-2.part")).unwrap() == bytes);
    }
    place.line("run job").done();
    let sums = std::fs::read(place.path("job/sums-1.part")).unwrap();
    place.file("job/sums-1.part", &sums[1..]);
    let message = place.line("merge job").refused();
    assert!(message.contains("job/sums-1.part: the result of a part is damaged"), "{message}");

    let plan = place.read("job/plan.json");
    let version = format!("\"basrelief\": \"{}\"", env!("CARGO_PKG_VERSION"));
    place.file("job/plan.json", plan.replacen(&version, "\"basrelief\": \"0.0.1\"", 1));
    for verb in ["run", "merge"] {
        let message = place.line(&format!("{verb} job")).refused();
        assert!(message.contains("the plan was written by basrelief 0.0.1"), "{message}");
    }
    place.file("job/plan.json", &plan[..plan.len() / 2]);
    let message = place.line("run job").refused();
    assert!(message.contains("cannot read the plan of this job"), "{message}");
}

#[test]
fn parts_run_at_once() {
    let place = place();
    place
        .line("plan data.csv --target class --method multisurf --drop y --parts 2 --block-rows 256 --output job")
        .done();
    let start = |part: &str| {
        let mut command = place.command(&["run", "job", "--stage", "search", "--part", part]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    place.line("run job --stage radii").done();
    // The same part twice, and another.
    let children: Vec<_> = ["1", "2", "1", "1"].into_iter().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    place.line("run job").done();
    let merged = result(&place.line("merge job --format json").done());
    let line = "rank data.csv --target class --method multisurf --drop y --format json";
    assert_eq!(merged, result(&place.line(line).done()));
    let mut left: Vec<String> = std::fs::read_dir(place.path("job"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let of = |stage: &str| [format!("{stage}-1.part"), format!("{stage}-2.part")];
    let mut expected = [of("lists"), of("radii"), of("search")].concat();
    expected.extend(["plan.json".to_string(), "sums-1.part".to_string()]);
    expected.sort();
    assert_eq!(left, expected);
}

#[test]
fn what_cannot_be_planned_is_refused_and_leaves_nothing() {
    let place = Place::new();
    place.file("data.csv", small_table());
    std::fs::create_dir(place.path("full")).unwrap();
    place.file("full/notes.txt", "notes");
    place.file("other.csv", "a file");
    for (line, words) in [
        (
            "--parts 2 --block-rows 256 --output full",
            "full: cannot write a plan to it: it is not empty",
        ),
        ("--parts 0 --block-rows 256 --output job", "give a whole number of at least 1"),
        ("--parts 2 --block-rows 256 --output data.csv", "data.csv is the data file itself"),
        ("--parts 2 --block-rows 256 --output other.csv", "other.csv: cannot create the folder"),
        (
            "--parts 2 --block-rows 256 --output job --wrap vls",
            "option --wrap: `vls` cannot be computed in parts; these can: turf",
        ),
        (
            "--parts 2 --block-rows 256 --output job --wrap turf --wrap vls",
            "a wrapper around a wrapper cannot be computed in parts",
        ),
        (
            "--parts 2 --block-rows 256 --output job --method simba",
            "simba cannot be computed in parts yet; these can: relieff, rrelieff, survival-relief, surf",
        ),
        (
            "--parts 2 --output job --method irelief --mode online",
            "option --mode: online visits one row after the other",
        ),
        (
            "--parts 2 --block-rows 256 --output job --method irelief",
            "option --block-rows: found 256, and blocks of irelief follow from the data alone",
        ),
        (
            "--parts 2 --output job --method irelief --wrap turf",
            "option --wrap: irelief iterates by itself",
        ),
        ("--parts 2 --block-rows 256 --output job --method rrelieff", "rrelieff"),
    ] {
        let message = place.line(&format!("plan data.csv --target class {line}")).refused();
        assert!(message.contains(words), "no `{words}` in: {message}");
        assert!(!place.path("job").exists(), "{line}");
    }
    let message = place
        .line("plan - --input-format csv --target class --parts 2 --block-rows 256 --output job")
        .refused();
    assert!(message.contains("every part reads the data again"), "{message}");
    place.line("plan data.csv --target class --parts 2 --block-rows 256 --output job").done();
    let message = place
        .line("plan data.csv --target class --parts 2 --block-rows 256 --output job")
        .refused();
    assert!(
        message.contains("job: cannot write a plan to it: it already contains a plan"),
        "{message}"
    );
}

/// A queue that runs every task of an array at once, the last one first, and checks what it waits for.
#[cfg(unix)]
const SBATCH: &str = r#"#!/bin/sh
tasks= ; after=
while [ $# -gt 0 ]; do
    case $1 in
        --array=*) tasks=$(seq "${1##*-}" -1 1) ;;
        --dependency=afterok:*) after=${1##*:} ;;
        --wrap) command=$2; shift ;;
        --parsable|--wait|--mem=*|--cpus-per-task=*) ;;
        *) echo "unknown: $1" >&2; exit 1 ;;
    esac
    shift
done
id=$(($(cat last 2>/dev/null || echo 0) + 1))
[ -z "$after" ] || [ "$after" -eq $((id - 1)) ] || { echo "waits for $after" >&2; exit 1; }
for task in ${tasks:-0}; do
    SLURM_ARRAY_TASK_ID=$task sh -e -c "$command" >&2 || exit 1
done
echo $id > last
echo $id
"#;

/// What docs/cluster.md shows: its first commands, those of a map, and its scripts for SLURM.
#[cfg(unix)]
#[test]
fn the_commands_of_the_documentation_run_as_printed() {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cluster.md");
    let page = std::fs::read_to_string(page).unwrap();
    let place = Place::new();
    let program = Path::new(env!("CARGO_BIN_EXE_basrelief")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let shell = |commands: &str| {
        let output = Command::new("sh")
            .args(["-e", "-c", commands])
            .current_dir(place.path(""))
            .env("PATH", format!("{}:{}:{path}", place.path("").display(), program.display()))
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{commands}\n{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let section = |title: &str| page.split_once(&format!("\n## {title}\n")).unwrap().1;
    let commands_with = |end: &str| {
        let blocks = page.split("\n```bash\n").filter_map(|rest| rest.split_once("```\n"));
        blocks.map(|(commands, _)| commands).find(|commands| commands.ends_with(end)).unwrap()
    };
    for part in [&page[..], section("Maps"), section("Groups and weights of rows")] {
        let (_, rest) = part.split_once("\n```bash\n").unwrap();
        let (commands, rest) = rest.split_once("```\n").unwrap();
        let shown = rest.strip_prefix("```text\n").and_then(|rest| rest.split_once("```\n"));
        assert_eq!(shell(commands), shown.unwrap().0, "docs/cluster.md");
    }

    place.file("sbatch", SBATCH);
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("sbatch"), permissions).unwrap();
    let script = page.split_once("<!-- queue.sh -->\n```sh\n").unwrap().1;
    place.file("queue.sh", script.split_once("```\n").unwrap().0);
    let commands = commands_with("\nsh queue.sh slurm\n");
    shell(commands);
    let ranking = result(&place.read("ranking.json"));
    let line = "rank snps.csv --target class --neighbors 100 --format json";
    assert_eq!(ranking, result(&place.line(line).done()));

    std::fs::remove_file(place.path("ranking.json")).unwrap();
    let script = page.split_once("<!-- iterations.sh -->\n```sh\n").unwrap().1;
    place.file("iterations.sh", script.split_once("```\n").unwrap().0);
    let commands = commands_with("\nsh iterations.sh turf\n");
    shell(commands);
    let ranking = result(&place.read("ranking.json"));
    let line =
        "rank snps.csv --target class --neighbors 100 --wrap turf:drop=0.5,keep=20 --format json";
    assert_eq!(ranking, result(&place.line(line).done()));
}
