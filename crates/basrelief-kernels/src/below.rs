//! Which few of many numbers are small.

use crate::Level;
use crate::dispatch::multiversion;

/// Numbers that are looked at together: most groups hold none.
const GROUP: usize = 32;

/// Adds to `found` the places of the numbers that are at most `limit`, in order. NaN is not.
///
/// # Panics
/// More than 2^32 numbers, or a `level` that this machine does not have.
pub fn find_at_most(level: Level, values: &[f32], limit: f32, found: &mut Vec<u32>) {
    assert!(u32::try_from(values.len()).is_ok(), "places are 32 bits");
    multiversion!(level, fn(values: &[f32], limit: f32, found: &mut Vec<u32>) at_most);
}

#[inline(always)]
fn at_most(values: &[f32], limit: f32, found: &mut Vec<u32>) {
    let (groups, rest) = values.as_chunks::<GROUP>();
    for (group, values) in groups.iter().enumerate() {
        let mut any = [0_u32; 8];
        for part in values.as_chunks::<8>().0 {
            for lane in 0..8 {
                any[lane] |= u32::from(part[lane] <= limit);
            }
        }
        if any.iter().any(|&lane| lane != 0) {
            take(values, limit, group * GROUP, found);
        }
    }
    take(rest, limit, groups.len() * GROUP, found);
}

#[inline(always)]
fn take(values: &[f32], limit: f32, start: usize, found: &mut Vec<u32>) {
    for (place, value) in values.iter().enumerate() {
        if *value <= limit {
            found.push((start + place) as u32);
        }
    }
}
