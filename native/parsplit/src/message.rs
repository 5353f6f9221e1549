//! What a worker does with one block of a message.

use crate::nonce::Nonces;
use crate::part::Part;
use crate::{Context, Layout, Result, prefetch};
use aeadlab_abi::Algorithm;
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;

/// The context of one worker, made when it gets its first block.
pub(crate) type Slot = CachePadded<UnsafeCell<Option<Context>>>;

/// What is done to each block.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    Seal { tags: *mut u8 },
    Open { tags: *const u8 },
}

/// One message on its way, shared by the workers.
pub(crate) struct Message<'a> {
    pub(crate) layout: Layout,
    pub(crate) part: Part,
    pub(crate) nonces: Nonces,
    pub(crate) ad: &'a [u8],
    pub(crate) input: *const u8,
    pub(crate) output: *mut u8,
    pub(crate) work: Work,
    pub(crate) key: &'a [u8],
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) slots: &'a [Slot],
}

// SAFETY: blocks are disjoint in `output` and in the tags, and `Schedule::run` gives each block to one worker; a
// slot is used by the worker of its index alone, which `Schedule::run` promises not to run twice at once.
unsafe impl Sync for Message<'_> {}

impl Message<'_> {
    /// Does one block with the context of one worker.
    #[inline]
    pub(crate) fn block(&self, worker: usize, index: usize) -> Result<()> {
        // SAFETY: see `impl Sync`: no other reference to this slot exists now.
        let slot = unsafe { &mut *self.slots[worker].get() };
        let context = match slot {
            Some(context) => context,
            None => slot.insert(Context::new(self.algorithm, self.key)?),
        };
        let range = self.layout.block(index);
        let number = self.part.first + index;
        let ad = if number == 0 { self.ad } else { &[] };
        let last = self.part.ends && self.layout.is_last(index);
        // Where each block is followed by its tag, the sealed one lies as many tags further on as there are before it.
        let (plain, tag) = (range.start, self.layout.tag(index));
        let (sealed, tag) = if self.part.woven { (plain + tag, range.end + tag) } else { (plain, tag) };
        let (from, to) = match self.work {
            Work::Seal { .. } => (plain, sealed),
            Work::Open { .. } => (sealed, plain),
        };
        let (input, output, bytes) = (self.input.wrapping_add(from), self.output.wrapping_add(to), range.len());
        prefetch::head(input, output, bytes);
        self.nonces.with(number, last, |nonce| {
            // SAFETY: the range lies in both buffers, and the tag in the tags, by the layout that `run` was given.
            unsafe {
                match self.work {
                    Work::Seal { tags } => context.seal(nonce, ad, input, bytes, output, tags.wrapping_add(tag)),
                    Work::Open { tags } => context.open(nonce, ad, input, bytes, output, tags.wrapping_add(tag)),
                }
            }
        })
    }
}
