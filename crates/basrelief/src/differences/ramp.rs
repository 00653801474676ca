//! A ramp over the differences of numbers.

/// Hong's ramp: a numeric difference below one threshold counts as 0, above another as 1, and
/// linearly in between (Robnik-Sikonja & Kononenko 2003). Thresholds are fractions of the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ramp {
    equal: f64,
    different: f64,
}

impl Ramp {
    /// A ramp from `equal` to `different`, fractions of the feature's range with `0 <= equal <
    /// different <= 1`; `None` if they violate this.
    pub fn new(equal: f64, different: f64) -> Option<Self> {
        let valid = (0.0..1.0).contains(&equal) && different > equal && different <= 1.0;
        valid.then_some(Self { equal, different })
    }

    /// Differences up to this threshold count as 0.
    pub fn equal(&self) -> f64 {
        self.equal
    }

    /// Differences from this threshold on count as 1.
    pub fn different(&self) -> f64 {
        self.different
    }

    /// Reads `none` or `T_EQUAL:T_DIFFERENT`.
    ///
    /// # Errors
    /// The reason for refusing the text.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        if text == "none" {
            return Ok(None);
        }
        text.split_once(':')
            .and_then(|(equal, different)| {
                Self::new(equal.trim().parse().ok()?, different.trim().parse().ok()?)
            })
            .map(Some)
            .ok_or_else(|| {
                format!("`{text}` is not `none` or two shares of the range, the first smaller")
            })
    }

    /// The ramped value of a range-normalized absolute difference.
    pub fn apply(&self, difference: f64) -> f64 {
        ((difference - self.equal) / (self.different - self.equal)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_is_flat_then_linear_then_flat() {
        let ramp = Ramp::parse("0.04:0.1").unwrap().unwrap();
        assert_eq!(ramp.apply(0.03), 0.0);
        assert!((ramp.apply(0.07) - 0.5).abs() < 1e-15);
        assert_eq!(ramp.apply(0.2), 1.0);
        assert_eq!(Ramp::parse("none"), Ok(None));
        for bad in ["0.1:0.1", "0.1", "-1:0.5", "0:2", "nan:1"] {
            assert!(Ramp::parse(bad).is_err(), "{bad}");
        }
    }
}
