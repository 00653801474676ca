//! The page of a method is the documentation comment at the top of its file.

/// The page of a method's file: the text of its `//!` lines.
///
/// For example, `page!("relieff.rs")` is used in that file itself.
macro_rules! page {
    ($file:literal) => {{
        const SOURCE: &str = include_str!($file);
        const PAGE: [u8; $crate::methods::page::length(SOURCE)] =
            $crate::methods::page::extract(SOURCE);
        match ::std::str::from_utf8(&PAGE) {
            Ok(page) => page,
            Err(_) => panic!("the source is text"),
        }
    }};
}
pub(super) use page;

/// The length in bytes of the page in a source.
pub(super) const fn length(source: &str) -> usize {
    copy_page(source.as_bytes(), &mut [])
}

/// The page in a source; `LENGTH` is the result of [`length`].
pub(super) const fn extract<const LENGTH: usize>(source: &str) -> [u8; LENGTH] {
    let mut page = [0; LENGTH];
    copy_page(source.as_bytes(), &mut page);
    page
}

/// Copies the text of the leading `//!` lines into `page` as far as it fits, and returns its full length.
const fn copy_page(source: &[u8], page: &mut [u8]) -> usize {
    let (mut at, mut length) = (0, 0);
    while at + 2 < source.len()
        && source[at] == b'/'
        && source[at + 1] == b'/'
        && source[at + 2] == b'!'
    {
        at += 3;
        if source[at] == b' ' {
            at += 1;
        }
        let mut ended = false;
        while !ended && at < source.len() {
            ended = source[at] == b'\n';
            if length < page.len() {
                page[length] = source[at];
            }
            length += 1;
            at += 1;
        }
    }
    length
}

/// The paragraph of a page's section Source, which cites the method's papers, on one line and without links.
pub(super) fn papers(documentation: &str) -> String {
    let (_, section) = documentation.split_once("## Source\n").unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let text = section.split_whitespace().collect::<Vec<_>>().join(" ");
    // `[words](target)` becomes `words`.
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        match (before.rsplit_once('['), after.split_once(')')) {
            (Some((before, words)), Some((_, after))) => {
                plain.push_str(before);
                plain.push_str(words);
                rest = after;
            }
            _ => break,
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{MAP_METHODS, METHODS, WRAPPERS};

    #[test]
    fn papers_are_those_of_the_section_source() {
        let page = "# A\n\n## Source\n\nA. Bee. Title,\n1994; [its form](super::b) of C.\n\n## More\n\nx\n";
        assert_eq!(papers(page), "A. Bee. Title, 1994; its form of C.");
        assert_eq!(papers("no section"), "");
        let all = METHODS.iter().map(|info| info.papers());
        let all = all.chain(MAP_METHODS.iter().map(|info| info.papers()));
        for text in all.chain(WRAPPERS.iter().map(|info| info.papers())) {
            assert!(text.len() > 10 && !text.contains(['[', '\n', '`']), "{text}");
        }
    }

    const SOURCE: &str = "//! # Ä title\n//!\n//! Text.\n\n//! No page.\nuse x;\n";

    #[test]
    fn the_page_is_the_comment_at_the_top() {
        const PAGE: [u8; length(SOURCE)] = extract(SOURCE);
        assert_eq!(std::str::from_utf8(&PAGE), Ok("# Ä title\n\nText.\n"));
        assert_eq!(length("use x;"), 0);
    }
}
