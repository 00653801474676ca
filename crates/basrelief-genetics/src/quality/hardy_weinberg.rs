//! The exact test of Hardy-Weinberg equilibrium.

/// The relative likelihood of the observed counts. Other likelihoods may be much larger or much smaller without
/// overflow or underflow.
const OBSERVED: f64 = 1e-100;

/// Likelihoods whose ratio is at most this are treated as equal, as in PLINK.
const TIE: f64 = 1.0 + 1.0 / (1_u64 << 44) as f64;

/// Computes the p-value of the exact test of Hardy-Weinberg equilibrium (Wigginton et al. 2005): given the allele
/// counts, the total probability of all numbers of heterozygous people that are no likelier than the observed
/// number. Without people it is 1.
pub fn hardy_weinberg(homozygous: u32, heterozygous: u32, other_homozygous: u32) -> f64 {
    let observed = Counts::new(homozygous, heterozygous, other_homozygous);
    let (mut tail, mut all) = (OBSERVED, OBSERVED);
    for next in [Counts::with_fewer_heterozygous, Counts::with_more_heterozygous] {
        let (mut counts, mut likelihood) = (observed, OBSERVED);
        while let Some((following, ratio)) = next(counts) {
            counts = following;
            likelihood *= ratio;
            all += likelihood;
            if likelihood <= OBSERVED * TIE {
                let before = tail;
                tail += likelihood;
                // The likelihoods are unimodal: after the maximum they only decrease.
                if ratio < 1.0 && tail == before {
                    break;
                }
            } else if all.is_infinite() {
                break;
            }
        }
    }
    // If the sum overflows, the observed counts have a negligible share of it.
    if all.is_finite() { (tail / all).min(1.0) } else { 0.0 }
}

/// One of the possible genotype counts for given allele counts.
#[derive(Debug, Clone, Copy)]
struct Counts {
    rare: f64,
    heterozygous: f64,
    common: f64,
}

impl Counts {
    fn new(one: u32, heterozygous: u32, other: u32) -> Self {
        let (rare, common) = (f64::from(one.min(other)), f64::from(one.max(other)));
        Self { rare, heterozygous: f64::from(heterozygous), common }
    }

    /// Returns the counts with two fewer heterozygous people, and the ratio of the likelihoods.
    fn with_fewer_heterozygous(self) -> Option<(Self, f64)> {
        let Self { rare, heterozygous, common } = self;
        (heterozygous > 1.0).then(|| {
            let next =
                Self { rare: rare + 1.0, heterozygous: heterozygous - 2.0, common: common + 1.0 };
            (next, heterozygous * (heterozygous - 1.0) / (4.0 * next.rare * next.common))
        })
    }

    /// Returns the counts with two more heterozygous people, and the ratio of the likelihoods.
    fn with_more_heterozygous(self) -> Option<(Self, f64)> {
        let Self { rare, heterozygous, common } = self;
        (rare > 0.0).then(|| {
            let next =
                Self { rare: rare - 1.0, heterozygous: heterozygous + 2.0, common: common - 1.0 };
            (next, 4.0 * rare * common / (next.heterozygous * (next.heterozygous - 1.0)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the p-value with the formula n! / (a! h! b!) * 2^h * r! c! / (2n)! and logarithms.
    fn by_formula(homozygous: u32, heterozygous: u32, other: u32) -> f64 {
        let log_factorial = |n: u32| (1..=n).map(|factor| f64::from(factor).ln()).sum::<f64>();
        let people = homozygous + heterozygous + other;
        let alleles = [2 * homozygous + heterozygous, 2 * other + heterozygous];
        let probability = |heterozygous: u32| {
            let [a, b] = alleles.map(|alleles| (alleles - heterozygous) / 2);
            let log = log_factorial(people)
                - log_factorial(a)
                - log_factorial(b)
                - log_factorial(heterozygous)
                + f64::from(heterozygous) * 2_f64.ln()
                + alleles.map(log_factorial).iter().sum::<f64>()
                - log_factorial(2 * people);
            log.exp()
        };
        let least = alleles[0].min(alleles[1]);
        let all = (least % 2..=least).step_by(2).map(probability);
        let observed = probability(heterozygous);
        all.filter(|&other| other <= observed * (1.0 + 1e-9)).sum()
    }

    #[test]
    fn p_values_are_those_of_the_formula() {
        for one in 0..9 {
            for heterozygous in 0..12 {
                for other in 0..20 {
                    let found = hardy_weinberg(one, heterozygous, other);
                    let wanted = by_formula(one, heterozygous, other);
                    let what = format!("{one} {heterozygous} {other}: {found} {wanted}");
                    assert!((found - wanted).abs() < 1e-9, "{what}");
                    assert!(found > 0.0 && found <= 1.0, "{what}");
                    assert_eq!(found, hardy_weinberg(other, heterozygous, one), "{what}");
                }
            }
        }
    }

    /// 100 people with 21 copies of the rare allele.
    #[test]
    fn small_p_values_are_those_of_the_formula() {
        for heterozygous in (1..=21).step_by(2) {
            let rare = (21 - heterozygous) / 2;
            let counts = (rare, heterozygous, 100 - rare - heterozygous);
            let found = hardy_weinberg(counts.0, counts.1, counts.2);
            let wanted = by_formula(counts.0, counts.1, counts.2);
            assert!((found / wanted - 1.0).abs() < 1e-9, "{heterozygous}: {found} {wanted}");
        }
        assert!(hardy_weinberg(10, 1, 89) < 1e-10);
    }

    #[test]
    fn extremes_are_numbers() {
        assert_eq!(hardy_weinberg(0, 0, 0), 1.0);
        assert_eq!(hardy_weinberg(0, 0, 1_000_000), 1.0);
        assert_eq!(hardy_weinberg(1_000_000, 0, 1_000_000), 0.0);
        assert_eq!(hardy_weinberg(0, 2_000_000, 0), 0.0);
        // The other tail is included, however small it is.
        let one_end = hardy_weinberg(0, 100, 900);
        assert!(one_end < hardy_weinberg(40, 20, 940) + 1.0 && one_end > 0.0);
        let p = hardy_weinberg(250_000, 500_000, 250_000);
        assert!((p - 1.0).abs() < 1e-3, "{p}");
    }
}
