//! What all pages share: style, script, and which of them a browser may use.

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("../assets/report.css");

/// The script of all pages; they are complete without it.
pub(crate) const SCRIPT: &str = include_str!("../assets/report.js");

/// SHA-256 of [`STYLE`] and [`SCRIPT`] in base64: a browser uses nothing else that stands in a page. A
/// test compares them.
pub(crate) const STYLE_HASH: &str = "jrUqQ2xMDYqD3K0SjDabVIJM/+bCS77H09Guod4rODg=";
/// See [`STYLE_HASH`].
pub(crate) const SCRIPT_HASH: &str = "k7Psje+4rQ9ae+Sh+ZslX3/PPb7cicaGVBcQtsL8ps8=";

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
