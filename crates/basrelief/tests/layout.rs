//! Imports run in one direction. No crate has an import cycle between its files or between its folders, and
//! in the crate `basrelief` no file of a lower floor uses one of a higher floor.
//!
//! An arrow goes from a file to each file whose names it uses: in `use` declarations, in paths
//! (`crate::…`, `super::…`, `self::…`, a module or an import by its name) and as macros. Re-exports are
//! followed to the file that defines the name. The modules are the files and folders on disk, whether `mod`
//! or a macro declares them. A `mod.rs` or `lib.rs` that only declares and re-exports is transparent: it has
//! no arrows of its own. Nor is it an arrow if a module re-exports what lies below it. Code for tests only
//! does not count. Method calls on a value are not seen.
//!
//! An arrow between two files is also one between the folders that contain them, up to the folder that
//! contains both. There a folder and a file next to it are two entries.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::path::Path;

/// The files and folders of the crate `basrelief`, from the ground floor up. Those of one floor may use
/// each other and all below them. `docs/architecture.md` shows this list.
const FLOORS: &[&[&str]] = &[
    &[
        "wording",
        "error",
        "warning",
        "options",
        "memory",
        "run",
        "parallel",
        "order",
        "random",
        "csr",
        "sealed",
        "checksum",
        "packed",
        "thresholds",
    ],
    &["data"],
    &["algebra"],
    &["differences"],
    &["neighbors"],
    &["knn", "margins", "selection"],
    &["objectives"],
    &["solve"],
    &["maps"],
    &["report"],
    &["methods"],
    &["distribute", "evaluate", "inference"],
    &["pairs"],
    &["front_end"],
];

/// One file of a crate.
struct Source {
    /// Below `src`, with `/`.
    path: String,
    text: String,
}

/// A piece of Rust that is no comment, space, text or number.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Path,
    Mark(char),
}

impl Token {
    fn is(&self, mark: char) -> bool {
        *self == Token::Mark(mark)
    }

    fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The tokens of a Rust file.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |place: usize| chars.get(place).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let mut place = 0;
    while place < chars.len() {
        let c = chars[place];
        if c == '/' && at(place + 1) == '/' {
            while place < chars.len() && chars[place] != '\n' {
                place += 1;
            }
        } else if c == '/' && at(place + 1) == '*' {
            let mut depth = 0;
            loop {
                match (at(place), at(place + 1)) {
                    ('/', '*') => (depth, place) = (depth + 1, place + 2),
                    ('*', '/') => (depth, place) = (depth - 1, place + 2),
                    _ => place += 1,
                }
                if depth == 0 || place >= chars.len() {
                    break;
                }
            }
        } else if c == '"' {
            place = end_of_text(&chars, place);
        } else if c == '\'' {
            // A character, or a lifetime, whose name is no name of an item.
            if at(place + 1) == '\\' {
                place += 3;
                while place < chars.len() && chars[place] != '\'' {
                    place += 1;
                }
                place += 1;
            } else if at(place + 2) == '\'' {
                place += 3;
            } else {
                place += 1;
                while is_of_word(at(place)) {
                    place += 1;
                }
            }
        } else if c.is_ascii_digit() {
            while is_of_word(at(place)) || (at(place) == '.' && at(place + 1).is_ascii_digit()) {
                place += 1;
            }
        } else if is_of_word(c) {
            let start = place;
            while is_of_word(at(place)) {
                place += 1;
            }
            let word: String = chars[start..place].iter().collect();
            let raw = matches!(word.as_str(), "r" | "br" | "cr") && matches!(at(place), '"' | '#');
            let prefixed = matches!(word.as_str(), "b" | "c") && at(place) == '"';
            if raw && let Some(end) = end_of_raw_text(&chars, place) {
                place = end;
            } else if word == "r" && at(place) == '#' {
                // A raw identifier: its word follows.
                place += 1;
            } else if prefixed {
                place = end_of_text(&chars, place);
            } else if !(word == "b" && at(place) == '\'') {
                tokens.push(Token::Word(word));
            }
        } else if c == ':' && at(place + 1) == ':' {
            tokens.push(Token::Path);
            place += 2;
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Mark(c));
            }
            place += 1;
        }
    }
    tokens
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Behind the text whose first quote is at a place.
fn end_of_text(chars: &[char], mut place: usize) -> usize {
    place += 1;
    while place < chars.len() && chars[place] != '"' {
        place += if chars[place] == '\\' { 2 } else { 1 };
    }
    place + 1
}

/// Behind the raw text whose first `#` or quote is at a place; `None` for a raw identifier.
fn end_of_raw_text(chars: &[char], place: usize) -> Option<usize> {
    let hashes = chars[place..].iter().take_while(|&&c| c == '#').count();
    if chars.get(place + hashes) != Some(&'"') {
        return None;
    }
    let mut end = place + hashes + 1;
    while end < chars.len() {
        let closing = &chars[end + 1..(end + 1 + hashes).min(chars.len())];
        if chars[end] == '"' && closing.len() == hashes && closing.iter().all(|&c| c == '#') {
            return Some(end + 1 + hashes);
        }
        end += 1;
    }
    Some(end)
}

/// The tokens without attributes and without code for tests only, and the names of the modules for tests
/// only that have their own files.
fn without_tests(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let (mut kept, mut test_modules) = (Vec::new(), Vec::new());
    let mut place = 0;
    while place < tokens.len() {
        let Some(end) = end_of_attribute(tokens, place) else {
            kept.push(tokens[place].clone());
            place += 1;
            continue;
        };
        let words: Vec<&str> = tokens[place..end].iter().filter_map(Token::word).collect();
        place = end;
        if matches!(words[..], ["cfg", "test", ..] | ["cfg", "all", "test", ..]) {
            while let Some(end) = end_of_attribute(tokens, place) {
                place = end;
            }
            let item = &tokens[place..end_of_item(tokens, place)];
            if let [.., Token::Word(word), Token::Word(name), Token::Mark(';')] = item
                && word == "mod"
            {
                test_modules.push(name.clone());
            }
            place += item.len();
        }
    }
    (kept, test_modules)
}

/// Behind the attribute that begins at a place.
fn end_of_attribute(tokens: &[Token], place: usize) -> Option<usize> {
    if !tokens.get(place)?.is('#') {
        return None;
    }
    let open = if tokens.get(place + 1)?.is('!') { place + 2 } else { place + 1 };
    tokens.get(open)?.is('[').then(|| end_of_group(tokens, open))
}

/// Behind the group of brackets that opens at a place.
fn end_of_group(tokens: &[Token], mut place: usize) -> usize {
    let mut depth = 0_usize;
    while place < tokens.len() {
        match &tokens[place] {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => {
                depth -= 1;
                if depth == 0 {
                    return place + 1;
                }
            }
            _ => {}
        }
        place += 1;
    }
    place
}

/// Behind the item that begins at a place: its semicolon or its block.
fn end_of_item(tokens: &[Token], mut place: usize) -> usize {
    let mut ends_with_block = true;
    while place < tokens.len() {
        match &tokens[place] {
            Token::Word(word) if matches!(word.as_str(), "use" | "static" | "type" | "let") => {
                ends_with_block = false;
            }
            Token::Word(word) if word == "const" => {
                ends_with_block = tokens.get(place + 1).and_then(Token::word) == Some("fn");
            }
            Token::Mark(';' | ',') => return place + 1,
            Token::Mark('{') => {
                place = end_of_group(tokens, place);
                if ends_with_block {
                    return place;
                }
                continue;
            }
            Token::Mark('(' | '[') => {
                place = end_of_group(tokens, place);
                continue;
            }
            _ => {}
        }
        place += 1;
    }
    place
}

/// A name that a `use` declaration brings, or all of a module's (`*`).
#[derive(Debug, Clone)]
struct Import {
    /// `None` for all names.
    name: Option<String>,
    path: Vec<String>,
    /// Whether others may see it: it begins with `pub`.
    shown: bool,
}

/// Reads the tree of a `use` declaration from behind `use` up to its semicolon.
fn read_imports(
    tokens: &[Token],
    place: &mut usize,
    before: &[String],
    shown: bool,
) -> Vec<Import> {
    let mut path = before.to_vec();
    let mut imports = Vec::new();
    while *place < tokens.len() {
        match &tokens[*place] {
            Token::Word(word) if word == "as" => {
                let name = tokens[*place + 1].word().expect("a name after `as`").to_string();
                *place += 2;
                imports.push(Import { name: Some(name), path, shown });
                return imports;
            }
            Token::Word(word) => {
                // `self` in a list is the module before it.
                if word != "self" || path.is_empty() {
                    path.push(word.clone());
                }
                *place += 1;
            }
            // `::name` is another crate's.
            Token::Path if path.is_empty() && before.is_empty() => {
                path.push("::".to_string());
                *place += 1;
            }
            Token::Path => *place += 1,
            Token::Mark('*') => {
                *place += 1;
                imports.push(Import { name: None, path, shown });
                return imports;
            }
            Token::Mark('{') => {
                *place += 1;
                while !tokens[*place].is('}') {
                    if tokens[*place].is(',') {
                        *place += 1;
                    } else {
                        imports.extend(read_imports(tokens, place, &path, shown));
                    }
                }
                *place += 1;
                return imports;
            }
            _ => break,
        }
    }
    let name = path.last().cloned();
    imports.push(Import { name, path, shown });
    imports
}

/// A module: a file's, or one inside a file.
#[derive(Debug, Default)]
struct Module {
    file: usize,
    /// The modules that it declares by `mod`. Macros may declare others.
    declared: BTreeSet<String>,
    imports: Vec<Import>,
    items: BTreeSet<String>,
    /// Paths in its code, imports aside.
    paths: Vec<Vec<String>>,
    /// Words in its code, imports aside.
    words: BTreeSet<String>,
    /// Macros that it calls.
    macros: BTreeSet<String>,
}

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Module(Vec<String>),
    /// Something defined in a file.
    Item(usize),
}

/// The modules of a crate.
struct Crate {
    files: Vec<String>,
    /// Whether a file only declares modules and re-exports.
    lists: Vec<bool>,
    modules: BTreeMap<Vec<String>, Module>,
    /// Where macros are defined.
    macros: BTreeMap<String, usize>,
}

/// The module of a file below `src`.
fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").expect("a Rust file");
    let mut module: Vec<String> = path.split('/').map(str::to_string).collect();
    if matches!(module.last().map(String::as_str), Some("mod")) || matches!(path, "lib" | "main") {
        module.pop();
    }
    module
}

/// The path of a child of a module.
fn child_of(module: &[String], name: &str) -> Vec<String> {
    [module, &[name.to_string()]].concat()
}

impl Crate {
    fn new(sources: &[Source]) -> Self {
        let mut this = Self {
            files: sources.iter().map(|source| source.path.clone()).collect(),
            lists: vec![true; sources.len()],
            modules: BTreeMap::new(),
            macros: BTreeMap::new(),
        };
        let mut test_modules = Vec::new();
        for (file, source) in sources.iter().enumerate() {
            let module = module_of(&source.path);
            let (code, for_tests) = without_tests(&tokens(&source.text));
            test_modules.extend(for_tests.iter().map(|name| child_of(&module, name)));
            this.read(file, module, &code);
        }
        let is_for_tests = |module: &[String]| {
            test_modules.iter().any(|test_module| module.starts_with(test_module))
        };
        this.modules.retain(|module, _| !is_for_tests(module));
        this
    }

    /// The children of a module that have their own files but no `mod`: macros declare them.
    fn declared_by_macros<'c>(
        &'c self,
        module: &'c [String],
    ) -> impl Iterator<Item = (&'c String, &'c Module)> {
        let known = &self.modules[module];
        let below = self.modules.range(module.to_vec()..).skip(1);
        below.take_while(|(path, _)| path.starts_with(module)).filter_map(move |(path, child)| {
            let [name] = &path[module.len()..] else { return None };
            (!known.declared.contains(name)).then_some((name, child))
        })
    }

    /// Gathers what the modules of a file declare, import and name.
    fn read(&mut self, file: usize, module: Vec<String>, tokens: &[Token]) {
        // The modules around a place, each with the depth of braces in it.
        let mut around = vec![(module, 0)];
        let mut modules = vec![Module { file, ..Module::default() }];
        let (mut place, mut depth) = (0, 0);
        // The depths at which calls of macros opened whose items are those of the module.
        let mut calls = Vec::new();
        let mut shown = false;
        while place < tokens.len() {
            let module = modules.last_mut().expect("the file's module");
            let item_level = depth == around[around.len() - 1].1;
            let next = tokens.get(place + 1);
            match &tokens[place] {
                Token::Word(word) if word == "use" => {
                    place += 1;
                    module.imports.extend(read_imports(tokens, &mut place, &[], shown));
                    continue;
                }
                Token::Word(word) if word == "pub" => {
                    shown = true;
                    place += 1;
                    if tokens.get(place).is_some_and(|token| token.is('(')) {
                        place = end_of_group(tokens, place);
                    }
                    continue;
                }
                Token::Word(word) if word == "mod" && item_level => {
                    let name = next.and_then(Token::word).expect("a module's name").to_string();
                    module.declared.insert(name.clone());
                    if tokens[place + 2].is('{') {
                        let inner = child_of(&around[around.len() - 1].0, &name);
                        depth += 1;
                        around.push((inner, depth));
                        modules.push(Module { file, ..Module::default() });
                        self.lists[file] = false;
                    }
                    place += 3;
                    shown = false;
                    continue;
                }
                Token::Word(word) if word == "macro_rules" => {
                    let name = tokens[place + 2].word().expect("a macro's name").to_string();
                    self.macros.insert(name, file);
                    self.lists[file] = false;
                    place += 3;
                    continue;
                }
                Token::Word(word) => {
                    self.lists[file] = false;
                    module.words.insert(word.clone());
                    let defines = matches!(
                        word.as_str(),
                        "struct" | "enum" | "union" | "fn" | "trait" | "type" | "const" | "static"
                    );
                    if item_level
                        && defines
                        && let Some(name) = next.and_then(Token::word)
                    {
                        module.items.insert(name.to_string());
                    }
                    if next.is_some_and(|next| next.is('!')) {
                        module.macros.insert(word.clone());
                    }
                    let first = place.checked_sub(1).is_none_or(|before| {
                        !matches!(tokens[before], Token::Path | Token::Mark('.'))
                    });
                    if first && next == Some(&Token::Path) {
                        let mut path = vec![word.clone()];
                        while tokens.get(place + 1) == Some(&Token::Path)
                            && let Some(Token::Word(word)) = tokens.get(place + 2)
                        {
                            path.push(word.clone());
                            module.words.insert(word.clone());
                            place += 2;
                        }
                        if tokens.get(place + 1).is_some_and(|token| token.is('!')) {
                            module.macros.insert(path[path.len() - 1].clone());
                        }
                        module.paths.push(path);
                    }
                }
                Token::Mark('!') if item_level && next.is_some_and(|next| next.is('{')) => {
                    depth += 1;
                    calls.push(depth);
                    around.last_mut().expect("the file's module").1 = depth;
                    place += 1;
                }
                Token::Mark('{') => depth += 1,
                Token::Mark('}') => {
                    if calls.last() == Some(&depth) {
                        calls.pop();
                        around.last_mut().expect("the file's module").1 -= 1;
                    } else if around.len() > 1 && item_level {
                        let (path, _) = around.pop().expect("an inner module");
                        self.modules.insert(path, modules.pop().expect("an inner module"));
                    }
                    depth -= 1;
                }
                _ => {}
            }
            shown = false;
            place += 1;
        }
        let (path, _) = around.pop().expect("the file's module");
        assert!(around.is_empty(), "{}: braces that do not match", self.files[file]);
        let module = modules.pop().expect("the file's module");
        let before = self.modules.insert(path, module);
        assert!(before.is_none(), "{}: two files of one module", self.files[file]);
    }

    /// What a name is where a module's code says it, if it is of this crate.
    fn lookup(&self, module: &[String], name: &str, fuel: usize) -> Option<Target> {
        let known = self.modules.get(module)?;
        let child = child_of(module, name);
        if self.modules.contains_key(&child) {
            return Some(Target::Module(child));
        }
        let named = known.imports.iter().find(|import| import.name.as_deref() == Some(name));
        if let Some(import) = named {
            return self.resolve(module, &import.path, fuel.checked_sub(1)?);
        }
        if known.items.contains(name) {
            return Some(Target::Item(known.file));
        }
        // A macro that declares modules may re-export the items that the module lists in its call.
        let mut listed = self.declared_by_macros(module).filter(|_| known.words.contains(name));
        if let Some((_, child)) = listed.find(|(_, child)| child.items.contains(name)) {
            return Some(Target::Item(child.file));
        }
        known.imports.iter().filter(|import| import.name.is_none()).find_map(|import| {
            let fuel = fuel.checked_sub(1)?;
            match self.resolve(module, &import.path, fuel)? {
                Target::Module(other) if other != module => self.lookup(&other, name, fuel),
                _ => None,
            }
        })
    }

    /// What a path in a module leads to, if it is of this crate.
    fn resolve(&self, module: &[String], path: &[String], fuel: usize) -> Option<Target> {
        let mut rest = path.iter();
        let mut here = match rest.next()?.as_str() {
            "crate" => Target::Module(Vec::new()),
            "self" => Target::Module(module.to_vec()),
            "super" => Target::Module(module[..module.len().checked_sub(1)?].to_vec()),
            // The import itself may have the name of what it imports: `use sums;` is another crate's.
            name => {
                let known = self.modules.get(module)?;
                let own =
                    |import: &Import| import.name.as_deref() == Some(name) && import.path == path;
                if path.len() == 1
                    && known.imports.iter().any(own)
                    && !self.modules.contains_key(&child_of(module, name))
                {
                    return None;
                }
                self.lookup(module, name, fuel.checked_sub(1)?)?
            }
        };
        for name in rest {
            here = match here {
                Target::Module(at) if name == "super" => {
                    Target::Module(at[..at.len().checked_sub(1)?].to_vec())
                }
                Target::Module(at) => match self.lookup(&at, name, fuel.checked_sub(1)?) {
                    Some(target) => target,
                    // Made by a macro.
                    None => Target::Item(self.modules.get(&at)?.file),
                },
                item @ Target::Item(_) => return Some(item),
            };
        }
        Some(here)
    }

    /// The arrows between files, each with the names that make it.
    fn arrows(&self) -> Graph<'_> {
        const FUEL: usize = 32;
        let mut arrows = Arrows::new();
        for (path, module) in &self.modules {
            if self.lists[module.file] {
                continue;
            }
            let mut add = |target: Option<Target>, name: &str| {
                let file = match target {
                    Some(Target::Item(file)) => file,
                    Some(Target::Module(at)) => match self.modules.get(&at) {
                        // What of a list is used follows from the paths that go through it.
                        Some(module) if !self.lists[module.file] => module.file,
                        _ => return,
                    },
                    None => return,
                };
                assert!(!self.lists[file], "{}: {name} is not found", self.files[module.file]);
                if file != module.file {
                    arrows.entry((module.file, file)).or_default().insert(name.to_string());
                }
            };
            for import in &module.imports {
                let Some(target) = self.resolve(path, &import.path, FUEL) else { continue };
                let Some(name) = &import.name else {
                    add(Some(target.clone()), "*");
                    if let Target::Module(of) = &target
                        && let Some(other) = self.modules.get(of)
                    {
                        for import in &other.imports {
                            if let Some(name) = &import.name
                                && module.words.contains(name)
                            {
                                add(self.lookup(of, name, FUEL), name);
                            }
                        }
                    }
                    continue;
                };
                let below = match &target {
                    Target::Module(other) => other.starts_with(path),
                    Target::Item(file) => self.modules.iter().any(|(other, module)| {
                        module.file == *file && other.starts_with(path) && other != path
                    }),
                };
                if !(import.shown && below && !module.words.contains(name)) {
                    add(Some(target), name);
                }
            }
            for used in &module.paths {
                add(self.resolve(path, used, FUEL), &used.join("::"));
            }
            for (name, child) in self.declared_by_macros(path) {
                if module.words.contains(name) {
                    add(Some(Target::Item(child.file)), name);
                }
            }
            for name in &module.macros {
                if let Some(&file) = self.macros.get(name) {
                    add(Some(Target::Item(file)), &format!("{name}!"));
                }
            }
        }
        Graph { nodes: self.files.iter().map(String::as_str).collect(), arrows }
    }
}

/// The folders and files of a path, each with its parents: `a`, `a/b` and `a/b/c` of `a/b/c.rs`.
fn entries(path: &str) -> Vec<&str> {
    let path = path.strip_suffix(".rs").expect("a Rust file");
    path.match_indices('/').map(|(end, _)| &path[..end]).chain([path]).collect()
}

/// Files or folders, and the arrows between them.
struct Graph<'a> {
    nodes: Vec<&'a str>,
    arrows: Arrows,
}

impl<'a> Graph<'a> {
    /// The arrows between the entries of every folder, each with the arrows between files that make it.
    fn folders(&self) -> Graph<'a> {
        let mut arrows: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
        for &(from, to) in self.arrows.keys() {
            let (from, to) = (self.nodes[from], self.nodes[to]);
            let mut pairs = entries(from).into_iter().zip(entries(to));
            if let Some(pair) = pairs.find(|(from, to)| from != to) {
                arrows.entry(pair).or_default().insert(format!("{from} -> {to}"));
            }
        }
        let nodes: BTreeSet<&str> = arrows.keys().flat_map(|&(from, to)| [from, to]).collect();
        let nodes: Vec<&str> = nodes.into_iter().collect();
        let place = |node: &str| nodes.binary_search(&node).expect("a node");
        let arrows =
            arrows.into_iter().map(|((from, to), names)| ((place(from), place(to)), names));
        let arrows = arrows.collect();
        Graph { nodes, arrows }
    }

    /// Cycles of arrows, shortest first, no two with a common arrow: the graph has a cycle if and only if there is
    /// one here. Each is a list of nodes, the first of which follows the last.
    fn cycles(&self) -> Vec<Vec<usize>> {
        let mut left: BTreeSet<(usize, usize)> = self.arrows.keys().copied().collect();
        let mut cycles = Vec::new();
        while let Some(cycle) = self.shortest_cycle(&left) {
            for (place, &from) in cycle.iter().enumerate() {
                left.remove(&(from, cycle[(place + 1) % cycle.len()]));
            }
            cycles.push(cycle);
        }
        cycles
    }

    fn shortest_cycle(&self, arrows: &BTreeSet<(usize, usize)>) -> Option<Vec<usize>> {
        let mut shortest: Option<Vec<usize>> = None;
        for start in 0..self.nodes.len() {
            // Breadth first: from which node every node was reached.
            let mut before = BTreeMap::new();
            let mut open = VecDeque::from([start]);
            while let Some(from) = open.pop_front() {
                for &(_, to) in arrows.range((from, 0)..(from + 1, 0)) {
                    if let Entry::Vacant(entry) = before.entry(to) {
                        entry.insert(from);
                        open.push_back(to);
                    }
                }
            }
            let Some(&last) = before.get(&start) else { continue };
            let mut cycle = vec![last];
            while cycle[cycle.len() - 1] != start {
                cycle.push(before[&cycle[cycle.len() - 1]]);
            }
            cycle.reverse();
            if shortest.as_ref().is_none_or(|shortest| cycle.len() < shortest.len()) {
                shortest = Some(cycle);
            }
        }
        shortest
    }

    /// The cycles as text, one a paragraph: the arrows, and the names that make them.
    fn describe_cycles(&self) -> Vec<String> {
        let describe = |cycle: &Vec<usize>| {
            let mut text = String::new();
            for (place, &from) in cycle.iter().enumerate() {
                let to = cycle[(place + 1) % cycle.len()];
                let names: Vec<&str> =
                    self.arrows[&(from, to)].iter().map(String::as_str).collect();
                let (from, to) = (self.nodes[from], self.nodes[to]);
                let _ = writeln!(text, "  {from} -> {to}: {}", names.join(", "));
            }
            text
        };
        self.cycles().iter().map(describe).collect()
    }
}

/// From a node to a node, with the reasons.
type Arrows = BTreeMap<(usize, usize), BTreeSet<String>>;

/// The sources of every crate, by the crate's name.
fn workspace() -> BTreeMap<String, Vec<Source>> {
    fn gather(folder: &Path, below: &str, into: &mut Vec<Source>) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                gather(&path, &format!("{below}{name}/"), into);
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path).expect("a text");
                into.push(Source { path: format!("{below}{name}"), text });
            }
        }
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(crates).expect("the folder of crates") {
        let path = entry.expect("an entry").path();
        let mut sources = Vec::new();
        if path.join("src").is_dir() {
            gather(&path.join("src"), "", &mut sources);
        }
        // A program beside a library is a crate of its own, of one file.
        if sources.iter().any(|source| source.path == "lib.rs") {
            sources.retain(|source| source.path != "main.rs");
        }
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        all.insert(path.file_name().expect("a name").to_string_lossy().into_owned(), sources);
    }
    all
}

#[test]
fn no_cycles_between_files_or_folders() {
    let mut found = Vec::new();
    for (name, sources) in workspace() {
        let one = Crate::new(&sources);
        let files = one.arrows();
        for cycle in [files.describe_cycles(), files.folders().describe_cycles()].concat() {
            found.push(format!("{name}:\n{cycle}"));
        }
    }
    assert!(found.is_empty(), "{} cycles:\n{}", found.len(), found.join("\n"));
}

#[test]
fn data_flow_one_way() {
    let sources = &workspace()["basrelief"];
    let one = Crate::new(sources);
    let floor = |file: usize| {
        let top = one.files[file].split('/').next().expect("a name");
        let top = top.strip_suffix(".rs").unwrap_or(top);
        let floor = FLOORS.iter().position(|floor| floor.contains(&top));
        floor.unwrap_or_else(|| panic!("{} is on no floor", one.files[file]))
    };
    let Graph { arrows, .. } = one.arrows();
    assert!(
        arrows.len() > 500,
        "{} arrows are too few: does this test still see them?",
        arrows.len()
    );
    let mut back = Vec::new();
    for ((from, to), names) in arrows {
        if floor(from) < floor(to) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (from, to) = (&one.files[from], &one.files[to]);
            back.push(format!("{from} -> {to}: {}", names.join(", ")));
        }
    }
    assert!(back.is_empty(), "{} arrows run back:\n{}", back.len(), back.join("\n"));
}

#[test]
fn the_methods_are_seen() {
    let one = Crate::new(&workspace()["basrelief"]);
    let methods: Vec<usize> =
        one.declared_by_macros(&["methods".to_string()]).map(|(_, module)| module.file).collect();
    assert!(methods.len() > 40, "macros declare only {} files", methods.len());
    let arrows = one.arrows().arrows;
    for method in methods {
        let (used, uses) = (
            arrows.keys().any(|&(_, to)| to == method),
            arrows.keys().any(|&(from, _)| from == method),
        );
        assert!(used && uses, "{} has no arrow to it or from it", one.files[method]);
    }
}

/// All loops on threads are calls of `parallel.rs`, because each loop of another kind is compiled separately.
#[test]
fn only_two_files_of_the_library_use_rayon() {
    let workspace = workspace();
    let users = workspace["basrelief"].iter().filter(|source| source.text.contains("rayon::"));
    let users: Vec<&str> = users.map(|source| source.path.as_str()).collect();
    assert_eq!(users, ["parallel.rs", "run.rs"]);
}

#[test]
fn the_documentation_shows_the_floors() {
    let floors: Vec<String> = FLOORS.iter().map(|floor| floor.join(" ")).collect();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/architecture.md");
    let page = std::fs::read_to_string(page).expect("docs/architecture.md");
    let shown = floors.iter().rev().map(|floor| format!("{floor}\n")).collect::<String>();
    assert!(page.contains(&shown), "docs/architecture.md does not show these floors:\n{shown}");
}

/// A crate of a few files.
fn example(files: &[(&str, &str)]) -> Crate {
    let source = |&(path, text): &(&str, &str)| Source { path: path.into(), text: text.into() };
    Crate::new(&files.iter().map(source).collect::<Vec<_>>())
}

/// Its arrows as text.
fn arrows_of(files: &[(&str, &str)]) -> Vec<String> {
    let one = example(files);
    let Graph { nodes, arrows } = one.arrows();
    arrows.keys().map(|(from, to)| format!("{} -> {}", nodes[*from], nodes[*to])).collect()
}

#[test]
fn a_cycle_through_re_exports_is_found() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::A;"),
        (
            "a/mod.rs",
            "mod one; mod two; pub use one::A; pub(crate) use two::{Two, helper as help};",
        ),
        ("a/one.rs", "use crate::b; pub struct A; fn f() { b::g() }"),
        ("a/two.rs", "pub struct Two; pub fn helper() {}"),
        ("b.rs", "use crate::a::{self, Two}; pub fn g() { a::help() } fn h(_: crate::A) {}"),
    ];
    assert_eq!(arrows_of(&files), ["a/one.rs -> b.rs", "b.rs -> a/one.rs", "b.rs -> a/two.rs"]);
    let one = example(&files);
    assert_eq!(
        one.arrows().describe_cycles(),
        ["  a/one.rs -> b.rs: b, b::g\n  b.rs -> a/one.rs: crate::A\n"]
    );
}

#[test]
fn a_cycle_of_three_files_is_found_once() {
    let one = example(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use super::b::B; pub struct A;"),
        ("b.rs", "use super::c::C; pub struct B;"),
        ("c.rs", "pub struct C; impl C { fn f() -> super::a::A { A } }"),
        ("d.rs", "use super::{a::*, b}; fn f() {}"),
    ]);
    assert_eq!(one.arrows().cycles(), [[1, 2, 3]]);
}

#[test]
fn tests_texts_and_comments_make_no_arrow() {
    let a = r##"
        // crate::b::B
        /* use crate::b::B; /* nested */ crate::b::B */
        /// See [`crate::b::B`].
        pub struct A<'b>(&'b str);
        const TEXTS: [&str; 3] = ["crate::b::B", r#"use "crate::b::B";"#, "\"crate::b::B"];
        const MARKS: [char; 2] = ['"', '\''];
        #[cfg(test)]
        use crate::b::{B, C};
        #[cfg(test)]
        #[allow(dead_code)]
        const LEAST: crate::b::B = { crate::b::B };
        #[cfg(all(test, unix))]
        impl A<'_> { fn f() { crate::b::f() } }
        #[cfg(not(test))]
        fn g() { crate::c::f() }
        #[cfg(test)]
        mod tests { use crate::b::*; fn f() { super::super::b::f() } }
    "##;
    assert_eq!(
        arrows_of(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", a),
            ("b.rs", "pub struct B; pub struct C; pub fn f() {}"),
            ("c.rs", "pub fn f() {}"),
        ]),
        ["a.rs -> c.rs"]
    );
}

#[test]
fn macros_inner_modules_and_all_names_make_arrows() {
    let files = [
        ("lib.rs", "#[macro_use] mod a; mod b; mod c; mod d;"),
        ("a.rs", "macro_rules! both { () => { $crate::d::f() } }"),
        ("b.rs", "pub mod inner { use super::super::c::f; } fn f() { both!() }"),
        ("c.rs", "pub fn f() {} use crate::d::*;"),
        ("d.rs", "pub fn f() {}"),
    ];
    assert_eq!(arrows_of(&files), ["a.rs -> d.rs", "b.rs -> a.rs", "b.rs -> c.rs", "c.rs -> d.rs"]);
}

#[test]
fn a_module_with_code_is_a_file_of_its_own() {
    // The re-export of what is below is no use of it; a child's use of its parent is one.
    let parent = "mod child; pub use child::Child; pub const SIZE: usize = 8;";
    let child = "use super::SIZE; pub struct Child([u8; SIZE]);";
    let files = [("lib.rs", "mod a;"), ("a/mod.rs", parent), ("a/child.rs", child)];
    assert_eq!(arrows_of(&files), ["a/child.rs -> a/mod.rs"]);
    let used = "mod child; pub use child::Child; pub const SIZE: usize = 8; fn f(_: Child) {}";
    let files = [("lib.rs", "mod a;"), ("a/mod.rs", used), ("a/child.rs", child)];
    assert_eq!(arrows_of(&files), ["a/mod.rs -> a/child.rs", "a/child.rs -> a/mod.rs"]);
}

#[test]
fn modules_that_macros_declare_make_arrows() {
    let methods = "mod declare; mod shared;
        declare::methods! { first { First } second { Second, Form } }
        declare::wrappers! { third }";
    let files = [
        ("lib.rs", "mod methods; mod user;"),
        ("methods/mod.rs", methods),
        ("methods/declare.rs", "macro_rules! methods { () => { $(mod $module;)+ } }"),
        ("methods/first.rs", "use super::shared::helper; settings! { pub struct First { a: u8 } }"),
        ("methods/second.rs", "pub enum Form {} pub struct Second; fn f(_: super::First) {}"),
        ("methods/shared.rs", "use super::second::Second; pub fn helper() {} fn f(_: Second) {}"),
        ("methods/third.rs", "use super::METHODS; fn f() {}"),
        ("user.rs", "use crate::methods::{Form, METHODS}; fn f() {}"),
    ];
    assert_eq!(
        arrows_of(&files),
        [
            "methods/mod.rs -> methods/declare.rs",
            "methods/mod.rs -> methods/first.rs",
            "methods/mod.rs -> methods/second.rs",
            "methods/mod.rs -> methods/third.rs",
            "methods/first.rs -> methods/shared.rs",
            "methods/second.rs -> methods/first.rs",
            "methods/shared.rs -> methods/second.rs",
            "methods/third.rs -> methods/mod.rs",
            "user.rs -> methods/mod.rs",
            "user.rs -> methods/second.rs",
        ]
    );
    let cycles = example(&files).arrows().cycles();
    assert_eq!(cycles, [vec![1, 6], vec![3, 5, 4]]);
}

#[test]
fn modules_for_tests_in_their_own_files_make_no_arrow() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "#[cfg(test)] mod testing; pub fn f() {}"),
        ("a/testing/mod.rs", "mod deep; use crate::b::g;"),
        ("a/testing/deep.rs", "use crate::b::g;"),
        ("b.rs", "use crate::a::f; pub fn g() {}"),
    ];
    assert_eq!(arrows_of(&files), ["b.rs -> a/mod.rs"]);
}

#[test]
fn cycles_of_folders_are_found() {
    // No file imports another that leads back to it, but the folders do.
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "pub mod one; pub mod two;"),
        ("a/one.rs", "pub struct One;"),
        ("a/two.rs", "use crate::b::Three; fn f() {}"),
        ("b/mod.rs", "mod three; pub use three::Three;"),
        ("b/three.rs", "use crate::a::one::One; pub struct Three;"),
    ];
    let one = example(&files);
    let graph = one.arrows();
    assert!(graph.cycles().is_empty());
    assert_eq!(
        graph.folders().describe_cycles(),
        ["  a -> b: a/two.rs -> b/three.rs\n  b -> a: b/three.rs -> a/one.rs\n"]
    );
}

#[test]
fn cycles_of_nested_folders_are_found() {
    // Within the folder `a`: of its folders `b` and `c`, and of its file `d` and the folder `e`, whose
    // parent module is `a/e.rs`.
    let files = [
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod b; mod c; mod d; mod e;"),
        ("a/b/mod.rs", "pub mod one; pub mod two;"),
        ("a/b/one.rs", "pub fn f() { super::super::c::four::f() }"),
        ("a/b/two.rs", "pub fn f() {}"),
        ("a/c/mod.rs", "pub mod three; pub mod four;"),
        ("a/c/three.rs", "pub fn f() { crate::a::b::two::f() }"),
        ("a/c/four.rs", "pub fn f() {}"),
        ("a/d.rs", "pub fn f() { super::e::f() }"),
        ("a/e.rs", "pub mod deep; pub fn f() {}"),
        ("a/e/deep.rs", "pub fn f() { super::f(); crate::a::d::f() }"),
    ];
    let one = example(&files);
    let graph = one.arrows();
    assert!(graph.cycles().is_empty());
    let folders = graph.folders();
    let cycles: Vec<Vec<&str>> = folders
        .cycles()
        .iter()
        .map(|cycle| cycle.iter().map(|&node| folders.nodes[node]).collect())
        .collect();
    assert_eq!(cycles, [["a/b", "a/c"], ["a/d", "a/e"]]);
}
