//! Names of columns.

use std::fmt;
use std::sync::Arc;

/// The names of the columns of a table, in one text. Columns that take their names from the list share it, so that a
/// name takes its bytes and 8 more, once, and not a `String` in every list and column.
///
/// ```
/// use basrelief::data::Names;
///
/// let names: Names = ["age", "height"].into_iter().collect();
/// assert_eq!(names.len(), 2);
/// assert!(names.iter().eq(["age", "height"]));
/// ```
#[derive(Clone, Default)]
pub struct Names(Arc<NameList>);

/// The text of names, one after the other, and the end of each.
#[derive(Default)]
pub(super) struct NameList {
    text: String,
    ends: Vec<usize>,
}

impl NameList {
    fn get(&self, place: usize) -> &str {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.text[start..self.ends[place]]
    }
}

impl Names {
    /// Number of names.
    pub fn len(&self) -> usize {
        self.0.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name at a place.
    ///
    /// # Panics
    /// `place >= len()`.
    pub fn get(&self, place: usize) -> &str {
        self.0.get(place)
    }

    /// The names in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// The name at a place, which shares the text of the list.
    pub(super) fn shared(&self, place: usize) -> Name {
        Name::Listed(Arc::clone(&self.0), place)
    }
}

impl<T: AsRef<str>> FromIterator<T> for Names {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        let mut list = NameList::default();
        for name in names {
            list.text.push_str(name.as_ref());
            list.ends.push(list.text.len());
        }
        list.text.shrink_to_fit();
        list.ends.shrink_to_fit();
        Self(Arc::new(list))
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The name of a column.
#[derive(Clone)]
pub(super) enum Name {
    /// A separate text.
    Own(Box<str>),
    /// The name at a place of a list.
    Listed(Arc<NameList>, usize),
}

impl Name {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Listed(list, place) => list.get(*place),
        }
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self::Own(text.into())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_given() {
        let wanted = ["a", "", "größe", "a"];
        let names: Names = wanted.iter().collect();
        assert!(names.iter().eq(wanted) && !names.is_empty());
        assert!((0..4).all(|place| names.shared(place).as_str() == wanted[place]));
        assert_eq!(names.get(2), "größe");
        assert_eq!(format!("{names:?}"), format!("{wanted:?}"));
        assert_eq!(Names::default().iter().count(), 0);
    }
}
