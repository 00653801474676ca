//! The list of all protocols.

use basrelief::error::nearest_name;
use basrelief::{Error, Result};

use crate::protocol::ProtocolInfo;
use crate::{c10, hm13, pb06, rba26, sw08, w11};

/// Every protocol, in the order of the documentation.
pub static PROTOCOLS: &[&ProtocolInfo] = &[
    &pb06::INFO,
    &sw08::TABLE2,
    &sw08::TABLE3,
    &sw08::FIGURE3,
    &c10::FIGURE1,
    &c10::FIGURE3,
    &c10::FIGURE4,
    &c10::FIGURE5,
    &w11::FIGURE5,
    &w11::FIGURE6,
    &w11::FIGURE7,
    &w11::FIGURE8,
    &hm13::INFO,
    &rba26::INFO,
];

/// Returns the protocol with a name or alias.
///
/// # Errors
/// The protocol does not exist; the error suggests the most similar name.
pub fn protocol(name: &str) -> Result<&'static ProtocolInfo> {
    PROTOCOLS
        .iter()
        .find(|info| info.name == name || info.aliases.contains(&name))
        .copied()
        .ok_or_else(|| {
            let all =
                PROTOCOLS.iter().flat_map(|info| info.aliases.iter().chain([&info.name]).copied());
            let help = match nearest_name(name, all.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the protocols are {}", all.collect::<Vec<_>>().join(", ")),
            };
            Error::option("experiment", format!("there is no protocol `{name}`"), help)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_protocol_suggests_the_nearest() {
        let error = protocol("pb6").unwrap_err().to_string();
        assert!(error.contains("did you mean `pb06`?"), "{error}");
    }

    #[test]
    fn names_are_folders_and_options_have_valid_defaults() {
        for info in PROTOCOLS {
            assert!(info.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
            info.settings::<&str, &str>(&[]).unwrap();
        }
    }
}
