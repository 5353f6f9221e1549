//! `dynamic`: an atomic counter; each worker takes the next run of neighbouring blocks. No worker waits while runs are
//! left.

use super::guided::share_out;
use super::{Row, longest_run};

pub(super) static DYNAMIC: Row = Row::own("dynamic", |run| share_out(run, longest_run(run), false));
pub(super) static DYNAMIC_PINNED: Row = Row::own("dynamic-pinned", |run| share_out(run, longest_run(run), true));
