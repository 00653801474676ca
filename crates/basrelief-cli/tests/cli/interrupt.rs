//! Ctrl-C and readers that leave early.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use crate::{Place, small_table};

#[cfg(unix)]
#[test]
fn ctrl_c_stops_work_and_leaves_no_file() {
    let place = Place::new();
    place.line("synth twonorm --rows 300 --noise 20 --output data.csv --quiet").done();
    // Every permutation is a fit, and years of them are asked for.
    let rank = "rank data.csv --target class --method drelieff --permutations 100000000 \
                --correction none --output r.json --threads 1";
    interrupt(&mut place.command(&rank.split_whitespace().collect::<Vec<_>>()), "permuting");
    assert_eq!(place.names(), ["data.csv"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_an_experiment() {
    let place = Place::new();
    // Its first progress is reported long before its end: 200 of 153,000 data sets.
    interrupt(&mut place.command(&["reproduce", "pb06", "--threads", "1"]), ":");
    assert_eq!(place.names(), [""; 0]);
}

/// Starts work that does not end by itself, sends it Ctrl-C after a message that contains `begun`, and
/// checks how it ends.
#[cfg(unix)]
fn interrupt(command: &mut Command, begun: &str) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut message = String::new();
    while !message.contains(begun) {
        assert!(errors.read_line(&mut message).unwrap() > 0, "no `{begun}` in: {message}");
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    errors.read_to_string(&mut message).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{message}");
    assert!(message.contains("interrupted; nothing was written"), "{message}");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let place = Place::new();
    place.file("data.csv", small_table());
    for line in ["rank data.csv --target class", "methods", "demo"] {
        let mut child = place
            .command(&line.split(' ').collect::<Vec<_>>())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {message}");
        assert!(!message.contains("error"), "{line}: {message}");
    }
}
