//! `docs/methods` says what the registry says, and its examples give what they show.
//!
//! A method's page is the comment at the top of its file, with the tables of `basrelief methods NAME`
//! and the output of its example put in, and with links between files in place of those between modules. `UPDATE_DOCS=1 cargo test -p basrelief-cli --test cli docs`
//! writes the pages, and the tables in `docs/methods/README.md`.

use std::path::{Path, PathBuf};
use std::process::Command;

use basrelief::methods::WRAPPERS;
use basrelief::methods::{MAP_METHODS, METHODS, OVERVIEW};
use basrelief::neighbors::SearchPlan;

use crate::Place;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods")
}

/// Every method, wrapper and map: its name, and its page without what the program writes.
fn methods() -> impl Iterator<Item = (&'static str, String)> {
    let wrappers = WRAPPERS.iter().map(|info| (info.name, info.documentation));
    let maps = MAP_METHODS.iter().map(|info| (info.name, info.documentation));
    let methods = METHODS.iter().map(|info| (info.name, info.documentation));
    methods.chain(wrappers).chain(maps).map(|(name, page)| (name, with_links_of_files(page)))
}

/// A page whose links name files: in the library they name modules, `super::d_lmnn` in place of `d-lmnn.md`.
fn with_links_of_files(page: &str) -> String {
    let mut parts = page.split("](super");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(['#', ')']).expect("a link ends");
        let file = match part[..end].strip_prefix("::") {
            None => "README".to_string(),
            Some(module) => module.replace('_', "-"),
        };
        text.push_str(&format!("]({file}.md{}", &part[end..]));
    }
    text
}

/// The name of a method's page.
fn page_of(name: &str) -> String {
    format!("{}.md", name.replace('*', "-star"))
}

fn read(page: &str) -> String {
    std::fs::read_to_string(folder().join(page))
        .unwrap_or_else(|cause| panic!("docs/methods/{page}: {cause}"))
}

/// Compares a page with what it should be, or writes it.
fn settle(page: &str, expected: &str) {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(folder().join(page), expected).unwrap();
        return;
    }
    let found = read(page);
    let differ = found.lines().zip(expected.lines()).position(|(found, wanted)| found != wanted);
    let at = differ.unwrap_or_else(|| found.lines().count().min(expected.lines().count()));
    assert!(
        found == expected,
        "docs/methods/{page}, line {}, is\n{:?}\nand not\n{:?}\n\
         UPDATE_DOCS=1 cargo test -p basrelief-cli --test cli docs mends it",
        at + 1,
        found.lines().nth(at),
        expected.lines().nth(at),
    );
}

/// What the empty `text` block of a page holds in the place of the example's output.
const OUTPUT: &str = "```text\n```\n";

/// What the pages say of memory is what the search allows for.
#[test]
fn the_memory_is_that_of_the_search() {
    for page in ["relief.md", "relief-e.md"] {
        let said = format!("at most {} bytes per row and class", SearchPlan::list_bytes(1));
        assert!(read(page).contains(&said), "docs/methods/{page} does not say `{said}`");
    }
    for k in [1, 10, 100] {
        assert_eq!(
            SearchPlan::list_bytes(k),
            8 * (4 * k + 64),
            "the formula of the next three pages"
        );
    }
    for page in ["relieff.md", "relief-margin.md", "rrelieff.md"] {
        assert!(read(page).contains("at most $8 (4k + 64)$ bytes per row"), "docs/methods/{page}");
    }
}

#[test]
fn the_chooser_is_that_of_the_registry() {
    let chooser = Place::new().line("methods --format markdown").done();
    for (name, _) in methods() {
        assert!(chooser.contains(&format!("[`{name}`]({})", page_of(name))), "{name}");
    }
    let text = read("README.md");
    let (start, end) = ("<!-- basrelief methods --format markdown -->\n", "<!-- end -->\n");
    let (before, rest) = text.split_once(start).expect("README.md has a place for the tables");
    let (_, after) = rest.split_once(end).expect("the place for the tables has an end");
    // The notation stands last, and in the documentation of the library's module.
    let (after, _) = after.split_once("## Notation").expect("README.md has a notation");
    let (_, notation) = OVERVIEW.split_once("## Notation").expect("the module has a notation");
    let link = "[missing values](../engine/missing.md)";
    let notation = notation.replace("`docs/engine/missing.md`", link);
    settle("README.md", &format!("{before}{start}{chooser}{end}{after}## Notation{notation}"));
}

#[test]
fn every_page_has_its_sections() {
    let headings = ["Formula", "Cost", "When not to use it", "Example", "In Python", "Source"];
    for (name, documentation) in methods() {
        assert!(documentation.starts_with(&format!("# `{name}`: ")), "{name} has no title");
        // A page may have further sections.
        let found = documentation.lines().filter_map(|line| line.strip_prefix("## "));
        let found: Vec<&str> = found.filter(|heading| headings.contains(heading)).collect();
        assert_eq!(found, headings, "{name}");
        assert_eq!(documentation.matches(OUTPUT).count(), 1, "{name}: the output of the example");
    }
}

/// No page is left over from a method that is gone.
#[test]
fn every_page_is_of_a_method() {
    let names: Vec<String> = methods().map(|(name, _)| page_of(name)).collect();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let page = entry.unwrap().file_name().into_string().unwrap();
        assert!(page == "README.md" || names.contains(&page), "docs/methods/{page}");
    }
}

/// The commands are for a Unix shell.
#[cfg(unix)]
#[test]
fn the_pages_are_those_of_the_registry_and_the_examples_give_what_they_show() {
    let program = Path::new(env!("CARGO_BIN_EXE_basrelief")).parent().unwrap();
    for (name, documentation) in methods() {
        let place = Place::new();
        let table = place.run(&["methods", name, "--format", "markdown"]).done();
        let (intro, sections) = documentation.split_once("\n## ").expect("a page has sections");
        let commands = documentation.split_once("```sh\n").and_then(|(_, r)| r.split_once("```\n"));
        let commands = commands.unwrap_or_else(|| panic!("{name} has no example")).0;
        let output = Command::new("sh")
            .args(["-e", "-c", commands])
            .current_dir(place.path(""))
            .env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()))
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "the example of {name}: {errors}");
        let shown = String::from_utf8(output.stdout).unwrap();
        let sections = sections.replacen(OUTPUT, &format!("```text\n{shown}```\n"), 1);
        let start = format!("<!-- basrelief methods '{name}' --format markdown -->");
        let page = format!("{intro}\n{start}\n{table}<!-- end -->\n\n## {sections}");
        settle(&page_of(name), &page);
    }
}
