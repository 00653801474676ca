//! Declaration of a method's options: a struct that is read from them, with a setter for each.

/// Declares a struct whose fields are read from options:
///
/// - `k: usize = N_NEIGHBORS`: the option, read as the type of the field;
/// - `online: bool = MODE is "online"`: whether the option has this value;
/// - `ridge: Ridge = RIDGE by str::parse`: the text of the option, parsed by a function;
/// - `space: SpaceOptions [missing, ramp]`: several options, read by the type of the field; those that the method has
///   are listed. `nearest: NearestSettings [n_samples] = { n_neighbors: 1 }` also fixes some fields.
///
/// Every field has a setter of the same name; a field that is read from several options has a setter for each of
/// these. `Default` uses the default values of the options in the registry entry `INFO`.
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $(
                $(#[$doc:meta])*
                pub $field:ident: $type:ty $([$($own:ident),+])?
                    $(= $source:tt $($how:ident $what:expr)?)?
            ),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[doc = "\n\n[The page of this method](self): when to use it, formula, cost, limits and source."]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)+
        }

        impl $name {
            /// The method with the default values of its options.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            $($crate::methods::settings::setters! {
                $field: $type, $([$($own)+])? $(#[$doc])*
            })+
        }

        #[cfg(test)]
        impl $crate::methods::settings::HasSetters for $name {
            const SETTERS: &'static [&'static [&'static str]] = &[$(
                $crate::methods::settings::setter_names!(
                    $([$($own)+])? $($source $($how $what)?)?
                )
            ),+];
        }

        impl $crate::options::FromSettings for $name {
            fn from_settings(settings: &$crate::options::Settings) -> $crate::Result<Self> {
                Ok(Self {
                    $($field: $crate::methods::settings::read_setting!(
                        settings, $type $(, $source $($how $what)?)?
                    ),)+
                })
            }
        }

        impl Default for $name {
            /// The default values of its options.
            fn default() -> Self {
                $crate::options::FromSettings::from_defaults(INFO.options)
            }
        }
    };
}
pub(super) use settings;

/// Reads one field of [`settings!`].
macro_rules! read_setting {
    ($settings:ident, $type:ty) => {
        <$type as $crate::options::FromSettings>::from_settings($settings)?
    };
    ($settings:ident, $type:ty, { $($field:ident: $value:expr),+ }) => {{
        let mut group = <$type as $crate::options::FromSettings>::from_settings($settings)?;
        $(group.$field = $value;)+
        group
    }};
    ($settings:ident, $type:ty, $option:ident) => {
        $settings.read::<$type>(&$option)?
    };
    ($settings:ident, $type:ty, $option:ident is $word:expr) => {
        $settings.text(&$option)? == $word
    };
    ($settings:ident, $type:ty, $option:ident by $parse:expr) => {
        $settings.parse(&$option, $parse)?
    };
}
pub(super) use read_setting;

/// The setters of one field of [`settings!`]: one, or one for each option from which the field is read.
macro_rules! setters {
    ($group:ident: $type:ty, [$($option:ident)+] $(#[$doc:meta])*) => {
        $($crate::methods::settings::group_setter! { $group $option })+
    };
    ($field:ident: $type:ty, $(#[$doc:meta])*) => {
        #[doc = concat!("Sets the field `", stringify!($field), "`.\n\n")]
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    };
}
pub(super) use setters;

/// The setter of one option in a group: `nearest`, `sampled` or `space`.
macro_rules! group_setter {
    (space $option:ident) => {
        $crate::methods::settings::group_setter! { (space) $option }
    };
    ($group:ident metric) => {
        $crate::methods::settings::group_setter! { ($group.space) metric }
    };
    ($group:ident missing) => {
        $crate::methods::settings::group_setter! { ($group.space) missing }
    };
    ($group:ident ramp) => {
        $crate::methods::settings::group_setter! { ($group.space) ramp }
    };
    ($group:ident genotype_diff) => {
        $crate::methods::settings::group_setter! { ($group.space) genotype_diff }
    };
    ($group:ident $option:ident) => {
        $crate::methods::settings::group_setter! { ($group) $option }
    };
    (($($at:ident).+) n_neighbors) => {
        /// Sets the number of nearest neighbors per group, at least 1. The field also takes several numbers.
        #[must_use]
        pub fn n_neighbors(mut self, n_neighbors: usize) -> Self {
            self.$($at).+.n_neighbors = vec![n_neighbors];
            self
        }
    };
    (($($at:ident).+) n_samples) => {
        $crate::methods::settings::group_setter! {
            ($($at).+) n_samples: Option<usize>,
            "Sets the number of rows sampled without replacement, at least 1; `None` for all rows."
        }
    };
    (($($at:ident).+) neighbor_weights) => {
        $crate::methods::settings::group_setter! {
            ($($at).+) neighbor_weights: $crate::neighbors::NeighborWeights,
            "Sets the weight of a neighbor by its rank."
        }
    };
    (($($at:ident).+) ties) => {
        $crate::methods::settings::group_setter! {
            ($($at).+) ties: $crate::neighbors::Ties,
            "Sets which of the rows at equal distance count."
        }
    };
    (($($at:ident).+) metric) => {
        $crate::methods::settings::group_setter! {
            ($($at).+) metric: $crate::differences::Metric,
            "Sets how differences of features are combined into a distance of rows."
        }
    };
    (($($at:ident).+) missing) => {
        $crate::methods::settings::group_setter! {
            ($($at).+) missing: $crate::differences::MissingPolicy,
            "Sets how the difference to a missing value is defined."
        }
    };
    (($($at:ident).+) ramp) => {
        $crate::methods::settings::group_setter! {
            ($($at).+) ramp: Option<$crate::differences::Ramp>,
            "Sets the ramp for numeric differences; `None` for no ramp."
        }
    };
    (($($at:ident).+) genotype_diff) => {
        $crate::methods::settings::group_setter! {
            ($($at).+) genotype_diff: $crate::differences::GenotypeDiff,
            "Sets how the difference of two genotypes is defined."
        }
    };
    (($($at:ident).+) $option:ident: $type:ty, $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn $option(mut self, $option: $type) -> Self {
            self.$($at).+.$option = $option;
            self
        }
    };
}
pub(super) use group_setter;

/// The options that the setters of one field set.
#[cfg(test)]
macro_rules! setter_names {
    ([$($option:ident)+] $($fixed:tt)*) => { &[$(stringify!($option)),+] };
    ($option:ident $($how:ident $what:expr)?) => { &[$option.name] };
}
#[cfg(test)]
pub(super) use setter_names;

/// A method whose options have setters.
#[cfg(test)]
pub(super) trait HasSetters {
    /// The names of these options, field by field.
    const SETTERS: &'static [&'static [&'static str]];
}
