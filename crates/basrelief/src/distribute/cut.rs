//! The items of a stage, cut into parts.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Items in parts of about the same size, none of which is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    items: usize,
    /// Items that stay together.
    together: usize,
    parts: usize,
}

impl Cut {
    /// Cuts items into at most `parts` parts. From the first on, `together` items stay in one part.
    pub(crate) fn new(items: usize, together: usize, parts: usize) -> Self {
        Self { items, together, parts: parts.clamp(1, items.div_ceil(together).max(1)) }
    }

    /// The items of all parts.
    pub fn items(self) -> usize {
        self.items
    }

    /// Number of parts.
    pub fn parts(self) -> usize {
        self.parts
    }

    /// The items of a part, numbered from 0.
    ///
    /// # Panics
    /// The part does not exist.
    pub fn part(self, part: usize) -> Range<usize> {
        assert!(part < self.parts, "part {part} of {}", self.parts);
        let units = self.items.div_ceil(self.together) as u128;
        let start = |part: usize| {
            let unit = (units * part as u128 / self.parts as u128) as usize;
            (unit * self.together).min(self.items)
        };
        start(part)..start(part + 1)
    }

    /// The number of items of the largest part.
    pub fn most(self) -> usize {
        let units = self.items.div_ceil(self.together).div_ceil(self.parts);
        (units * self.together).min(self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_even_and_cover_all() {
        for items in [1, 7, 8, 9, 64, 1000] {
            for together in [1, 8, 64] {
                for parts in [1, 2, 7, 64, 5000] {
                    let cut = Cut::new(items, together, parts);
                    assert!(cut.parts() <= parts);
                    let all: Vec<_> = (0..cut.parts()).map(|part| cut.part(part)).collect();
                    assert!(all.iter().cloned().flatten().eq(0..items));
                    assert!(all.iter().all(|part| part.start % together == 0));
                    assert!(all.iter().all(|part| (1..=cut.most()).contains(&part.len())));
                }
            }
        }
    }
}
