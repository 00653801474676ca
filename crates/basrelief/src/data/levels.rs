//! Levels of categories: which texts are the same level or missing, and the order of levels.
//!
//! Readers pass on texts unchanged. Here, the same texts get the same levels with the same codes,
//! independently of the file format, so that fits are identical to the bit.

use std::collections::HashMap;

use super::{Categories, Column, MISSING_CODE, Values, is_missing_text};

/// The levels of texts, and the level of every text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownLevels {
    /// The levels, in the order of the texts.
    pub(super) levels: Vec<String>,
    /// The index of the level of every text; [`MISSING_CODE`] for texts that mean missing values.
    pub(super) places: Vec<u32>,
}

impl KnownLevels {
    /// Reads distinct texts. White space around a text is ignored, and texts such as `NA` are missing
    /// ([`is_missing_text`]). Returns `None` if the texts are already the levels.
    pub(super) fn new(texts: &[String]) -> Option<Self> {
        let is_level = |text: &String| {
            let bare = text.trim();
            bare.len() == text.len() && !is_missing_text(bare)
        };
        if texts.iter().all(is_level) {
            return None;
        }
        let mut index: HashMap<&str, u32> = HashMap::with_capacity(texts.len());
        let mut levels = Vec::with_capacity(texts.len());
        let mut place = |text: &'_ str| {
            levels.push(text.to_string());
            levels.len() as u32 - 1
        };
        let places = texts.iter().map(|text| match text.trim() {
            missing if is_missing_text(missing) => MISSING_CODE,
            bare => *index.entry(bare).or_insert_with(|| place(bare)),
        });
        let places = places.collect();
        Some(Self { levels, places })
    }

    /// For each level, the first of its entries; `entries` contains one entry per text.
    pub(super) fn firsts<T: Copy>(&self, entries: &[T]) -> Vec<T> {
        let mut firsts = Vec::with_capacity(self.levels.len());
        for (&place, &entry) in self.places.iter().zip(entries) {
            // Levels are in the order of the texts.
            if place != MISSING_CODE && place as usize == firsts.len() {
                firsts.push(entry);
            }
        }
        firsts
    }
}

impl Categories {
    /// Replaces the levels; `places` contains the index of the new level for every old one.
    pub(super) fn moved(&self, levels: Vec<String>, places: &[u32]) -> Self {
        let place = |&code: &u32| if code == MISSING_CODE { code } else { places[code as usize] };
        let codes = self.codes().iter().map(place).collect();
        // All places are valid indices of levels, so that the fallback is never used.
        Self::new(codes, levels).unwrap_or_else(|_| Self::from_texts([]))
    }

    /// Sorts the levels in the canonical order, by first appearance in the rows, and removes levels that do not
    /// occur. The levels of an ordinal column are unchanged.
    pub(super) fn in_order_of_appearance(self) -> Self {
        if self.is_ordered() {
            return self;
        }
        let mut places = vec![MISSING_CODE; self.levels().len()];
        let mut order = Vec::with_capacity(places.len());
        for &code in self.codes().iter().filter(|code| **code != MISSING_CODE) {
            let place = &mut places[code as usize];
            if *place == MISSING_CODE {
                *place = order.len() as u32;
                order.push(code);
            }
        }
        if order.len() == places.len() && (0..).zip(&order).all(|(place, code)| place == *code) {
            return self;
        }
        let levels = order.iter().map(|&code| self.levels()[code as usize].clone()).collect();
        self.moved(levels, &places)
    }
}

impl<'a> Column<'a> {
    /// The same column with its categories in the canonical order; ordinal columns are unchanged.
    #[must_use]
    pub(super) fn in_order_of_appearance(self) -> Self {
        match self.values() {
            Values::Categorical(own) if !own.is_ordered() => {
                let own = own.clone().in_order_of_appearance();
                self.with_categories(own)
            }
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_string()).collect()
    }

    #[test]
    fn white_space_around_texts_does_not_count() {
        assert_eq!(KnownLevels::new(&texts(&["red", "dark blue"])), None);
        let found = KnownLevels::new(&texts(&[" red", "NA", "blue", "red ", "\u{a0}"])).unwrap();
        assert_eq!(found.levels, ["red", "blue"]);
        assert_eq!(found.places, [0, MISSING_CODE, 1, 0, MISSING_CODE]);
        assert_eq!(found.firsts(&[2, 3, 4, 5, 6]), [2, 4]);
    }

    #[test]
    fn levels_are_counted_in_the_order_of_their_rows() {
        let levels = texts(&["a", "b", "c", "d"]);
        let given = Categories::new(vec![2, MISSING_CODE, 0, 2, 3], levels.clone()).unwrap();
        let found = given.in_order_of_appearance();
        assert_eq!(found.levels(), ["c", "a", "d"]);
        assert_eq!(found.codes(), [0, MISSING_CODE, 1, 0, 2]);
        assert_eq!(found.clone().in_order_of_appearance(), found);
        let ordered = Categories::ordered(vec![2, 0], levels).unwrap();
        assert_eq!(ordered.clone().in_order_of_appearance(), ordered);
    }
}
