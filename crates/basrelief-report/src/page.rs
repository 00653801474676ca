//! What all pages share: style, script, which of them a browser may use, and how names and the target are
//! shown.

use askama::Template;

use crate::charts::{CLASS_COLORS, Histogram, Mark, ShareBar, class_color};
use crate::data::TargetSummary;
use crate::text::{SHORT, grouped, shortened};

/// Characters of a name that appear where it is pointed at.
const TITLE: usize = 1000;

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("../assets/report.css");

/// The script of all pages; they are complete without it.
pub(crate) const SCRIPT: &str = include_str!("../assets/report.js");

/// SHA-256 of [`STYLE`] and [`SCRIPT`] in base64: a browser uses nothing else that stands in a page. A
/// test compares them.
pub(crate) const STYLE_HASH: &str = "aATAgrwxga1aYuT3iABH1VUQ5aNgHZe6wdkDCpVbj4E=";
/// See [`STYLE_HASH`].
pub(crate) const SCRIPT_HASH: &str = "k7Psje+4rQ9ae+Sh+ZslX3/PPb7cicaGVBcQtsL8ps8=";

/// What the frame of a page holds.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) style: &'static str,
    pub(crate) script: &'static str,
    pub(crate) style_hash: &'static str,
    pub(crate) script_hash: &'static str,
}

impl Frame {
    /// The same for all pages.
    pub(crate) fn new() -> Self {
        Self { style: STYLE, script: SCRIPT, style_hash: STYLE_HASH, script_hash: SCRIPT_HASH }
    }
}

/// A name that may be too long for its place.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) short: String,
    pub(crate) full: String,
}

impl Name {
    /// Of a name.
    pub(crate) fn new(name: &str) -> Self {
        Self { short: shortened(name, SHORT), full: shortened(name, TITLE) }
    }
}

/// A class of the legend.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) color: usize,
    /// The shape of its points.
    pub(crate) mark: Mark,
    pub(crate) name: Name,
    pub(crate) rows: String,
}

/// What is shown of the target.
#[derive(Debug)]
pub(crate) struct TargetView {
    pub(crate) name: Name,
    pub(crate) legend: Vec<Key>,
    pub(crate) bar: Option<ShareBar>,
    pub(crate) histogram: Option<String>,
}

impl TargetView {
    /// Of a target.
    pub(crate) fn new(target: &TargetSummary) -> Self {
        let name = Name::new(target.name());
        match target {
            TargetSummary::Classes { classes, .. } => {
                let key = |(class, (name, rows)): (usize, &(String, usize))| Key {
                    color: class_color(class),
                    mark: Mark::of(class_color(class)),
                    name: Name::new(name),
                    rows: grouped(*rows),
                };
                let counts: Vec<usize> = classes.iter().map(|(_, rows)| *rows).collect();
                let names: Vec<String> = classes.iter().map(|(name, _)| name.clone()).collect();
                let mut legend: Vec<Key> = classes.iter().enumerate().map(key).collect();
                // Those without a color of their own are one.
                if classes.len() > CLASS_COLORS + 1 {
                    legend.truncate(CLASS_COLORS);
                    let rows = grouped(counts[CLASS_COLORS..].iter().sum());
                    let name = format!("{} other classes", classes.len() - CLASS_COLORS);
                    let mark = Mark::of(CLASS_COLORS);
                    legend.push(Key { color: CLASS_COLORS, mark, name: Name::new(&name), rows });
                }
                let bar = Some(ShareBar::new(&counts, &names));
                Self { name, legend, bar, histogram: None }
            }
            TargetSummary::Real { name: target, least, greatest, counts } => {
                let drawn = Histogram::new(target, *least, *greatest, counts);
                Self { name, legend: Vec::new(), bar: None, histogram: drawn.render().ok() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_hashes_are_those_of_style_and_script() {
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
        assert_eq!(STYLE_HASH, hash(STYLE), "STYLE_HASH");
        assert_eq!(SCRIPT_HASH, hash(SCRIPT), "SCRIPT_HASH");
    }

    /// What would end the element in which they stand, or ask another host.
    #[test]
    fn style_and_script_stay_inside() {
        for text in [STYLE, SCRIPT] {
            for word in ["</", "<!--", "http:", "https:", "url(", "@import"] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }
}
