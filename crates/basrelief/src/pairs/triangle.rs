//! The pairs of a list, in the order of the upper triangle of a matrix: row by row, without the diagonal.

/// All pairs of positions below `size`: (0, 1), (0, 2), ..., (1, 2), ...
pub(super) fn pairs(size: usize) -> Vec<(usize, usize)> {
    (0..size).flat_map(|first| (first + 1..size).map(move |second| (first, second))).collect()
}

/// The index in [`pairs`] of the pair of two different positions below `size`, in either order; `None` if they are
/// not a pair.
pub(super) fn place(size: usize, one: usize, other: usize) -> Option<usize> {
    let (first, second) = (one.min(other), one.max(other));
    (first < second && second < size)
        .then(|| first * (2 * size - first - 1) / 2 + second - first - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_list() {
        for size in 0..7 {
            for (at, (first, second)) in pairs(size).into_iter().enumerate() {
                assert_eq!(place(size, first, second), Some(at));
                assert_eq!(place(size, second, first), Some(at));
            }
            assert_eq!(place(size, 2, 2), None);
            assert_eq!(place(size, 0, size), None);
        }
    }
}
