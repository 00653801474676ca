//! What one line of the list of methods stands for.

/// Lists the weighting methods: `module { Type, Others }`, of which `Type` is the method. Each line
/// declares the module, exports its types, gives the method its `fit`, and enters `INFO` of the
/// module into the registry, as a weighting method and as one that learns a map.
macro_rules! weighting_methods {
    ($($module:ident { $method:ident $(, $other:ident)* })+) => {
        $(
            mod $module;
            pub use $module::{$method $(, $other)*};

            impl $method {
                /// Fits the weights. The report holds the warnings of the method and of the table,
                /// and the seconds taken.
                ///
                /// # Errors
                /// What the method refuses, see [the type](Self); [`crate::Error::Cancelled`].
                pub fn fit(
                    &self,
                    problem: &Problem<'_>,
                    run: &$crate::Run,
                ) -> $crate::Result<$crate::Fitted<$crate::maps::FeatureWeights>> {
                    $module::INFO.timed(problem, run, |report| self.weigh(problem, report, run))
                }
            }
        )+

        /// Every method that weighs features, in the order of the documentation.
        pub static METHODS: &[&MethodInfo] = &[$(&$module::INFO),+];

        /// The weighting methods as methods that learn a map ([`Weighted`]).
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

/// Lists the methods that learn a map: `module { Types }`. Each line declares the module, exports its
/// types, and enters `INFO` of the module into the registry.
macro_rules! map_methods {
    ($($module:ident { $($type:ident),* })+) => {
        $(
            mod $module;
            $(pub use $module::$type;)*
        )+

        /// Every method that learns a map, in the order of the documentation.
        pub static MAP_METHODS: &[&MapMethodInfo] = &[$(&$module::INFO),+];
    };
}
pub(super) use map_methods;

/// Lists the wrappers by their modules.
macro_rules! wrapper_methods {
    ($($module:ident)+) => {
        $(mod $module;)+

        /// Every wrapper, in the order of the documentation.
        pub static WRAPPERS: &[&WrapperInfo] = &[$(&$module::INFO),+];
    };
}
pub(super) use wrapper_methods;
