//! Items put in groups.

use std::ops::Range;

/// Items of numbered groups, in the order they came, one group's behind the other's.
#[derive(Debug, Default)]
pub(crate) struct Grouped<T> {
    /// Per group, the end of its items.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Grouped<T> {
    /// Items with their groups, of which there are `groups`.
    pub(crate) fn new(groups: usize, items: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut grouped = Self::default();
        grouped.fill(groups, items);
        grouped
    }

    /// Replaces all groups and their items, in the same memory.
    pub(crate) fn fill(&mut self, groups: usize, items: impl Iterator<Item = (usize, T)> + Clone) {
        // Counted one further on, so that the sums are the starts, which grow to be the ends.
        self.ends.clear();
        self.ends.resize(groups + 1, 0);
        items.clone().for_each(|(group, _)| self.ends[group + 1] += 1);
        let mut sum = 0;
        for end in &mut self.ends {
            sum += *end;
            *end = sum;
        }
        self.items.clear();
        self.items.resize(sum, T::default());
        for (group, item) in items {
            let end = &mut self.ends[group];
            self.items[*end] = item;
            *end += 1;
        }
        self.ends.truncate(groups);
    }

    /// The items of a group.
    pub(crate) fn of(&self, group: usize) -> &[T] {
        &self.items[self.range(group)]
    }

    /// The same, `None` where there is no such group.
    pub(crate) fn get(&self, group: usize) -> Option<&[T]> {
        (group < self.ends.len()).then(|| self.of(group))
    }

    /// Where a group's are among the items of all groups.
    pub(crate) fn range(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start..self.ends[group]
    }

    /// Every group's items.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.ends.len()).map(|group| self.of(group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order() {
        let items = [(2, 7), (0, 5), (2, 1), (3, 9), (0, 5), (2, 3)];
        let mut grouped = Grouped::new(5, items.into_iter());
        let wanted: [&[u32]; 5] = [&[5, 5], &[], &[7, 1, 3], &[9], &[]];
        assert!(grouped.iter().eq(wanted));
        grouped.fill(1, [(0, 4)].into_iter());
        assert!(grouped.iter().eq([&[4_u32][..]]));
        grouped.fill(0, [].into_iter());
        assert_eq!(grouped.iter().count(), 0);
    }
}
