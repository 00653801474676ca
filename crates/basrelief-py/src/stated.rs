//! The names and kinds of columns, as Python states them.

use std::collections::BTreeMap;

use basrelief::data::{ColumnKind, Names};
use basrelief::{Error, Result};
use pyo3::prelude::*;

use crate::errors::to_python;

/// The names of columns: any iterable of texts, which are stored in one text.
pub(crate) struct NameInput(pub(crate) Names);

impl<'py> FromPyObject<'_, 'py> for NameInput {
    type Error = PyErr;

    fn extract(names: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let texts = names.try_iter()?.map(|name| name?.extract::<String>());
        texts.collect::<PyResult<Names>>().map(Self)
    }
}

/// The stated kinds of columns.
#[derive(Default)]
pub(crate) struct Kinds {
    /// Per column; `None` if the kind is inferred from the values.
    kinds: Vec<Option<ColumnKind>>,
    /// The levels of ordinal columns in ascending order, where they are listed.
    orders: BTreeMap<usize, Vec<String>>,
}

impl Kinds {
    /// Number of columns.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The kinds in the order of the columns.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<ColumnKind>> {
        self.kinds.iter().copied()
    }

    /// The listed levels of a column.
    pub(crate) fn order(&self, column: usize) -> Option<&[String]> {
        self.orders.get(&column).map(Vec::as_slice)
    }

    /// The columns with listed levels, and the levels.
    pub(crate) fn orders(&self) -> impl Iterator<Item = (usize, &[String])> {
        self.orders.iter().map(|(column, order)| (*column, order.as_slice()))
    }

    /// The kinds, but numeric for the columns with listed levels.
    pub(crate) fn numeric_for_orders(&self) -> Vec<Option<ColumnKind>> {
        let mut kinds = self.kinds.clone();
        self.orders.keys().for_each(|&column| kinds[column] = Some(ColumnKind::Numeric));
        kinds
    }
}

impl From<Vec<ColumnKind>> for Kinds {
    fn from(kinds: Vec<ColumnKind>) -> Self {
        Self { kinds: kinds.into_iter().map(Some).collect(), orders: BTreeMap::new() }
    }
}

/// The stated kind of a column.
#[derive(FromPyObject)]
enum KindInput {
    /// `auto`, `numeric`, `categorical`, `ordinal` (in the order of its numbers) or `genotype`.
    Kind(String),
    /// Ordinal, with the levels in ascending order.
    Order(Vec<String>),
}

/// The kind with a name; `None` for `auto`.
fn named(name: &str) -> Result<Option<ColumnKind>> {
    match ColumnKind::from_name(name) {
        None if name == "auto" => Ok(None),
        None => Err(Error::Internal(format!("there is no kind of column `{name}`"))),
        kind => Ok(kind),
    }
}

impl<'py> FromPyObject<'_, 'py> for Kinds {
    type Error = PyErr;

    fn extract(kinds: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let mut all = Self::default();
        for (column, kind) in kinds.try_iter()?.enumerate() {
            all.kinds.push(match kind?.extract()? {
                KindInput::Kind(name) => named(&name).map_err(to_python)?,
                KindInput::Order(order) => {
                    all.orders.insert(column, order);
                    Some(ColumnKind::Ordinal)
                }
            });
        }
        all.kinds.shrink_to_fit();
        Ok(all)
    }
}
