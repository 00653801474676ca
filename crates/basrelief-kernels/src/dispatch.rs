//! Which instruction set to use, decided once.

use std::ffi::OsString;
use std::sync::OnceLock;

/// An instruction-set level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The instructions that every machine of the architecture supports.
    Portable,
    /// AVX2, FMA and POPCNT.
    Avx2,
    /// AVX-512 F, BW, DQ, VL, VBMI, VNNI and VPOPCNTDQ.
    Avx512,
}

impl Level {
    /// Every level, narrowest first.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vnni")
                    && is_x86_feature_detected!("avx512vpopcntdq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// # Panics
    /// This machine does not have it.
    #[track_caller]
    pub(crate) fn assert_available(self) {
        // Levels contain those before them; to ask for one is a dozen questions.
        assert!(self <= widest(), "{} is not on this machine", self.name());
    }

    /// `portable`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }
}

/// The environment variable that forces a level.
pub const VARIABLE: &str = "BASRELIEF_SIMD";

/// Why a forced level cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelError {
    /// No level has that name.
    Unknown(String),
    /// This machine does not have it.
    Unavailable(Level),
}

/// The level in use: the one that the environment variable `BASRELIEF_SIMD` names, else (also when
/// it is empty) the widest that this machine has. Decided at the first call.
///
/// # Errors
/// The variable names no level, or one that this machine does not have.
pub fn chosen_level() -> Result<Level, LevelError> {
    static CHOSEN: OnceLock<Result<Level, LevelError>> = OnceLock::new();
    CHOSEN.get_or_init(|| choose(std::env::var_os(VARIABLE))).clone()
}

/// As [`chosen_level`], but the widest level where the variable is wrong: for use once it was found
/// to be right.
pub fn level() -> Level {
    chosen_level().unwrap_or_else(|_| widest())
}

fn choose(name: Option<OsString>) -> Result<Level, LevelError> {
    let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(widest()) };
    match Level::ALL.into_iter().find(|level| name == level.name()) {
        Some(level) if level.is_available() => Ok(level),
        Some(level) => Err(LevelError::Unavailable(level)),
        None => Err(LevelError::Unknown(name.to_string_lossy().into_owned())),
    }
}

/// The widest level that this machine has, looked up once.
fn widest() -> Level {
    static WIDEST: OnceLock<Level> = OnceLock::new();
    *WIDEST.get_or_init(|| {
        let available = Level::ALL.into_iter().rev().find(|level| level.is_available());
        available.unwrap_or(Level::Portable)
    })
}

/// Compiles one generic body for every level and calls the one asked for.
///
/// `multiversion!(level, |arguments| -> Result { body })` expands to a function per level, marked with the
/// level's instruction set. The arguments are variables with their types; the body sees no others, and
/// what it calls is to be `#[inline(always)]`: what is not inlined is not compiled for the level. The
/// constant `FUSED` says whether the level has fused additions, see [`plus`].
macro_rules! multiversion {
    ($level:expr, |$($name:ident : $type:ty),* $(,)?| $body:block) => {
        $crate::dispatch::multiversion!($level, |$($name: $type),*| -> () $body)
    };
    ($level:expr, |$($name:ident : $type:ty),* $(,)?| -> $result:ty $body:block) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,popcnt")]
        fn avx2($($name: $type),*) -> $result {
            #[allow(dead_code)]
            const FUSED: bool = true;
            $body
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,fma,popcnt")]
        fn avx512($($name: $type),*) -> $result {
            #[allow(dead_code)]
            const FUSED: bool = true;
            $body
        }

        fn portable($($name: $type),*) -> $result {
            #[allow(dead_code)]
            const FUSED: bool = false;
            $body
        }

        let level: $crate::Level = $level;
        level.assert_available();
        match level {
            // SAFETY: `assert_available` has just seen that the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Avx2 => unsafe { avx2($($name),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Avx512 => unsafe { avx512($($name),*) },
            _ => portable($($name),*),
        }
    }};
}

/// Calls a function that is written by hand for every level: the function with this name in the
/// module `avx512` or `avx2` next to the caller, or in the caller's module.
///
/// `by_hand!(level, function(arguments))` calls it once; `by_hand!(level, caller(arguments), function(names))`
/// calls another function with arguments and, as its last one, a closure of those names that calls it.
macro_rules! by_hand {
    ($level:expr, $function:ident($($argument:expr),* $(,)?)) => {{
        let level: $crate::Level = $level;
        level.assert_available();
        match level {
            // SAFETY: `assert_available` has just seen that the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Avx512 => unsafe { avx512::$function($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Avx2 => unsafe { avx2::$function($($argument),*) },
            _ => $function($($argument),*),
        }
    }};
    ($level:expr, $caller:ident($($given:expr),*), $function:ident($($name:ident),*)) => {{
        let level: $crate::Level = $level;
        level.assert_available();
        match level {
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Avx512 => $caller($($given,)* |$($name),*| {
                // SAFETY: `assert_available` has just seen that the machine has these instructions.
                unsafe { avx512::$function($($name),*) }
            }),
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Avx2 => $caller($($given,)* |$($name),*| {
                // SAFETY: as above.
                unsafe { avx2::$function($($name),*) }
            }),
            _ => $caller($($given,)* $function),
        }
    }};
}

pub(crate) use {by_hand, multiversion};

/// `sum + value`, where `one` is a 1 that the compiler does not know.
///
/// A fused multiplication by 1 rounds as the addition does. Processors have separate units for it,
/// so that a loop that uses both has twice as many units.
#[inline(always)]
pub(crate) fn plus<const FUSED: bool>(sum: f64, value: f64, one: f64) -> f64 {
    if FUSED { value.mul_add(one, sum) } else { sum + value }
}

/// A 1 that the compiler does not know.
pub(crate) fn one() -> f64 {
    std::hint::black_box(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_can_be_forced_by_its_name_only() {
        assert_eq!(choose(None), Ok(widest()));
        assert_eq!(choose(Some("".into())), Ok(widest()));
        for level in Level::ALL {
            let wanted =
                if level.is_available() { Ok(level) } else { Err(LevelError::Unavailable(level)) };
            assert_eq!(choose(Some(level.name().into())), wanted);
        }
        assert_eq!(choose(Some("AVX2".into())), Err(LevelError::Unknown("AVX2".to_string())));
    }
}
