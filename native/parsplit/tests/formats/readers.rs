//! All forms of reading, as the tests compare them.

use crate::double::{context, key, message, splitter};
use parsplit::{Error, Format, Opener, OpeningReader, ParSplit, Sealer, SealingWriter, SeekingReader};
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

/// The plaintext that a reader returned before the end or an error.
pub struct Outcome {
    pub plain: Vec<u8>,
    pub result: io::Result<()>,
}

pub type Open = fn(&ParSplit, &Format, &[u8], &[u8], &[u8]) -> Outcome;

/// All readers by name. Each returns verified plaintext only.
pub const READERS: [(&str, Open); 3] = [("whole", whole), ("streaming", streaming), ("seeking", seeking)];

pub fn whole(splitter: &ParSplit, format: &Format, key: &[u8], context: &[u8], sealed: &[u8]) -> Outcome {
    let open = || {
        let (header, body) = split(format, sealed)?;
        let mut opener = Opener::resume(splitter, format, key, context, header)?;
        let mut plain = vec![0; opener.opened_bytes(0, body.len(), true)?];
        opener.open(0, body, true, &mut plain)?;
        Ok(plain)
    };
    match open() {
        Ok(plain) => Outcome { plain, result: Ok(()) },
        Err(error) => Outcome { plain: vec![], result: Err(Error::into(error)) },
    }
}

pub fn streaming(splitter: &ParSplit, format: &Format, key: &[u8], context: &[u8], sealed: &[u8]) -> Outcome {
    let mut plain = vec![];
    let result = OpeningReader::with_format(splitter, format, key, context, sealed).and_then(|mut reader| {
        let read = reader.read_to_end(&mut plain).map(|_| ());
        assert!(read.is_ok() || reader.read(&mut [0]).is_err(), "an end was reported after an error");
        read
    });
    Outcome { plain, result }
}

/// Reads from the end to the start, in pieces.
pub fn seeking(splitter: &ParSplit, format: &Format, key: &[u8], context: &[u8], sealed: &[u8]) -> Outcome {
    let open = || {
        let mut reader = SeekingReader::with_format(splitter, format, key, context, Cursor::new(sealed))?;
        let mut plain = vec![0; reader.len() as usize];
        let mut end = plain.len();
        while end > 0 {
            let start = end.saturating_sub(20_001);
            reader.seek(SeekFrom::Start(start as u64))?;
            reader.read_exact(&mut plain[start..end])?;
            end = start;
        }
        Ok(plain)
    };
    match open() {
        Ok(plain) => Outcome { plain, result: Ok(()) },
        Err(error) => Outcome { plain: vec![], result: Err(error) },
    }
}

/// Divide a file into its header and its chunks.
pub fn split<'a>(format: &Format, sealed: &'a [u8]) -> parsplit::Result<(&'a [u8], &'a [u8])> {
    let mut bytes = format.header_bytes(&[])?;
    bytes = format.header_bytes(&sealed[..bytes.min(sealed.len())])?;
    Ok(sealed.split_at(bytes.min(sealed.len())))
}

/// Returns the bytes by which the first chunk of a format is shorter: those of its header, if it is of Tink.
pub fn lead(format: &Format) -> usize {
    if format.name.starts_with("tink") { format.header_bytes(&[]).unwrap() } else { 0 }
}

pub fn seal(format: &Format, splitter: &ParSplit, message: &[u8], piece: usize) -> Vec<u8> {
    let mut writer = SealingWriter::with_format(splitter, format, &key(format), context(format), Vec::new()).unwrap();
    message.chunks(piece).for_each(|piece| writer.write_all(piece).unwrap());
    writer.finish().unwrap()
}

#[test]
fn every_format_opens_what_it_seals() {
    for format in Format::ALL {
        let chunk = if format.chunk_bytes == 0 { 100 } else { format.chunk_bytes };
        let first = chunk - lead(format);
        for bytes in [0, 1, first - 1, first, first + 1, chunk, chunk + first, 4 * chunk + first - 1, 4 * chunk + first]
            .into_iter()
            .chain([5 * chunk, (2 << 20) + 77])
        {
            let message = message(bytes);
            for threads in [1, 3] {
                let splitter = splitter(format, chunk, threads);
                let sealed = seal(format, &splitter, &message, 70_000);
                for (name, open) in READERS {
                    let opened = open(&splitter, format, &key(format), context(format), &sealed);
                    opened.result.unwrap_or_else(|error| panic!("{} {name} {bytes}: {error}", format.name));
                    assert!(opened.plain == message, "{} {name} {bytes}", format.name);
                }
            }
        }
    }
}

#[test]
fn a_seeking_reader_reads_only_the_chunks_needed() {
    struct Counted<'a>(Cursor<&'a [u8]>, &'a mut u64);
    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(buffer)?;
            *self.1 += read as u64;
            Ok(read)
        }
    }
    impl Seek for Counted<'_> {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }
    for format in Format::ALL.iter().filter(|format| format.committing) {
        let (splitter, text) = (splitter(format, 4096, 2), message(1 << 20));
        let sealed = seal(format, &splitter, &text, 1 << 16);
        let mut read = 0;
        let source = Counted(Cursor::new(&sealed), &mut read);
        let mut reader = SeekingReader::with_format(&splitter, format, &key(format), context(format), source).unwrap();
        reader.seek(SeekFrom::Start(500_000)).unwrap();
        let mut part = [0; 100];
        reader.read_exact(&mut part).unwrap();
        assert_eq!(part, text[500_000..500_100]);
        drop(reader);
        // The header, the last chunk, and the chunk or two with the bytes that were read.
        let chunk = 32 + if format.chunk_bytes == 0 { 4096 } else { format.chunk_bytes as u64 };
        assert!(read <= 74 + 3 * chunk, "{}: {read} bytes read", format.name);
    }
}

#[test]
fn a_sealer_rejects_invalid_sequences_of_chunks() {
    for format in Format::ALL {
        let splitter = splitter(format, 16, 1);
        let mut sealer = Sealer::begin(&splitter, format, &key(format), context(format)).unwrap();
        let (chunk, mut out) = (sealer.chunk_bytes(), vec![0; 3 * sealer.chunk_bytes() + 100]);
        let full = vec![0; chunk];
        let first = &full[lead(format)..];
        assert!(matches!(sealer.seal(&first[1..], false, &mut out), Err(Error::Argument(_))), "{}", format.name);
        assert!(matches!(sealer.seal(&[], false, &mut out), Err(Error::Argument(_))), "{}", format.name);
        assert!(
            matches!(sealer.seal(first, false, &mut out[..first.len()]), Err(Error::Length { .. })),
            "{}",
            format.name
        );
        sealer.seal(first, false, &mut out).unwrap();
        assert!(matches!(sealer.seal(&full[1..], false, &mut out), Err(Error::Argument(_))), "{}", format.name);
        sealer.seal(&full, true, &mut out).unwrap();
        assert!(matches!(sealer.seal(&[1], true, &mut out), Err(Error::Argument(_))), "{} continues", format.name);
    }
}

#[test]
fn rejects_wrong_keys_contexts_and_algorithms() {
    let other = Format::find("cobblestone-128").unwrap();
    for format in Format::ALL {
        let splitter = splitter(format, 16, 1);
        let sealed = seal(format, &splitter, b"attack at dawn", 100);
        let mut wrong = key(format);
        wrong[3] ^= 1;
        for (name, open) in READERS {
            let opened = open(&splitter, format, &wrong, context(format), &sealed);
            assert!(opened.result.is_err() && opened.plain.is_empty(), "{} {name}: wrong key", format.name);
            let opened = open(&splitter, format, &key(format), b"other context", &sealed);
            assert!(opened.result.is_err() && opened.plain.is_empty(), "{} {name}: wrong context", format.name);
            let opened = open(&splitter, format, &wrong[1..], context(format), &sealed);
            assert!(opened.result.is_err() && opened.plain.is_empty(), "{} {name}: short key", format.name);
        }
        if format.algorithm != other.algorithm && !format.algorithm.is_empty() {
            let settings = crate::double::splitter(other, 16, 1);
            assert!(matches!(Sealer::begin(&settings, format, &key(format), b""), Err(Error::Argument(_))));
        }
    }
    assert!(matches!(Format::find("cobblestone"), Err(Error::Argument(text)) if text.contains("cobblestone-256")));
}
