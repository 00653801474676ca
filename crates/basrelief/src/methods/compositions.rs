//! Methods that are others under a name of their own: a basis of a kernel's space, then a method
//! there. A name is a registry entry; its options are those of the method, and a kernel by default.

use super::Settings;
use super::learn::{Coordinates, Directions, Frame, Learn};
use super::o_relief::AxisRelief;
use super::options::{METRIC, ONE_NEIGHBOR, TIES};
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

/// A method under another name.
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) method: Box<dyn Learn>,
}

impl Learn for Named {
    fn name(&self) -> &'static str {
        self.name
    }

    fn needs_classes(&self) -> bool {
        self.method.needs_classes()
    }

    fn frame(&self) -> Frame {
        self.method.frame()
    }

    fn takes_principal_coordinates(&self) -> bool {
        self.method.takes_principal_coordinates()
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        self.method.learn(coordinates, components, report, run)
    }
}

/// Relief weights of the axes of a kernel's basis, under a name.
pub(super) fn axis_relief(name: &'static str, settings: &Settings) -> Result<Box<dyn Learn>> {
    Ok(Box::new(AxisRelief {
        name,
        n_neighbors: settings.read(&ONE_NEIGHBOR)?,
        metric: settings.read(&METRIC)?,
        ties: settings.read(&TIES)?,
    }))
}
