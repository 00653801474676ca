//! Counts of 512 permutations at once, in planes of bits: bit `b` of plane `p` is worth `2^p` in the count of
//! permutation `b`.

use crate::Level;
use crate::dispatch::multiversion;
use crate::subsets::turn_bits;

/// Words of a mask.
pub const MASK_WORDS: usize = 8;

/// A bit per permutation.
pub type PermutationMask = [u64; MASK_WORDS];

/// Planes of a count, which is below `2^PLANES`.
const PLANES: usize = 24;

/// A count per permutation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct PermutationCounts {
    planes: [PermutationMask; PLANES],
    /// Upper bound on all counts.
    most: usize,
}

impl Default for PermutationCounts {
    /// No count yet.
    fn default() -> Self {
        Self { planes: [[0; MASK_WORDS]; PLANES], most: 0 }
    }
}

impl PermutationCounts {
    /// Counts one for every permutation of some masks, given by their places.
    ///
    /// # Panics
    /// A place without a mask, counts of `2^24` or more, or a `level` that this machine does not have.
    pub fn add(&mut self, level: Level, masks: &[PermutationMask], chosen: &[u16]) {
        self.most += chosen.len();
        assert!(self.most < 1 << PLANES, "counts of at most 2^24");
        let planes = &mut self.planes;
        multiversion!(
            level,
            |masks: &[PermutationMask], chosen: &[u16], planes: &mut [PermutationMask; PLANES]| {
                let mut ones = planes[0];
                let mut twos = planes[1];
                let mut fours = planes[2];
                let (eights, rest) = chosen.as_chunks::<8>();
                for places in eights {
                    let [a, b, c, d, e, f, g, h] = places.map(|place| &masks[place as usize]);
                    let [first, second] = [full_add(&mut ones, a, b), full_add(&mut ones, c, d)];
                    let low = full_add(&mut twos, &first, &second);
                    let [first, second] = [full_add(&mut ones, e, f), full_add(&mut ones, g, h)];
                    let high = full_add(&mut twos, &first, &second);
                    let carry = full_add(&mut fours, &low, &high);
                    ripple(planes, 3, carry);
                }
                let none = [0; MASK_WORDS];
                for &place in rest {
                    let carry = full_add(&mut ones, &masks[place as usize], &none);
                    let carry = full_add(&mut twos, &carry, &none);
                    let carry = full_add(&mut fours, &carry, &none);
                    ripple(planes, 3, carry);
                }
                planes[0] = ones;
                planes[1] = twos;
                planes[2] = fours;
            }
        );
    }

    /// The counts, permutation by permutation.
    pub fn values(&self) -> [u32; 64 * MASK_WORDS] {
        let mut values = [0; 64 * MASK_WORDS];
        for (word, values) in values.chunks_exact_mut(64).enumerate() {
            let mut square = [0; 64];
            for (row, plane) in square.iter_mut().zip(&self.planes) {
                *row = plane[word];
            }
            turn_bits(&mut square);
            for (value, bits) in values.iter_mut().zip(square) {
                *value = bits as u32;
            }
        }
        values
    }
}

/// Adds two bits to a third in every place; the carries.
#[inline(always)]
fn full_add(
    sum: &mut PermutationMask,
    a: &PermutationMask,
    b: &PermutationMask,
) -> PermutationMask {
    let mut carry = [0; MASK_WORDS];
    for word in 0..MASK_WORDS {
        let (own, a, b) = (sum[word], a[word], b[word]);
        carry[word] = (a & b) | (own & (a ^ b));
        sum[word] = own ^ a ^ b;
    }
    carry
}

/// Adds carries to the planes from one on.
#[inline(always)]
fn ripple(planes: &mut [PermutationMask; PLANES], first: usize, mut carry: PermutationMask) {
    for plane in &mut planes[first..] {
        if carry.iter().fold(0, |any, word| any | word) == 0 {
            break;
        }
        for word in 0..MASK_WORDS {
            (plane[word], carry[word]) = (plane[word] ^ carry[word], plane[word] & carry[word]);
        }
    }
}
