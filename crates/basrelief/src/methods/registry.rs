//! The list of all methods.

use super::info::{MapMethodInfo, MethodInfo, Task};
use super::weighted::Weighted;
use super::{
    d_lmnn, dann, drelieff, euclidean, fskgp, fskpca, gda, gi_relief, irelief, klfe, kpca, lda,
    ldm, lfda, lfe, lmba, lmnn, mdm, mfa, multisurf, multisurf_star, myopic, nca, o_relief, pca,
    pdrelieff, rca, relief, relief_e, relief_margin, relieff, rrelieff, simba, surf, surf_star,
    swrf_star,
};
use crate::error::{Error, Result, nearest_name};

/// Every method that learns a map, in the order of the documentation.
pub static MAP_METHODS: &[&MapMethodInfo] = &[
    &euclidean::INFO,
    &pca::INFO,
    &lda::INFO,
    &rca::INFO,
    &dann::INFO,
    &lfda::INFO,
    &mfa::INFO,
    &lfe::INFO,
    &o_relief::INFO,
    &gi_relief::INFO,
    &nca::INFO,
    &ldm::INFO,
    &lmnn::INFO,
    &kpca::INFO,
    &klfe::INFO,
    &gda::INFO,
    &fskpca::INFO,
    &fskgp::INFO,
];

/// Lists the weighting methods, and what makes a map of each.
macro_rules! weighting_methods {
    ($($module:ident),* $(,)?) => {
        /// Every method that weighs features, in the order of the documentation.
        pub static METHODS: &[&MethodInfo] = &[$(&$module::INFO),*];

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
        }),*];
    };
}

weighting_methods![
    relieff,
    rrelieff,
    surf,
    surf_star,
    multisurf,
    multisurf_star,
    swrf_star,
    relief,
    relief_e,
    relief_margin,
    myopic,
    drelieff,
    pdrelieff,
    irelief,
    simba,
    lmba,
    mdm,
    d_lmnn,
];

/// The weighting methods that take classes, as methods that learn a map: features, or the
/// coordinates of a kernel's basis, scaled by the roots of their weights.
pub fn weightings() -> impl Iterator<Item = &'static MapMethodInfo> {
    let regression = |name: &str| {
        METHODS.iter().any(|method| method.name == name && method.task == Task::Regression)
    };
    WEIGHTINGS.iter().filter(move |method| !regression(method.name))
}

/// The method of that name.
///
/// # Errors
/// No such method; the nearest name is suggested.
pub fn method(name: &str) -> Result<&'static MethodInfo> {
    let found = METHODS.iter().find(|method| method.name == name).copied();
    found.ok_or_else(|| unknown_method(name, METHODS.iter().map(|method| method.name)))
}

/// The method of that name that learns a map, or whose weights make one.
///
/// # Errors
/// No such method; the nearest name is suggested.
pub fn map_method(name: &str) -> Result<&'static MapMethodInfo> {
    let all = || MAP_METHODS.iter().copied().chain(weightings());
    let found = all().find(|method| method.name == name);
    found.ok_or_else(|| unknown_method(name, all().map(|method| method.name)))
}

fn unknown_method<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Error {
    if MAP_METHODS.iter().any(|method| method.name == name) {
        let help = "use it with `basrelief fit`";
        return Error::option("method", format!("`{name}` learns a map and ranks nothing"), help);
    }
    if METHODS.iter().any(|method| method.name == name) {
        let help = "use it with `basrelief rank`";
        return Error::option(
            "method",
            format!("`{name}` explains a real target, no classes"),
            help,
        );
    }
    let help = match nearest_name(name, names) {
        Some(near) => format!("did you mean `{near}`? `basrelief methods` lists all"),
        None => "`basrelief methods` lists all".to_string(),
    };
    Error::option("method", format!("there is no method `{name}`"), help)
}
