//! Ctrl-C and readers that leave early.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Place, small_table};

#[cfg(unix)]
#[test]
fn ctrl_c_stops_soon_and_leaves_no_file() {
    let place = Place::new();
    place.line("synth twonorm --rows 30000 --noise 60 --output big.csv --quiet").done();
    interrupt(&mut place.command(&[
        "rank",
        "big.csv",
        "--target",
        "class",
        // All pairs twice, of which a third count: half a minute at least.
        "--method",
        "multisurf",
        "--output",
        "r.json",
        "--threads",
        "1",
    ]));
    assert_eq!(place.names(), ["big.csv"]);

    interrupt(&mut place.command(&["reproduce", "pb06", "--threads", "1"]));
    assert_eq!(place.names(), ["big.csv"]);
}

/// Starts long work, sends it Ctrl-C and checks that it ends soon and says so.
#[cfg(unix)]
fn interrupt(command: &mut Command) {
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // Long enough to be past the reading, far too short to be done.
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(child.try_wait().unwrap(), None, "done before it could be interrupted");
    let sent = Instant::now();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let took = sent.elapsed();
    assert_eq!(output.status.code(), Some(130));
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted; nothing was written"));
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
