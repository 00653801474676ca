//! Macros that declare the methods: one line per method.

/// Lists the weighting methods as `module { Type, Others }`, where `Type` is the method. Each line declares the module
/// (its documentation is the page of the method), exports its types, implements `fit`, and adds the `INFO` of the
/// module to the registry, both as a weighting method and as a map method.
macro_rules! weighting_methods {
    ($($module:ident { $method:ident $(, $other:ident)* })+) => {
        $(
            // The page is also written to docs/methods, where each link needs an explicit target.
            #[allow(rustdoc::redundant_explicit_links)]
            pub mod $module;
            #[doc(inline)]
            pub use $module::{$method $(, $other)*};

            impl $method {
                /// Fits the weights on all cores, with seed 0.
                ///
                /// The report contains the warnings about the fit and the table, and the elapsed seconds.
                ///
                /// # Errors
                /// Different numbers of rows in the table and the target; the errors of the method, listed at
                /// [the type](Self); invalid environment variables, see [`Run::new`](crate::Run::new).
                ///
                /// # Examples
                #[doc = $crate::methods::declare::example!(
                    $module $method,
                    "assert!(fitted.model.weights()[0] > fitted.model.weights()[1]);"
                )]
                pub fn fit(
                    &self,
                    table: &Table<'_>,
                    target: &Target,
                ) -> $crate::Result<$crate::Fitted<$crate::maps::FeatureRanking>> {
                    self.fit_with(&Problem::new(table, target)?, &$crate::Run::new(None)?)
                }

                /// Fits the weights like [`fit`](Self::fit), with the covariates or strata of the problem and with the
                /// threads, seed, memory, progress and cancellation flag of the run.
                ///
                /// # Errors
                /// The errors of the method, listed at [the type](Self); [`crate::Error::Cancelled`].
                pub fn fit_with(
                    &self,
                    problem: &Problem<'_>,
                    run: &$crate::Run,
                ) -> $crate::Result<$crate::Fitted<$crate::maps::FeatureRanking>> {
                    $module::INFO.timed(problem, run, |report| self.weigh(problem, report, run))
                }
            }
        )+

        #[cfg(test)]
        mod setters {
            use super::*;
            use super::settings::HasSetters;

            #[test]
            fn every_option_of_a_weighting_has_a_setter() {
                $(
                    let mut options: Vec<_> = $module::INFO.options.iter().map(|own| own.name).collect();
                    let mut setters = <$method>::SETTERS.concat();
                    options.sort_unstable();
                    setters.sort_unstable();
                    assert_eq!(setters, options, "{}", $module::INFO.name);
                )+
            }
        }

        /// All weighting methods, in the order of the documentation.
        pub static METHODS: &[&MethodInfo] = &[$(&$module::INFO),+];

        /// The weighting methods as map methods ([`Weighted`]).
        static WEIGHTINGS: &[MapMethodInfo] = &[$(MapMethodInfo {
            name: $module::INFO.name,
            class: $module::INFO.class,
            supervised: true,
            cost: $module::INFO.cost,
            purpose: $module::INFO.purpose,
            source: $module::INFO.source,
            options: $module::INFO.options,
            choose: $module::INFO.choose,
            documentation: $module::INFO.documentation,
            python: $module::INFO.python,
            build: |settings| Ok(Box::new(Weighted::new(&$module::INFO, settings.clone()))),
        }),+];
    };
}
pub(super) use weighting_methods;

/// Lists the map methods as `module { Type, Others }`, where `Type` is the method; a method that only names another one
/// in a kernel space has no type. Each line declares the module (its documentation is the page of the method), exports
/// its types, implements `fit`, and adds the `INFO` of the module to the registry.
macro_rules! map_methods {
    ($($module:ident { $($method:ident $(, $other:ident)*)? })+) => {
        $(
            // The page is also written to docs/methods, where each link needs an explicit target.
            #[allow(rustdoc::redundant_explicit_links)]
            pub mod $module;
            $(
                #[doc(inline)]
                pub use $module::{$method $(, $other)*};

                impl $method {
                    /// Fits the map on all cores, with seed 0 and the default [`MapSettings`]: all components, raw
                    /// units, no kernel. [`fit_map`] accepts other settings.
                    ///
                    /// A method that needs no target accepts `None`. The report contains the
                    /// warnings about the fit and the table, and the elapsed seconds.
                    ///
                    /// # Errors
                    /// The errors of [`fit_map`]; invalid environment variables, see [`Run::new`](crate::Run::new).
                    ///
                    /// # Examples
                    #[doc = $crate::methods::declare::example!(
                        $module $method,
                        "let rows = fitted.model.transform_table(&table, &basrelief::Run::new(None)?)?;\n\
                         assert_eq!(rows.rows(), table.rows());"
                    )]
                    pub fn fit<'t>(
                        &self,
                        table: &Table<'_>,
                        target: impl Into<Option<&'t Target>>,
                    ) -> $crate::Result<$crate::Fitted<$crate::maps::Map>> {
                        let run = $crate::Run::new(None)?;
                        fit_map(self, table, target.into(), &MapSettings::default(), &run)
                    }

                    /// Fits the map like [`fit`](Self::fit), with the threads, seed, memory, progress and
                    /// cancellation flag of the run.
                    ///
                    /// # Errors
                    /// The errors of [`fit_map`]; covariates that restrict the neighbors.
                    pub fn fit_with(
                        &self,
                        problem: &Problem<'_>,
                        run: &$crate::Run,
                    ) -> $crate::Result<$crate::Fitted<$crate::maps::Map>> {
                        problem.roles().refuse($module::INFO.name)?;
                        let (table, target) = (problem.table(), Some(problem.target()));
                        fit_map(self, table, target, &MapSettings::default(), run)
                    }
                }
            )?
        )+

        /// All map methods, in the order of the documentation.
        pub static MAP_METHODS: &[&MapMethodInfo] = &[$(&$module::INFO),+];
    };
}
pub(super) use map_methods;

/// The doc example of a method's `fit`: a table, a target, the fit, and a check of the result.
macro_rules! example {
    (rrelieff $method:ident, $check:literal) => {
        $crate::methods::declare::example!(
            $method,
            "Target",
            "let target = Target::real(values.iter().step_by(2).copied().collect())?;",
            $check
        )
    };
    (mlkr $method:ident, $check:literal) => {
        $crate::methods::declare::example!(rrelieff $method, $check)
    };
    (survival_relief $method:ident, $check:literal) => {
        $crate::methods::declare::example!(
            $method,
            "Survival",
            "let times: Vec<f64> = values.iter().step_by(2).copied().collect();\n\
             let target = Survival::new(times, vec![true; 12])?.into();",
            $check
        )
    };
    ($module:ident $method:ident, $check:literal) => {
        $crate::methods::declare::example!(
            $method,
            "Classes, Target",
            "let labels = [\"high\", \"low\"].repeat(6);\n\
             let target = Target::Classes(Classes::from_labels(&labels));",
            $check
        )
    };
    ($method:ident, $imports:literal, $target:literal, $check:literal) => {
        concat!(
            "\n```\n",
            "use basrelief::data::{Table, ",
            $imports,
            "};\n",
            "use basrelief::methods::",
            stringify!($method),
            ";\n\n",
            "// 12 rows: the target depends on `a`, and `b` is noise.\n",
            "let values = [\n",
            "    0.9, 0.3, 0.1, 0.4, 0.8, 0.9, 0.2, 0.8, 0.7, 0.1, 0.3, 0.2,\n",
            "    1.0, 0.6, 0.0, 0.5, 0.8, 0.2, 0.2, 0.3, 0.9, 0.7, 0.1, 0.9,\n",
            "];\n",
            "let table = Table::from_row_major(&values, 12, &[\"a\", \"b\"])?;\n",
            $target,
            "\n\n",
            "let fitted = ",
            stringify!($method),
            "::new().fit(&table, &target)?;\n",
            $check,
            "\n",
            "# Ok::<(), basrelief::Error>(())\n",
            "```"
        )
    };
}
pub(super) use example;

/// Lists the wrappers by module.
macro_rules! wrapper_methods {
    ($($module:ident)+) => {
        $(pub mod $module;)+

        /// All wrappers, in the order of the documentation.
        pub static WRAPPERS: &[&WrapperInfo] = &[$(&$module::INFO),+];
    };
}
pub(super) use wrapper_methods;
