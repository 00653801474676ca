//! Groups of items in compressed sparse rows.

use std::ops::Range;

/// Items of numbered groups, stored group after group (compressed sparse rows, CSR).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CsrGroups<T> {
    /// The end of every group among the items.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for CsrGroups<T> {
    /// An empty list of groups.
    fn default() -> Self {
        Self { ends: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy + Default> CsrGroups<T> {
    /// Sorts pairs of a group and an item into `groups` groups; the items of a group keep their order.
    pub(crate) fn new(groups: usize, items: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut csr = Self::default();
        csr.fill(groups, items);
        csr
    }

    /// Replaces all groups and their items, and reuses the memory.
    pub(crate) fn fill(&mut self, groups: usize, items: impl Iterator<Item = (usize, T)> + Clone) {
        // Counts are stored at `group + 1`, so that their sums are the starts; filling moves each start to its end.
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
}

impl<T> CsrGroups<T> {
    /// Creates groups of these lengths from items stored group after group; `None` if the number of items differs.
    pub(crate) fn from_lengths(lengths: &[u32], items: Vec<T>) -> Option<Self> {
        let mut end = 0;
        let ends: Vec<usize> =
            lengths.iter().map(|length| (end += *length as usize, end).1).collect();
        (end == items.len()).then_some(Self { ends, items })
    }

    /// The lengths of all groups, and all items.
    pub(crate) fn into_lengths(self) -> (Vec<u32>, Vec<T>) {
        (self.iter().map(|group| group.len() as u32).collect(), self.items)
    }

    /// Adds a group at the end.
    pub(crate) fn push_group(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
        self.end_group();
    }

    /// Adds an empty group.
    pub(crate) fn end_group(&mut self) {
        self.ends.push(self.items.len());
    }

    /// Adds all groups of another list at the end.
    pub(crate) fn append(&mut self, other: Self) {
        let before = self.items.len();
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.items.extend(other.items);
    }

    /// The items of a group.
    pub(crate) fn group(&self, group: usize) -> &[T] {
        &self.items[self.range(group)]
    }

    /// The items of a group, mutable.
    pub(crate) fn of_mut(&mut self, group: usize) -> &mut [T] {
        let range = self.range(group);
        &mut self.items[range]
    }

    /// The items of a group, or `None` if the group does not exist.
    pub(crate) fn get(&self, group: usize) -> Option<&[T]> {
        (group < self.ends.len()).then(|| self.group(group))
    }

    /// The range of a group's items among the items of all groups.
    pub(crate) fn range(&self, group: usize) -> Range<usize> {
        self.start(group)..self.ends[group]
    }

    /// The start of a group's items.
    fn start(&self, group: usize) -> usize {
        if group == 0 { 0 } else { self.ends[group - 1] }
    }

    /// The items of every group, group by group.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.ends.len()).map(|group| self.group(group))
    }

    /// The items of all groups.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order() {
        let items = [(2, 7), (0, 5), (2, 1), (3, 9), (0, 5), (2, 3)];
        let mut csr = CsrGroups::new(5, items.into_iter());
        let wanted: [&[u32]; 5] = [&[5, 5], &[], &[7, 1, 3], &[9], &[]];
        assert!(csr.iter().eq(wanted));
        csr.fill(1, [(0, 4)].into_iter());
        assert!(csr.iter().eq([&[4_u32][..]]));
        csr.fill(0, [].into_iter());
        assert_eq!(csr.iter().count(), 0);
    }

    #[test]
    fn lengths_divide_the_items() {
        let csr = CsrGroups::from_lengths(&[2, 0, 1], vec![5, 6, 7]).unwrap();
        let wanted: [&[u32]; 3] = [&[5, 6], &[], &[7]];
        assert!(csr.iter().eq(wanted));
        assert_eq!(csr.into_lengths(), (vec![2, 0, 1], vec![5, 6, 7]));
        assert_eq!(CsrGroups::from_lengths(&[2], vec![5, 6, 7]), None);
        assert_eq!(CsrGroups::from_lengths(&[2, 2], vec![5, 6, 7]), None);
    }

    #[test]
    fn groups_are_put_behind_each_other() {
        let mut csr = CsrGroups::default();
        csr.push_group([3, 1]);
        csr.push_group([]);
        let mut other = CsrGroups::default();
        other.push_group([4]);
        other.push_group([8, 9]);
        csr.append(other);
        let wanted: [&[u32]; 4] = [&[3, 1], &[], &[4], &[8, 9]];
        assert!(csr.iter().eq(wanted));
        csr.of_mut(3)[0] = 7;
        assert_eq!(csr.items(), [3, 1, 4, 7, 9]);
        assert_eq!(csr.get(4), None);
    }
}
