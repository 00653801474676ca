//! Codes of values in planes of bits.

use basrelief_kernels::{BitRule, MISSING_BYTE, code_planes, genotype_planes, level};

use crate::data::MISSING_GENOTYPE;

/// How a feature's values are coded in planes of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BitCode {
    /// Genotypes whose allele copies are counted: at least one copy, and two copies.
    Dosage,
    /// Up to three values that are compared for equality, coded as genotypes are.
    Genotype,
    /// Four values that are compared for equality, as two binary digits.
    TwoDigits,
    /// Up to sixteen values that are compared for equality, as four binary digits.
    FourDigits,
}

impl BitCode {
    /// All codes.
    pub(crate) const ALL: [Self; 4] =
        [Self::Dosage, Self::Genotype, Self::TwoDigits, Self::FourDigits];

    /// The rule for differences that are not squared.
    pub(crate) fn rule(self) -> BitRule {
        match self {
            Self::Dosage => BitRule::Copies,
            Self::Genotype | Self::TwoDigits => BitRule::Mismatch,
            Self::FourDigits => BitRule::MismatchOfFour,
        }
    }

    /// The byte of a missing value.
    pub(crate) fn missing(self) -> u8 {
        match self {
            Self::Dosage | Self::Genotype => MISSING_GENOTYPE,
            Self::TwoDigits | Self::FourDigits => MISSING_BYTE,
        }
    }

    /// Computes the planes of 64 rows, a word per row, from up to 64 columns of codes. The plane of
    /// known values is omitted if `planes` has only [`BitRule::planes`] entries.
    pub(crate) fn planes(self, columns: &[[u8; 64]], planes: &mut [[u64; 64]]) {
        match self {
            Self::Dosage | Self::Genotype => genotype_planes(level(), columns, planes),
            Self::TwoDigits | Self::FourDigits => code_planes(level(), columns, planes),
        }
    }
}

/// Largest number of planes of a code, including the plane of known values.
pub(crate) const MOST_PLANES: usize = BitRule::MismatchOfFour.planes() + 1;
