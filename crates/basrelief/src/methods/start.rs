//! The start of a search for a map.

use std::cmp::Ordering;

use super::learn::{Coordinates, Learn};
use super::{Lda, Pca};
use crate::algebra::principal_axes;
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;
use crate::wording::setting;

choices! {
    Start {
        Auto = "auto",
        Identity = "identity",
        Pca = "pca",
        Lda = "lda",
    }
}

/// `init` of `nca`, `lmnn` and `mlkr`: the start of the search.
pub(super) static INIT: OptionInfo = OptionInfo {
    name: "init",
    flag: "init",
    kind: OptionKind::Choice(Start::WORDS),
    default: "auto",
    help: "Start of the search; auto: lda for fewer components than classes, pca for fewer than \
           dimensions, otherwise identity",
};

/// The first map of a search, up to its scale.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// Discriminant directions if there are at least as many as requested components; otherwise
    /// principal directions if fewer components than coordinates are requested; otherwise the
    /// coordinates.
    #[default]
    Auto,
    /// The coordinates themselves, or the first of them.
    Identity,
    /// The directions of largest variance.
    Pca,
    /// The directions that separate the class means; there are fewer of them than classes.
    Lda,
}

impl Start {
    /// The first map, with `components` rows.
    ///
    /// A matrix given by the caller is the start, whatever this value.
    ///
    /// # Errors
    /// More components than discriminant directions, if these were requested; a given matrix of another number of rows.
    pub(crate) fn matrix(
        self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<DenseMatrix> {
        let width = coordinates.values().columns();
        if let Some(given) = coordinates.start() {
            return match given.rows().cmp(&components) {
                Ordering::Equal => Ok(given.clone()),
                // The rows span fewer dimensions than the matrix has rows: its metric needs no more.
                Ordering::Greater if components == width => principal_axes(given, run),
                _ => Err(Error::option(
                    "start",
                    format!("it has {} rows for {components} components", given.rows()),
                    "provide one row per component",
                )),
            };
        }
        let telling = match coordinates.numbers() {
            Ok(_) => 0,
            Err(_) => coordinates.classes()?.len() - 1,
        };
        let chosen = match self {
            Start::Auto if components <= telling.min(width) => Start::Lda,
            Start::Auto if components < width => Start::Pca,
            Start::Auto => Start::Identity,
            chosen => chosen,
        };
        let mut start = match chosen {
            Start::Auto | Start::Identity => DenseMatrix::identity(width),
            Start::Pca => Pca.learn(coordinates, components, report, run)?.matrix,
            Start::Lda if components > telling => {
                return Err(Error::option(
                    INIT.name,
                    format!("lda provides {telling} components, but {components} are requested"),
                    format!(
                        "use {} or {}",
                        setting(INIT.name, Some("pca")),
                        setting(INIT.name, Some("identity"))
                    ),
                ));
            }
            Start::Lda => {
                // The ridge of the start is not that of the map.
                let mut own = Report::default();
                let found = Lda::default().learn(coordinates, components, &mut own, run)?;
                report.warnings.append(&mut own.warnings);
                found.matrix
            }
        };
        start.truncate(components);
        Ok(start)
    }
}
