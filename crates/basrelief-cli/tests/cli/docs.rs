//! `docs/methods` says what the registry says, and its examples give what they show.
//!
//! After a change of the registry, `UPDATE_DOCS=1 cargo test -p basrelief-cli --test cli docs`
//! writes the tables and the outputs anew; what people wrote stays.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use basrelief::methods::wrappers::WRAPPERS;
use basrelief::methods::{LEARNERS, METHODS};
use basrelief::neighbors::list_bytes;

use crate::Place;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods")
}

/// Every method, wrapper and map with the name of its page.
fn pages() -> impl Iterator<Item = (&'static str, String)> {
    let wrappers = WRAPPERS.iter().map(|info| info.name);
    let maps = LEARNERS.iter().map(|info| info.name);
    let names = METHODS.iter().map(|info| info.name).chain(wrappers).chain(maps);
    names.map(|name| (name, format!("{}.md", name.replace('*', "-star"))))
}

fn read(page: &str) -> String {
    std::fs::read_to_string(folder().join(page))
        .unwrap_or_else(|cause| panic!("docs/methods/{page}: {cause}"))
}

/// Two tests write the same pages.
static WRITING: Mutex<()> = Mutex::new(());

/// Compares what stands between two markers with what should, or puts it there.
fn settle(page: &str, (start, end): (&str, &str), expected: &str) {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let text = read(page);
    let missing = |marker: &str| panic!("docs/methods/{page} has no `{marker}`");
    let (before, rest) = text.split_once(start).unwrap_or_else(|| missing(start));
    let (found, after) = rest.split_once(end).unwrap_or_else(|| missing(end));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let text = format!("{before}{start}{expected}{end}{after}");
        std::fs::write(folder().join(page), text).unwrap();
    } else {
        assert!(
            found == expected,
            "docs/methods/{page} does not say\n{expected}but\n{found}\
             UPDATE_DOCS=1 cargo test -p basrelief-cli --test cli docs mends it"
        );
    }
}

/// What the pages say of memory is what the search allows for.
#[test]
fn the_memory_is_that_of_the_search() {
    for page in ["relief.md", "relief-e.md"] {
        let said = format!("at most {} bytes per row and class", list_bytes(1));
        assert!(read(page).contains(&said), "docs/methods/{page} does not say `{said}`");
    }
    for k in [1, 10, 100] {
        assert_eq!(list_bytes(k), 8 * (4 * k + 64), "the formula of the next three pages");
    }
    for page in ["relieff.md", "relief-margin.md", "rrelieff.md"] {
        assert!(read(page).contains("at most $8 (4k + 64)$ bytes per row"), "docs/methods/{page}");
    }
}

#[test]
fn the_tables_are_those_of_the_registry() {
    let place = Place::new();
    let chooser = place.line("methods --format markdown").done();
    let markers = ("<!-- basrelief methods --format markdown -->\n", "<!-- end -->\n");
    settle("README.md", markers, &chooser);
    for (name, page) in pages() {
        assert!(chooser.contains(&format!("[`{name}`]({page})")), "{name}");
        let own = place.run(&["methods", name, "--format", "markdown"]).done();
        let start = format!("<!-- basrelief methods '{name}' --format markdown -->\n");
        settle(&page, (&start, "<!-- end -->\n"), &own);
        let about = read(&page);
        let headings = ["Formula", "Cost", "When not to use it", "Example", "In Python", "Source"];
        for heading in headings {
            let line = format!("\n## {heading}\n");
            assert!(about.contains(&line), "docs/methods/{page} has no `## {heading}`");
        }
    }
}

/// The commands are for a Unix shell.
#[cfg(unix)]
#[test]
fn the_examples_give_what_they_show() {
    let program = Path::new(env!("CARGO_BIN_EXE_basrelief")).parent().unwrap();
    for (_, page) in pages() {
        let text = read(&page);
        let commands = text.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("```\n"));
        let commands = commands.unwrap_or_else(|| panic!("docs/methods/{page} has no example")).0;
        let place = Place::new();
        let output = Command::new("sh")
            .args(["-e", "-c", commands])
            .current_dir(place.path(""))
            .env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()))
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "docs/methods/{page}: {errors}");
        settle(&page, ("```text\n", "```\n"), &String::from_utf8(output.stdout).unwrap());
    }
}
