//! Maps against naive versions and properties.

mod maps {
    mod lmnn;
}
