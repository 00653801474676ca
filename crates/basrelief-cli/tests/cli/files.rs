//! Outputs that would destroy an input or another output are refused, and no file changes.

use std::collections::BTreeMap;

use crate::{Place, small_table};

/// A table, a model of it, a cohort with files of all kinds, a ranking and a job.
fn place() -> Place {
    let place = Place::of_user();
    place.file("data.csv", small_table());
    place.line("fit data.csv --target class --drop color --model m.basrelief --quiet").done();
    place.line("fit data.csv --target class --drop color --model m.json --quiet").done();
    let cohort = "synth cohort --rows 100 --variants 60 --main 1 --quiet";
    place.line(&format!("{cohort} --output c.bed")).done();
    let fam = place.read("c.fam");
    let people = |tail: &str| -> String {
        let ids = fam.lines().zip(0..).map(|(line, row)| {
            let mut words = line.split_whitespace();
            let (family, person) = (words.next().unwrap(), words.next().unwrap());
            format!("{family} {person}{}\n", tail.replace('?', &(row * 7 % 11).to_string()))
        });
        ids.collect()
    };
    place.file("people.txt", people(""));
    place.file("pheno.txt", format!("FID IID height\n{}", people(" ?.5")));
    place.file("covar.txt", format!("FID IID age\n{}", people(" ?")));
    let bim = place.read("c.bim");
    let names: String =
        bim.lines().map(|line| format!("{}\n", line.split_whitespace().nth(1).unwrap())).collect();
    place.file("variants.txt", &names);
    place.line("rank data.csv --target class --format csv --output ranking.csv --quiet").done();
    place.line("plan data.csv --target class --parts 2 --output job").done();
    place.line("run job --quiet").done();
    place
}

/// Contents of all files, those in folders included.
fn contents(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![place.path("")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let content = std::fs::read(&path).unwrap();
                    all.insert(path.to_string_lossy().into_owned(), content);
                }
            }
        }
    }
    all
}

fn assert_refused(place: &Place, cases: &[(&str, &str)]) {
    let before = contents(place);
    for (line, words) in cases {
        let message = place.line(line).refused();
        assert!(message.contains(words), "{line}: no `{words}` in: {message}");
        assert!(contents(place) == before, "{line} changed a file");
    }
}

#[test]
fn outputs_that_share_a_file_are_refused() {
    let place = place();
    assert_refused(
        &place,
        &[
            (
                "synth cohort --output y.bed --truth y.fam",
                "option --truth: y.fam is also written by --output; name another file",
            ),
            ("synth cohort --output y.bed --truth y.bim", "y.bim is also written by --output"),
            ("synth cohort --output y.bed --truth y.cov", "y.cov is also written by --output"),
            ("synth cohort --output y.bed --truth ./y.bed", "./y.bed is also written by --output"),
            ("synth xor --output y.csv --truth job/../y.csv", "y.csv is also written by --output"),
            (
                "rank data.csv --target class --output r.json --report r.html --report-json r.json",
                "option --report-json: r.json is also written by --output",
            ),
            (
                "fit data.csv --target class --drop color --model a.svg --figure a.svg",
                "option --figure: a.svg is also written by --model",
            ),
            (
                "fit data.csv --target class --drop color --model a.json --report r.html --report-json a.json",
                "option --report-json: a.json is also written by --model",
            ),
            (
                "quality c.bed --format csv --output a.csv --write-snplist a.csv",
                "option --write-snplist: a.csv is also written by --output",
            ),
            (
                "quality c.bed --king-table a.txt --write-snplist a.txt",
                "option --king-table: a.txt is also written by --write-snplist",
            ),
            (
                "evaluate data.csv --target class --drop color --output e --report r.html --report-json e/results.json",
                "there is no folder e",
            ),
        ],
    );
    std::fs::create_dir(place.path("e")).unwrap();
    let evaluate = "evaluate data.csv --target class --drop color --output e --report r.html";
    let rank = "rank data.csv --target class --permutations 20 --resume e --format json";
    assert_refused(
        &place,
        &[
            (
                &format!("{evaluate} --report-json e/results.json"),
                "option --report-json: e/results.json is also written by --output",
            ),
            (
                &format!("{evaluate} --report-json e/options.json"),
                "e/options.json is also written by --output",
            ),
            (
                &format!("{rank} --output e/permutations.json"),
                "option --resume: e/permutations.json is also written by --output",
            ),
        ],
    );
}

#[test]
fn outputs_that_are_read_are_refused_with_the_option_of_the_file() {
    let place = place();
    let rank = "rank c.bed --format csv";
    assert_refused(
        &place,
        &[
            ("rank data.csv --target class --output data.csv", "data.csv is the data file itself"),
            (&format!("{rank} --output c.fam"), "option --output: c.fam is the data file itself"),
            (
                &format!("{rank} --pheno pheno.txt --output pheno.txt"),
                "option --output: pheno.txt is also read by --pheno; name another file",
            ),
            (
                &format!("{rank} --keep people.txt --output people.txt"),
                "people.txt is also read by --keep",
            ),
            (
                &format!("{rank} --remove people.txt --output people.txt"),
                "people.txt is also read by --remove",
            ),
            (
                &format!("{rank} --extract variants.txt --output variants.txt"),
                "variants.txt is also read by --extract",
            ),
            (
                "quality c.bed --exclude variants.txt --write-snplist variants.txt",
                "option --write-snplist: variants.txt is also read by --exclude",
            ),
            (
                "quality c.bed --keep people.txt --write-snplist people.txt",
                "option --write-snplist: people.txt is also read by --keep",
            ),
            (
                &format!("{rank} --covar covar.txt --residuals --output covar.txt"),
                "covar.txt is also read by --covar",
            ),
            (
                "pairs data.csv --target class --from ranking.csv --output ranking.csv",
                "ranking.csv is also read by --from",
            ),
            (
                "sets c.bed --sets variants.txt --format csv --output variants.txt",
                "variants.txt is also read by --sets",
            ),
            ("export m.basrelief --output m.basrelief", "m.basrelief is the model file itself"),
            ("export m.json --output m.npy", "option --output: m.json is the model file itself"),
            (
                "transform m.basrelief data.csv --output ./m.basrelief",
                "m.basrelief is the model file itself",
            ),
            ("merge job --format csv --output data.csv", "data.csv is the data file itself"),
            ("merge job --output job/plan.json", "job/plan.json is a file of the job"),
            (
                "merge job --format csv --output ./job/sums-1.part",
                "option --output: ./job/sums-1.part is a file of the job",
            ),
        ],
    );
    place.line("merge job --output job/ranking.json").done();
}

/// All names of a file are the file.
#[cfg(unix)]
#[test]
fn links_to_files_are_the_files() {
    let place = place();
    for name in ["data.csv", "people.txt", "c.fam", "m.basrelief"] {
        std::fs::hard_link(place.path(name), place.path(&format!("hard-{name}"))).unwrap();
        std::os::unix::fs::symlink(place.path(name), place.path(&format!("soft-{name}"))).unwrap();
    }
    for kind in ["hard", "soft"] {
        assert_refused(
            &place,
            &[
                (
                    &format!("rank data.csv --target class --output {kind}-data.csv"),
                    &format!("{kind}-data.csv is the data file itself"),
                ),
                (
                    &format!("rank c.bed --format csv --output {kind}-c.fam"),
                    "is the data file itself",
                ),
                (
                    &format!("quality c.bed --keep people.txt --write-snplist {kind}-people.txt"),
                    "is also read by --keep",
                ),
                (
                    &format!("synth xor --output data.csv --truth {kind}-data.csv"),
                    "is also written by --output",
                ),
                (&format!("transform m.basrelief data.csv --output {kind}-m.basrelief"), ""),
            ],
        );
    }
    // Devices are no files that could be destroyed.
    let line = "quality c.bed --format csv --output /dev/null --write-snplist /dev/null --quiet";
    place.line(line).done();
}

/// A shell that appends the result to a file of the command.
#[cfg(target_os = "linux")]
#[test]
fn files_that_exist_are_replaced_only_with_force() {
    let place = place();
    let lines = [
        ("o.txt", "rank data.csv --target class --output o.txt"),
        ("o.txt", "methods --output o.txt"),
        ("o.csv", "select data.csv --target class --top 1 --output o.csv"),
        ("o.csv", "transform m.basrelief data.csv --output o.csv"),
        ("o.npy", "export m.basrelief --output o.npy"),
        ("o.json", "export m.basrelief --output o.npy"),
        ("o.model", "fit data.csv --target class --drop color --model o.model"),
        (
            "o.svg",
            "fit data.csv --target class --drop color --components 2 --model n.basrelief --figure o.svg",
        ),
        ("o.csv", "synth xor --output o.csv"),
        ("o.json", "synth xor --output s.csv --truth o.json"),
        ("o.fam", "synth cohort --rows 100 --variants 60 --main 1 --output o.bed"),
        ("o.html", "rank data.csv --target class --report o.html"),
        ("o.json", "rank data.csv --target class --report p.html --report-json o.json"),
        ("o.snps", "quality c.bed --write-snplist o.snps"),
        ("o.kin0", "quality c.bed --king-table o.kin0"),
        ("o.json", "stability data.csv --target class --output o.json"),
        ("o.csv", "pairs data.csv --target class --output o.csv"),
        ("o.txt", "sets data.csv --target class --sets sets.txt --output o.txt"),
        ("o.txt", "merge job --output o.txt"),
        ("d/epistasis-ranking.csv", "demo --output d"),
        ("d/basrelief-rank.1", "man --output d"),
    ];
    place.file("sets.txt", "one x1\none x2\n");
    std::fs::create_dir(place.path("d")).unwrap();
    for (file, line) in lines {
        place.file(file, "mine");
        let before = contents(&place);
        let message = place.line(line).refused();
        assert!(message.contains(file.rsplit('/').next().unwrap()), "{line}: {message}");
        let advice = "the file exists; name another file, or replace it with --force";
        assert!(message.contains(advice), "{line}: {message}");
        assert_eq!(place.read(file), "mine", "{line}");
        // The pages of `man` are written one by one.
        assert!(contents(&place) == before || line.starts_with("man"), "{line} changed a file");
        // The advice, and the variable that stands for it.
        let forced = place.line(&format!("{line} --force"));
        assert_eq!(forced.code, Some(0), "{line}: {}", forced.err);
        assert_ne!(std::fs::read(place.path(file)).unwrap(), b"mine", "{line}");
        place.file(file, "mine");
        let words: Vec<&str> = line.split_whitespace().collect();
        let forced = |value| place.command(&words).env("BASRELIEF_FORCE", value).output().unwrap();
        assert_eq!(forced("0").status.code(), Some(2), "{line}");
        assert_eq!(forced("yes").status.code(), Some(2), "{line}");
        assert_eq!(place.read(file), "mine", "{line}");
        assert_eq!(forced("1").status.code(), Some(0), "{line}");
        assert_ne!(std::fs::read(place.path(file)).unwrap(), b"mine", "{line}");
        for file in ["p.html", "n.basrelief", "s.csv"] {
            let _ = std::fs::remove_file(place.path(file));
        }
        for (path, _) in contents(&place) {
            let name =
                std::path::Path::new(&path).file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with("o.") {
                std::fs::remove_file(path).unwrap();
            }
        }
    }
    // Devices, and pipes, may always be written; an input never.
    place.line("rank data.csv --target class --output /dev/null").done();
    let out = place.line("rank data.csv --target class --format csv --output /dev/stdout").done();
    assert!(out.starts_with("rank,"), "{out}");
    assert_refused(
        &place,
        &[("rank data.csv --target class --output data.csv --force", "the data file itself")],
    );
}

#[test]
fn standard_output_is_an_output() {
    let place = place();
    let before = place.read("data.csv");
    for (redirected, line) in [
        ("data.csv", "select data.csv --target class --top 1"),
        ("t.json", "synth xor --truth t.json"),
    ] {
        let path = place.path(redirected);
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = place.command(&words).stdout(file).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap().replace("\n  ", " ");
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("standard output is written to the same file"), "{message}");
    }
    assert_eq!(place.read("data.csv"), before);
    assert_eq!(place.read("t.json"), "");
    // Where the data come from standard input, their file is known, too.
    let file = std::fs::File::open(place.path("data.csv")).unwrap();
    let words = ["rank", "-", "--input-format", "csv", "--target", "class", "--output", "data.csv"];
    let output = place.command(&words).stdin(file).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(place.read("data.csv"), before);
}
