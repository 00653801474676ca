//! The common parts of all pages: style, script, their hashes for the browser, names and the target.

use askama::Template;

use crate::charts::{CLASS_COLORS, Histogram, Mark, ShareBar, Steps, class_color};
use crate::data::TargetSummary;
use crate::text::{SHORT, grouped, shortened};

/// The maximum length of a name in a tooltip.
const TITLE: usize = 1000;

/// The maximum length of the target's name in its heading.
const HEADING: usize = 80;

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("../assets/report.css");

/// The script of all pages; they are complete without it.
pub(crate) const SCRIPT: &str = include_str!("../assets/report.js");

/// SHA-256 of [`STYLE`] and [`SCRIPT`] in base64: a browser uses no other style or script of a page. A test compares them.
pub(crate) const STYLE_HASH: &str = "p4rxBFLBvG5UanYAQBBDui4j8hZ2yLcjW7JEXEqvI2Y=";
/// See [`STYLE_HASH`].
pub(crate) const SCRIPT_HASH: &str = "bif/ELaF9jn+2AkI4BxSpyn0xyv+6e52vzFsmLEXfzg=";

/// Style and script of a page.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) style: &'static str,
    pub(crate) script: &'static str,
    pub(crate) style_hash: &'static str,
    pub(crate) script_hash: &'static str,
}

impl Frame {
    /// Style and script, equal for all pages.
    pub(crate) fn new() -> Self {
        Self { style: STYLE, script: SCRIPT, style_hash: STYLE_HASH, script_hash: SCRIPT_HASH }
    }
}

/// A name, and its short form.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) short: String,
    pub(crate) full: String,
}

impl Name {
    /// Shortens a name.
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

/// The target as it appears on a page.
#[derive(Debug)]
pub(crate) struct TargetView {
    pub(crate) name: Name,
    pub(crate) legend: Vec<Key>,
    pub(crate) bar: Option<ShareBar>,
    pub(crate) histogram: Option<String>,
    /// The target before the adjustment for covariates.
    pub(crate) before: Option<Box<TargetView>>,
    /// The first of several targets.
    pub(crate) parts: Vec<TargetView>,
    /// The number of other targets.
    pub(crate) others: usize,
}

/// The number of several targets that a page shows.
const PARTS: usize = 12;

impl TargetView {
    /// The view of a target.
    pub(crate) fn new(target: &TargetSummary) -> Self {
        let name = Name {
            short: shortened(target.name(), HEADING),
            full: shortened(target.name(), TITLE),
        };
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
                // Classes without a separate color are combined.
                if classes.len() > CLASS_COLORS + 1 {
                    legend.truncate(CLASS_COLORS);
                    let rows = grouped(counts[CLASS_COLORS..].iter().sum());
                    let name = format!("{} other classes", classes.len() - CLASS_COLORS);
                    let mark = Mark::of(CLASS_COLORS);
                    legend.push(Key { color: CLASS_COLORS, mark, name: Name::new(&name), rows });
                }
                let bar = Some(ShareBar::new(&counts, &names));
                Self { legend, bar, ..Self::blank(name) }
            }
            TargetSummary::Real { name: target, least, greatest, counts, before } => {
                let drawn = Histogram::new(target, *least, *greatest, counts);
                let before = before.as_ref().map(|before| Box::new(Self::new(before)));
                Self { histogram: drawn.render().ok(), before, ..Self::blank(name) }
            }
            TargetSummary::Survival { name: target, curve } => {
                let drawn = Steps::new("", target, std::slice::from_ref(curve));
                Self { histogram: drawn.render().ok(), ..Self::blank(name) }
            }
            TargetSummary::Several { targets, .. } => {
                let parts = targets.iter().take(PARTS).map(Self::new).collect();
                let others = targets.len().saturating_sub(PARTS);
                Self { parts, others, ..Self::blank(name) }
            }
        }
    }

    /// A target of which only the name is known.
    fn blank(name: Name) -> Self {
        let (legend, parts) = (Vec::new(), Vec::new());
        Self { name, legend, bar: None, histogram: None, before: None, parts, others: 0 }
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

    /// Neither can end its element or request anything from a host.
    #[test]
    fn style_and_script_are_self_contained() {
        for text in [STYLE, SCRIPT] {
            for word in ["</", "<!--", "http:", "https:", "url(", "@import"] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }
}
