//! Edits of sealed files that know where chunks begin, which changes of bytes hardly find.

use crate::check::{CHUNK_BYTES, SEEDS, Seed, check};
use crate::double::{context, key, splitter};
use crate::readers::split;
use arbitrary::Arbitrary;
use parsplit::{Opener, Result};

/// A seed and what is done to it; numbers are taken modulo what there is.
#[derive(Arbitrary, Debug)]
pub struct Edited {
    seed: u8,
    edits: Vec<Edit>,
}

#[derive(Arbitrary, Debug)]
enum Edit {
    /// Removes a chunk.
    Drop(u8),
    /// Exchanges two chunks.
    Swap(u8, u8),
    /// Writes a chunk a second time, before another one.
    Repeat(u8, u8),
    /// Takes a chunk of another seed in place of one.
    Splice(u8, u8, u8),
    /// Takes the header of another seed.
    Header(u8),
    /// Changes bits of one byte of a chunk.
    Flip(u8, u16, u8),
    /// Cuts a chunk to this length.
    Cut(u8, u16),
    /// Appends bytes to a chunk.
    Append(u8, Vec<u8>),
}

impl Edited {
    /// Panics if a reader opens the edited file, unless the edits have made it a seed.
    pub fn check(&self) {
        let seed = choose(&SEEDS, self.seed);
        // Pieces of a seed: its header and its chunks.
        let mut pieces = pieces(seed).unwrap();
        for edit in &self.edits {
            edit.apply(&mut pieces);
        }
        check(seed.format, &pieces.concat());
    }
}

impl Edit {
    fn apply(&self, pieces: &mut Vec<Vec<u8>>) {
        let place = |number: u8| usize::from(number) % pieces.len();
        match self {
            Self::Drop(chunk) if pieces.len() > 1 => drop(pieces.remove(place(*chunk))),
            Self::Drop(_) => {}
            Self::Swap(one, two) => {
                let (one, two) = (place(*one), place(*two));
                pieces.swap(one, two);
            }
            // More chunks would only make the readers slower.
            Self::Repeat(chunk, before) if pieces.len() < 16 => {
                let (chunk, before) = (pieces[place(*chunk)].clone(), place(*before));
                pieces.insert(before, chunk);
            }
            Self::Repeat(..) => {}
            Self::Splice(chunk, seed, other) => {
                let others = self::pieces(choose(&SEEDS, *seed)).unwrap();
                let chunk = place(*chunk);
                pieces[chunk].clone_from(&others[usize::from(*other) % others.len()]);
            }
            Self::Header(seed) => pieces[0].clone_from(&self::pieces(choose(&SEEDS, *seed)).unwrap()[0]),
            Self::Flip(chunk, at, bits) => {
                let chunk = place(*chunk);
                let bytes = pieces[chunk].len().max(1);
                if let Some(byte) = pieces[chunk].get_mut(usize::from(*at) % bytes) {
                    *byte ^= bits;
                }
            }
            Self::Cut(chunk, bytes) => {
                let chunk = place(*chunk);
                pieces[chunk].truncate(usize::from(*bytes));
            }
            Self::Append(chunk, bytes) => {
                let chunk = place(*chunk);
                pieces[chunk].extend(bytes);
            }
        }
    }
}

fn choose(seeds: &[Seed], number: u8) -> &Seed {
    &seeds[usize::from(number) % seeds.len()]
}

/// Cuts a seed into its header and its chunks.
fn pieces(seed: &Seed) -> Result<Vec<Vec<u8>>> {
    let (header, body) = split(seed.format, &seed.sealed)?;
    let splitter = splitter(seed.format, CHUNK_BYTES, 1);
    let opener = Opener::resume(&splitter, seed.format, &key(seed.format), context(seed.format), header)?;
    let layout = opener.layout(body.len() as u64)?;
    let mut pieces = vec![header.to_vec()];
    for block in 0..layout.blocks() {
        let range = layout.sealed_range(&(block..block + 1))?;
        pieces.push(body[range.start as usize..range.end as usize].to_vec());
    }
    Ok(pieces)
}
