//! Files that the program reads back: damaged, of other kinds, in use, or left by a killed run.

use std::process::Stdio;

use crate::{Place, small_table};

const RANK: &str =
    "rank data.csv --target class --permutations 40 --resume kept --format csv --quiet";
const EVALUATE: &str = "evaluate data.csv --target class --folds 2 --k 1 --methods euclidean,relieff --output results --quiet";

fn place() -> Place {
    let place = Place::new();
    place.file("data.csv", small_table());
    place
}

/// Changes bytes of a file one after the other, and asks that the command refuses each.
fn assert_every_byte_counts(place: &Place, file: &str, line: &str) {
    let bytes = std::fs::read(place.path(file)).unwrap();
    let step = (bytes.len() / 40).max(1);
    // The first and the last bytes, and some between.
    let ends = (0..4).chain(bytes.len().saturating_sub(4)..bytes.len());
    for (turn, at) in ends.chain((0..bytes.len()).step_by(step)).enumerate() {
        let mut changed = bytes.clone();
        changed[at] ^= [1, 2, 4, 0x20][turn % 4];
        place.file(file, &changed);
        let outcome = place.line(line);
        assert_eq!(outcome.code, Some(2), "{file}, byte {at}: {}{}", outcome.out, outcome.err);
        let name = file.rsplit('/').next().unwrap();
        assert!(outcome.err.contains(name), "{file}, byte {at}: {}", outcome.err);
    }
    place.file(file, &bytes);
}

#[test]
fn a_changed_byte_of_a_test_is_refused() {
    let place = place();
    let whole = place.line(RANK).done();
    for name in ["kept/permutations.json", "kept/options.json"] {
        assert_every_byte_counts(&place, name, RANK);
    }
    assert_eq!(place.line(RANK).done(), whole);
    // The state of another test, in its own words whole, is of other options.
    place.line(&format!("{RANK} --seed 1").replace("kept", "other")).done();
    place.file("kept/permutations.json", place.read("other/permutations.json"));
    let message = place.line(RANK).refused();
    assert!(message.contains("permutations.json") && message.contains("--resume"), "{message}");
}

#[test]
fn a_changed_byte_of_an_evaluation_is_refused() {
    let place = place();
    let whole = place.line(EVALUATE).done();
    for name in ["results/cells.jsonl", "results/options.json"] {
        assert_every_byte_counts(&place, name, EVALUATE);
    }
    assert_eq!(place.line(EVALUATE).done(), whole);
    // Lines of a folder with other options.
    place.line(&format!("{EVALUATE} --seed 1").replace("results", "other")).done();
    place.file("results/cells.jsonl", place.read("other/cells.jsonl"));
    let message = place.line(EVALUATE).refused();
    assert!(
        message.contains("cells.jsonl: line 1 is damaged, or belongs to other options"),
        "{message}"
    );
}

#[test]
fn a_changed_byte_of_a_job_is_refused() {
    let place = place();
    place.line("plan data.csv --target class --parts 2 --permutations 20 --output job").done();
    place.line("run job --quiet").done();
    let whole = place.line("merge job --format csv --quiet").done();
    assert_every_byte_counts(&place, "job/plan.json", "run job");
    assert_every_byte_counts(&place, "job/plan.json", "merge job");
    assert_every_byte_counts(&place, "job/sums-1.part", "merge job");
    assert_every_byte_counts(&place, "job/permute-2.part", "merge job");
    assert_eq!(place.line("merge job --format csv --quiet").done(), whole);
    let plan = place.read("job/plan.json");
    for (was, is) in [
        ("\"seed\": 0", "\"seed\": 1"),
        ("\"items\": 1,", "\"items\": 5,"),
        ("data.csv", "dato.csv"),
    ] {
        let changed = plan.replacen(was, is, 1);
        assert_ne!(changed, plan, "{was}");
        place.file("job/plan.json", changed);
        let message = place.line("run job").refused();
        assert!(message.contains("its checksum does not match its contents"), "{message}");
    }
}

#[test]
fn a_changed_byte_of_a_model_is_refused() {
    let place = place();
    place.line("fit data.csv --target class --drop color --model m.basrelief --quiet").done();
    assert_every_byte_counts(&place, "m.basrelief", "transform m.basrelief data.csv");
    assert_every_byte_counts(&place, "m.basrelief", "export m.basrelief --output m.npy");
}

#[test]
fn absurd_numbers_are_refused() {
    const MOST: &str = "exceeds the limit of 100000000; give fewer";
    const CLAP: &str = "give a whole number of at most 100000000";
    let place = place();
    let plan = "plan data.csv --target class --output job";
    for (line, words) in [
        (format!("{plan} --parts 4000000000"), "option --parts: found 4000000000"),
        (format!("{plan} --parts 4000000000 --permutations 4000000000"), MOST),
        (format!("{plan} --parts 1 --permutations 4000000000"), MOST),
        ("rank data.csv --target class --permutations 4000000000".into(), MOST),
        ("select data.csv --target class --significant --permutations 100000001".into(), MOST),
        ("pairs data.csv --target class --permutations 4000000000".into(), CLAP),
        ("evaluate data.csv --target class --permutations 4000000000".into(), CLAP),
        ("sets data.csv --target class --sets data.csv --permutations 100000001".into(), CLAP),
    ] {
        let message = place.line(&line).refused();
        assert!(message.contains(words), "{line}: {message}");
        assert!(!place.path("job").exists());
    }
}

/// Pipes and folders in place of files that are read back do not make a command wait.
#[cfg(unix)]
#[test]
fn pipes_in_place_of_files_are_refused() {
    let place = place();
    let pipe = |name: &str| {
        let _ = std::fs::remove_file(place.path(name));
        let made = std::process::Command::new("mkfifo").arg(place.path(name)).status().unwrap();
        assert!(made.success());
    };
    place.line("plan data.csv --target class --parts 2 --output job").done();
    place.line("run job --quiet").done();
    pipe("job/sums-1.part");
    let message = place.line("run job --stage sums").refused();
    assert!(message.contains("job/sums-1.part"), "{message}");
    assert!(message.contains("it is a pipe, a device or a folder, not a file"), "{message}");
    let message = place.line("merge job").refused();
    assert!(message.contains("1 of 1 part of stage sums are missing"), "{message}");
    pipe("job/plan.json");
    for line in ["run job", "merge job"] {
        let message = place.line(line).refused();
        assert!(message.contains("job/plan.json: cannot read the plan"), "{message}");
        assert!(message.contains("it is a pipe, a device or a folder, not a file"), "{message}");
    }
    place.line(RANK).done();
    place.line(EVALUATE).done();
    for (name, line) in [
        ("kept/permutations.json", RANK),
        ("kept/options.json", RANK),
        ("results/cells.jsonl", EVALUATE),
        ("results/options.json", EVALUATE),
    ] {
        let bytes = place.read(name);
        pipe(name);
        let message = place.line(line).refused();
        assert!(message.contains("it is a pipe, a device or a folder, not a file"), "{message}");
        std::fs::remove_file(place.path(name)).unwrap();
        place.file(name, bytes);
    }
}

/// Two runs in one folder: the second says so.
#[cfg(unix)]
#[test]
fn a_folder_in_use_is_refused() {
    let place = Place::new();
    place.line("synth twonorm --rows 400 --noise 5 --output data.csv --quiet").done();
    let line = "rank data.csv --target class --method drelieff --permutations 100000 --resume kept";
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut child =
        place.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !place.path("kept/permutations.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let message = place.line(line).refused();
    assert!(message.contains("another run of basrelief is using it"), "{message}");
    child.kill().unwrap();
    child.wait().unwrap();
    // The next start removes the file that the kill left.
    place.file("kept/.basrelief-1-0.tmp", "half of a file");
    let message = place.line(&format!("{line} --seed 1")).refused();
    assert!(message.contains("results for other options"), "{message}");
    let left: Vec<_> = std::fs::read_dir(place.path("kept")).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".tmp")));
}

#[test]
fn temporary_files_of_killed_runs_are_removed() {
    let place = place();
    for name in [".basrelief-1-0.tmp", "job/.basrelief-77-3.tmp", "new/.basrelief-1-0.tmp"] {
        std::fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
        place.file(name, "half of a file");
    }
    place.file("notes.tmp", "mine");
    place.line("rank data.csv --target class --format csv --output r.csv --quiet").done();
    assert!(!place.path(".basrelief-1-0.tmp").exists());
    place.line("plan data.csv --target class --parts 2 --output job").done();
    assert!(!place.path("job/.basrelief-77-3.tmp").exists());
    place.line(&RANK.replace("kept", "new")).done();
    assert!(!place.path("new/.basrelief-1-0.tmp").exists());
    assert_eq!(place.read("notes.tmp"), "mine");
}
