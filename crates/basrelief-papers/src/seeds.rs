//! Seeds of the parts of an experiment.

/// A seed for one part, from the experiment's seed and the part's place in it.
///
/// Every number is mixed in by the finaliser of SplitMix64 (Steele et al. 2014), so that
/// neighbouring parts have unrelated seeds and a part's seed does not depend on which other parts
/// are run.
pub(crate) fn derived(seed: u64, place: &[u64]) -> u64 {
    place.iter().fold(mixed(seed), |state, &number| mixed(state ^ number))
}

fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_first_number_is_that_of_splitmix64() {
        // The published first output of the generator seeded with 0.
        assert_eq!(mixed(0), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn places_have_seeds_of_their_own() {
        let mut seen = HashSet::new();
        for seed in 0..3 {
            for a in 0..20 {
                for b in 0..20 {
                    assert!(seen.insert(derived(seed, &[a, b])));
                }
            }
            assert!(seen.insert(derived(seed, &[5])));
        }
    }
}
