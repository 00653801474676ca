//! Named compositions: methods that apply another method in a kernel space. Each name is a registry
//! entry. Its options are those of the inner method and a kernel, which is `rbf` by default.

use super::learn::{Coordinates, Directions, Frame, Learn};
use super::o_relief::AxisRelief;
use super::options::{METRIC, ONE_NEIGHBOR, TIES};
use super::{Settings, Task};
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

/// Another method, registered under a new name.
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) method: Box<dyn Learn>,
}

impl Learn for Named {
    fn name(&self) -> &'static str {
        self.name
    }

    fn task(&self) -> Option<Task> {
        self.method.task()
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

/// Returns the method that computes Relief weights of the basis axes of a kernel space, as `name`.
pub(super) fn axis_relief(name: &'static str, settings: &Settings) -> Result<Box<dyn Learn>> {
    Ok(Box::new(AxisRelief {
        name,
        n_neighbors: settings.read(&ONE_NEIGHBOR)?,
        metric: settings.read(&METRIC)?,
        ties: settings.read(&TIES)?,
    }))
}
