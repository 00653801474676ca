//! The documentation that `cargo doc` writes has a page for every method. `make doc` runs the test that reads it.

use std::path::{Path, PathBuf};

use basrelief::methods::{MAP_METHODS, METHODS, WRAPPERS};

/// Name, class in Python and page of every method and wrapper.
fn pages() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let methods = METHODS.iter().map(|info| (info.name, info.class, info.documentation));
    let maps = MAP_METHODS.iter().map(|info| (info.name, info.class, info.documentation));
    let wrappers = WRAPPERS.iter().map(|info| (info.name, info.class, info.documentation));
    methods.chain(maps).chain(wrappers)
}

/// The module of a method.
fn module_of(name: &str) -> String {
    name.replace('*', "-star").replace('-', "_")
}

/// Where a page links to, without the fragment.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(|target| target.split('#').next().unwrap_or_default())
}

#[test]
fn pages_link_to_pages_of_the_library() {
    let modules: Vec<String> = pages().map(|(name, ..)| module_of(name)).collect();
    for (name, _, page) in pages() {
        for link in links(page).filter(|link| !link.is_empty() && *link != "super") {
            let module = link.strip_prefix("super::").unwrap_or_else(|| panic!("{name}: {link}"));
            assert!(modules.iter().any(|known| known == module), "{name}: {link}");
        }
    }
}

fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target =
        target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    target.join("doc/basrelief/methods")
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|cause| panic!("{}: {cause}", file.display()))
}

/// Reads what `cargo doc` wrote, without which it fails.
#[test]
#[ignore = "make doc runs it"]
fn every_method_has_a_page_and_its_type_links_to_it() {
    let overview = read(&folder().join("index.html"));
    for (name, _, page) in pages() {
        let module = module_of(name);
        let html = read(&folder().join(&module).join("index.html"));
        for heading in page.lines().filter_map(|line| line.strip_prefix("## ")) {
            assert!(html.contains(&format!("{heading}</h")), "{name} has no section {heading}");
        }
        assert!(!html.contains(".md\""), "{name} links to a file");
        assert!(overview.contains(&format!("href=\"{module}/index.html\"")), "{name}");
    }
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // Types of the methods, which are those that have both calls.
        let Some(_) = name.strip_prefix("struct.") else { continue };
        let html = read(&folder().join(&name));
        if html.contains("id=\"method.fit_with\"") {
            assert!(html.contains("The page of this method</a>"), "{name} links to no page");
            assert!(html.contains("id=\"method.new\""), "{name} has no `new`");
        }
    }
}

/// The types, traits, functions, statics and constants that the documentation lists, each under its shortest path.
fn public_items(page: &str) -> Vec<String> {
    let sections = page.split("<h3 id=\"").skip(1);
    let mut items = Vec::new();
    for section in sections {
        let kind = section.split('"').next().unwrap_or_default();
        for link in section.split("<a href=\"").skip(1) {
            let path = link.split_once("\">").and_then(|(_, rest)| rest.split('<').next());
            items.push((kind, path.unwrap_or_default()));
        }
    }
    let paths: Vec<&str> = items.iter().map(|(_, path)| *path).collect();
    // A type of a method is listed in `methods`, and again in the module of its page.
    let is_again = |path: &str| {
        let mut parts: Vec<&str> = path.split("::").collect();
        parts.len() == 3 && parts[0] == "methods" && {
            parts.remove(1);
            paths.contains(&parts.join("::").as_str())
        }
    };
    items.retain(|(_, path)| !is_again(path));
    items.iter().map(|(kind, path)| format!("{kind} {path}")).collect()
}

/// `public-items.txt` makes a change of what the library offers visible in a review. `UPDATE_DOCS=1 make doc` writes it.
#[test]
#[ignore = "make doc runs it"]
fn the_public_items_are_those_of_the_list() {
    let items = public_items(&read(&folder().with_file_name("all.html")));
    assert!(items.len() <= 354, "the library offers {} items", items.len());
    let text: String = items.iter().map(|item| format!("{item}\n")).collect();
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("public-items.txt");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&list, &text).unwrap();
    }
    assert_eq!(text, read(&list), "UPDATE_DOCS=1 make doc writes the list");
}
