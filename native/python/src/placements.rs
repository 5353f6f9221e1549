//! The positions of buffers in which the engine calls an implementation: in place, and with the tag behind the text.

use crate::algorithm::{Algorithm, check_input, check_output};
use crate::buffer::Buffer;
use crate::errors::VerificationError;
use crate::exclusive::exclusive;
use crate::guard_pages::{Argument, Memory};
use aeadlab_abi as abi;
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// A position of the buffers of a message. Both are false in the other calls of verification.
#[derive(Clone, Copy)]
struct Placement {
    /// Whether input and output are the same buffer.
    in_place: bool,
    /// Whether the tag directly follows the text; otherwise it has a separate buffer.
    tag_behind: bool,
}

impl Placement {
    const fn name(self) -> &'static str {
        match (self.in_place, self.tag_behind) {
            (true, true) => "in place with the tag behind",
            (true, false) => "in place",
            (false, _) => "with the tag behind",
        }
    }
}

/// The order is that of the reports: a message in place is the most frequent use.
const PLACEMENTS: [Placement; 3] = [
    Placement { in_place: true, tag_behind: false },
    Placement { in_place: true, tag_behind: true },
    Placement { in_place: false, tag_behind: true },
];

/// Message length in bytes up to which every placement is called; longer messages are sealed and opened in place, with a
/// separate tag.
const EVERY_PLACEMENT_UP_TO: usize = 1 << 14;

/// The arguments of one message.
struct Message<'a> {
    nonce: &'a [u8],
    aad: &'a [u8],
    data: &'a [u8],
    text: &'a [u8],
    tag: &'a [u8],
}

/// Seal and open a message in every placement that the algorithm supports, besides separate buffers; with `forged` only
/// open it, with a forged tag. `sealed` is the result in separate buffers. Return the placements; raise
/// `VerificationError` where a result differs from `sealed`, an argument is changed, or the forged tag is accepted.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // the arguments of a call and its result
#[pyo3(signature = (algorithm, key, nonce, data, aad, sealed, *, forged=false))]
pub(crate) fn check_placements(
    py: Python<'_>,
    algorithm: &Algorithm,
    key: &Bound<'_, PyAny>,
    nonce: &Bound<'_, PyAny>,
    data: &Bound<'_, PyAny>,
    aad: &Bound<'_, PyAny>,
    sealed: &Bound<'_, PyAny>,
    forged: bool,
) -> PyResult<Vec<&'static str>> {
    let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
    let (nonce, aad) = (Buffer::copy_of(nonce, "nonce")?, Buffer::copy_of(aad, "aad")?);
    let (data, sealed) = (Buffer::copy_of(data, "data")?, Buffer::copy_of(sealed, "sealed")?);
    let declared = algorithm.entry.algorithm;
    let _guard = exclusive(py, declared);
    let Some((text, tag)) = sealed.split_at_checked(data.len()).filter(|(_, t)| t.len() == declared.tag_bytes as usize)
    else {
        return Err(VerificationError::new_err("the sealed message has a wrong length"));
    };
    let message = Message { nonce: &nonce, aad: &aad, data: &data, text, tag };
    let short = data.len() <= EVERY_PLACEMENT_UP_TO;
    let mut called = Vec::new();
    for placement in PLACEMENTS {
        let Placement { in_place, tag_behind } = placement;
        let applies = (!in_place || declared.has(abi::IN_PLACE)) && (!tag_behind || !tag.is_empty());
        if applies && (short || !tag_behind) {
            if forged {
                open_forged(algorithm, &key, &message, placement)?;
            } else {
                seal(algorithm, &key, &message, placement)?;
                open(algorithm, &key, &message, placement)?;
            }
            called.push(placement.name());
        }
    }
    Ok(called)
}

fn failed(placement: Placement, reason: &str) -> PyErr {
    VerificationError::new_err(format!("{}: {reason}", placement.name()))
}

fn seal(algorithm: &Algorithm, key: &[u8], message: &Message<'_>, placement: Placement) -> PyResult<()> {
    let Message { nonce, aad, data, text, tag } = *message;
    let behind = if placement.tag_behind { tag.len() } else { 0 };
    let mut context = algorithm.context_of(key)?;
    let (n, a) = (Memory::input(Argument::Nonce, nonce), Memory::input(Argument::AssociatedData, aad));
    let input = Memory::input(Argument::Input, if placement.in_place { &[] } else { data });
    let mut output = if placement.in_place {
        Memory::in_place(&[data, &vec![0; behind]].concat())
    } else {
        Memory::output(Argument::Output, data.len() + behind)
    };
    let mut own_tag = Memory::output(Argument::Tag, tag.len() - behind);
    let to = output.as_mut_ptr();
    let from = if placement.in_place { to.cast_const() } else { input.as_slice().as_ptr() };
    let tag_to = if placement.tag_behind { to.wrapping_add(data.len()) } else { own_tag.as_mut_ptr() };
    // SAFETY: input and output have the length passed and are equal, which the algorithm declares, or disjoint; the tag
    // has the algorithm's length.
    let outcome = unsafe { context.seal(n.as_slice(), a.as_slice(), from, data.len(), to, tag_to) };
    check_input(Argument::Nonce, &n, nonce)?;
    check_input(Argument::AssociatedData, &a, aad)?;
    check_input(Argument::Input, &input, if placement.in_place { &[] } else { data })?;
    check_output(if placement.in_place { Argument::InPlace } else { Argument::Output }, &output)?;
    check_output(Argument::Tag, &own_tag)?;
    outcome.map_err(|error| failed(placement, &error.to_string()))?;
    let written = [output.as_slice(), own_tag.as_slice()].concat();
    if written.get(..text.len()) != Some(text) {
        return Err(failed(placement, "the ciphertext differs from that in a separate output"));
    }
    if written.get(text.len()..) != Some(tag) {
        return Err(failed(placement, "the tag differs from that in a separate buffer"));
    }
    Ok(())
}

fn open(algorithm: &Algorithm, key: &[u8], message: &Message<'_>, placement: Placement) -> PyResult<()> {
    if open_once(algorithm, key, message, placement)?.as_deref() == Some(message.data) {
        return Ok(());
    }
    Err(failed(placement, "the opened message differs from the original"))
}

fn open_forged(algorithm: &Algorithm, key: &[u8], message: &Message<'_>, placement: Placement) -> PyResult<()> {
    let Some((last, others)) = message.tag.split_last() else { return Ok(()) };
    let tag = [others, &[last ^ 1]].concat();
    if open_once(algorithm, key, &Message { tag: &tag, ..*message }, placement)?.is_none() {
        return Ok(());
    }
    Err(failed(placement, "a forged tag is accepted"))
}

/// Opens a message; returns None if the algorithm rejects the tag.
fn open_once(
    algorithm: &Algorithm,
    key: &[u8],
    message: &Message<'_>,
    placement: Placement,
) -> PyResult<Option<Vec<u8>>> {
    let Message { nonce, aad, text, tag, .. } = *message;
    let mut context = algorithm.context_of(key)?;
    let (n, a) = (Memory::input(Argument::Nonce, nonce), Memory::input(Argument::AssociatedData, aad));
    let sealed = if placement.tag_behind { [text, tag].concat() } else { text.to_vec() };
    let (mut input, mut output) = if placement.in_place {
        (Memory::input(Argument::Input, &[]), Memory::in_place(&sealed))
    } else {
        (Memory::input(Argument::Input, &sealed), Memory::output(Argument::Output, text.len()))
    };
    let own_tag = Memory::input(Argument::Tag, if placement.tag_behind { &[] } else { tag });
    let to = output.as_mut_ptr();
    let from = if placement.in_place { to.cast_const() } else { input.as_mut_ptr().cast_const() };
    let tag_from = if placement.tag_behind { from.wrapping_add(text.len()) } else { own_tag.as_slice().as_ptr() };
    // SAFETY: as in `seal`.
    let outcome = unsafe { context.open(n.as_slice(), a.as_slice(), from, text.len(), to, tag_from) };
    check_input(Argument::Nonce, &n, nonce)?;
    check_input(Argument::AssociatedData, &a, aad)?;
    check_input(Argument::Input, &input, if placement.in_place { &[] } else { &sealed })?;
    check_input(Argument::Tag, &own_tag, if placement.tag_behind { &[] } else { tag })?;
    check_output(if placement.in_place { Argument::InPlace } else { Argument::Output }, &output)?;
    if placement.in_place && placement.tag_behind && output.as_slice().get(text.len()..) != Some(tag) {
        return Err(failed(placement, "it writes to its tag"));
    }
    match outcome {
        Ok(()) => Ok(output.as_slice().get(..text.len()).map(<[u8]>::to_vec)),
        Err(::parsplit::Error::Authentication) => Ok(None),
        Err(error) => Err(failed(placement, &error.to_string())),
    }
}
