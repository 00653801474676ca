//! The order of numbers.

/// The places of numbers, from the smallest number to the largest; those of equal numbers stay in order.
pub(crate) fn ascending(numbers: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    places.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    places
}

/// The places of numbers, from the largest number to the smallest; those of equal numbers stay in order.
pub(crate) fn descending(numbers: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    places.sort_by(|&a, &b| numbers[b].total_cmp(&numbers[a]));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_stay_in_order() {
        let numbers = [2.0, -1.0, 2.0, 0.0, -1.0];
        assert_eq!(ascending(&numbers), [1, 4, 3, 0, 2]);
        assert_eq!(descending(&numbers), [0, 2, 3, 1, 4]);
        assert!(ascending(&[]).is_empty());
    }
}
