//! Names of files on pages, which do not reveal the folders of the user.

use std::path::{Component, Path};

/// The paths of an analysis, and the short name of each.
///
/// # Examples
/// ```
/// use basrelief_study::FileNames;
///
/// let names = FileNames::new(["rank", "/home/ada/study/snps.csv", "--report", "/home/ada/out.html"]);
/// assert_eq!(names.short("/home/ada/study/snps.csv"), "snps.csv");
/// assert_eq!(names.word("--report=/home/ada/out.html"), "--report=out.html");
/// assert_eq!(names.word("study/snps.csv"), "study/snps.csv");
/// assert_eq!(names.text("in /home/ada/study/snps.fam"), "in snps.fam");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileNames {
    /// Paths with folders, as they were typed.
    paths: Vec<String>,
}

impl FileNames {
    /// The paths among the words of a command.
    pub fn new<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let mut paths: Vec<String> = words
            .into_iter()
            .map(|word| path_of(word.as_ref()).to_string())
            .filter(|path| path.contains(['/', '\\']))
            .collect();
        paths.sort_unstable();
        paths.dedup();
        Self { paths }
    }

    /// The name of a file: without its folders, or with as many as distinguish it from other files of the same name.
    pub fn short(&self, path: &str) -> String {
        let own = components(path);
        let others =
            self.paths.iter().filter(|other| *other != path).map(|other| components(other));
        let others: Vec<Vec<String>> = others.filter(|other| *other != own).collect();
        let is_distinct = |count: &usize| {
            let tail = &own[own.len() - count..];
            others.iter().all(|other| !other.ends_with(tail))
        };
        match (1..=own.len()).find(is_distinct) {
            Some(count) => own[own.len() - count..].join("/"),
            None => path.to_string(),
        }
    }

    /// A word of a command, in which an absolute path becomes the [short](Self::short) name.
    pub fn word(&self, word: &str) -> String {
        let path = path_of(word);
        if !is_absolute(path) {
            return word.to_string();
        }
        format!("{}{}", &word[..word.len() - path.len()], self.short(path))
    }

    /// A text without the absolute folders of the paths.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_string();
        let mut absolute: Vec<&String> =
            self.paths.iter().filter(|path| is_absolute(path)).collect();
        // The longest folder first: it may contain others.
        absolute.sort_by_key(|path| std::cmp::Reverse(path.len()));
        for path in &absolute {
            text = text.replace(path.as_str(), &self.short(path));
        }
        for path in absolute {
            let end = path.rfind(['/', '\\']).map_or(0, |end| end + 1);
            // A file at the root has no folder.
            if end > 1 {
                text = text.replace(&path[..end], "");
            }
        }
        text
    }
}

/// The path in a word: the value of an option `--name=value`, or the word itself.
fn path_of(word: &str) -> &str {
    match word.split_once('=') {
        Some((name, value)) if name.starts_with('-') => value,
        _ => word,
    }
}

/// Whether a path starts at the root, in the home folder or in a parent folder.
fn is_absolute(path: &str) -> bool {
    Path::new(path).is_absolute() || path.starts_with("~/") || path.starts_with("../")
}

/// The names in a path, without the root and the current folder.
fn components(path: &str) -> Vec<String> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_string()),
        _ => None,
    };
    Path::new(path).components().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_same_name_have_the_shortest_distinguishing_tail() {
        let words =
            ["/home/ada/a/x.csv", "/home/ada/b/x.csv", "--covar=/home/ada/c/pcs.txt", "data/x.csv"];
        let names = FileNames::new(words);
        assert_eq!(
            words.map(|word| names.word(word)),
            ["a/x.csv", "b/x.csv", "--covar=pcs.txt", "data/x.csv"]
        );
        assert_eq!(names.short("data/x.csv"), "data/x.csv");
        assert_eq!(names.text("/home/ada/a/x.csv and /home/ada/c/other"), "a/x.csv and other");
        // The same file twice is not another file.
        assert_eq!(FileNames::new(["/a/x.csv", "/a/./x.csv"]).short("/a/x.csv"), "x.csv");
        assert_eq!(FileNames::default().short("/home/ada/x.csv"), "x.csv");
        assert_eq!(FileNames::default().short("standard input"), "standard input");
        assert_eq!(FileNames::new(["/x.csv"]).text("a / b"), "a / b");
    }
}
