use super::foreign::Foreign;
use crate::error::Result;
use crate::run::Run;

/// A schedule's name and implementation.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) implementation: Implementation,
}

pub(super) enum Implementation {
    Builtin(fn(&Run<'_>) -> Result<()>),
    Foreign(Foreign),
}

impl Entry {
    pub(super) const fn builtin(name: &'static str, run: fn(&Run<'_>) -> Result<()>) -> Self {
        Self { name, implementation: Implementation::Builtin(run) }
    }
}
