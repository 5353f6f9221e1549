//! Streams equal those of aead-stream, open only if complete and in order, and can be read at any position.

use crate::double::GCM;
use aead_stream::{EncryptorBE32, Nonce, StreamBE32, aead::Payload};
use aes_gcm::Aes256Gcm;
use parsplit::{
    Derivation, Error, Header, Opener, OpeningReader, ParSplit, Schedule, Sealer, SealingWriter, SeekingReader,
};
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

const KEY: [u8; 32] = [7; 32];
const NONCE: [u8; 7] = [1, 2, 3, 4, 5, 6, 7];
const HEADER_BYTES: usize = 67;

fn data(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i * 131) >> 3) as u8).collect()
}

fn splitter(block_size: usize, threads: usize) -> ParSplit {
    ParSplit::new(&GCM, block_size, threads, Schedule::DYNAMIC).unwrap().serial_below(0)
}

fn seal(message: &[u8], block_size: usize, chunk_bytes: usize) -> Vec<u8> {
    let mut writer = SealingWriter::new(&splitter(block_size, 2), &KEY, b"ad", Vec::new()).unwrap();
    message.chunks(chunk_bytes).for_each(|chunk| writer.write_all(chunk).unwrap());
    writer.finish().unwrap()
}

/// Returns the plaintext read before the end or an error.
fn open(sealed: &[u8], ad: &[u8]) -> (Vec<u8>, io::Result<()>) {
    let mut out = Vec::new();
    let read = OpeningReader::new(&splitter(1, 2), &KEY, ad, sealed)
        .and_then(|mut reader| reader.read_to_end(&mut out).map(|_| ()));
    (out, read)
}

fn cause(error: &io::Error) -> &Error {
    error.get_ref().unwrap().downcast_ref().unwrap()
}

#[test]
fn body_equals_aead_stream_with_header_as_associated_data() {
    for (bytes, block_size) in [(0, 16), (1, 16), (16, 16), (17, 16), (100, 7), (4096, 1000)] {
        let message = data(bytes);
        let splitter = splitter(block_size, 3);
        let header = Header::new(&splitter, &NONCE, Derivation::None).unwrap();
        let mut writer = SealingWriter::with_header(&splitter, header.clone(), &KEY, b"ad", Vec::new()).unwrap();
        writer.write_all(&message).unwrap();
        let ad = [&header.to_bytes()[..], b"ad"].concat();
        let nonce = Nonce::<Aes256Gcm, StreamBE32<Aes256Gcm>>::from(NONCE);
        let mut stream = EncryptorBE32::<Aes256Gcm>::new(&KEY.into(), &nonce);
        let blocks: Vec<&[u8]> = if bytes == 0 { vec![&[]] } else { message.chunks(block_size).collect() };
        let (last, before) = blocks.split_last().unwrap();
        let mut expected = header.to_bytes();
        for (i, block) in before.iter().enumerate() {
            expected.extend(stream.encrypt_next(Payload { msg: block, aad: if i == 0 { &ad } else { &[] } }).unwrap());
        }
        let ad = if before.is_empty() { &ad[..] } else { &[] };
        expected.extend(stream.encrypt_last(Payload { msg: last, aad: ad }).unwrap());
        assert_eq!(writer.finish().unwrap(), expected, "{bytes} in {block_size}");
    }
}

#[test]
fn reads_and_writes_chunks_of_any_size() {
    for bytes in [0, 1, 31, 32, 33, 64, 65, 100_000] {
        for chunk_bytes in [1, 7, 1 << 20] {
            let message = data(bytes);
            let sealed = seal(&message, 32, chunk_bytes);
            assert_eq!(open(&sealed, b"ad").0, message);
            let mut reader = OpeningReader::new(&splitter(1, 1), &KEY, b"ad", &sealed[..]).unwrap();
            let (mut opened, mut buffer) = (Vec::new(), vec![0; chunk_bytes]);
            while let n @ 1.. = reader.read(&mut buffer).unwrap() {
                opened.extend_from_slice(&buffer[..n]);
            }
            assert!(opened == message, "{bytes} in {chunk_bytes}");
        }
    }
}

#[test]
fn a_forged_block_after_the_first_batch_ends_the_plaintext() {
    let message = data((4 << 20) + 5);
    let sealed = seal(&message, 4096, 1 << 16);
    assert!(open(&sealed, b"ad").0 == message);
    let mut forged = sealed.clone();
    let middle = sealed.len() / 2 + (1 << 19);
    forged[middle] ^= 1;
    let (out, read) = open(&forged, b"ad");
    assert_eq!(cause(&read.unwrap_err()), &Error::Authentication);
    assert!(out.len() >= 2 << 20 && out.len() < middle && message.starts_with(&out));
    let mut reader = OpeningReader::new(&splitter(1, 2), &KEY, b"ad", &forged[..]).unwrap();
    io::copy(&mut reader, &mut io::sink()).unwrap_err();
    assert!(reader.read(&mut [0]).is_err(), "an end was reported after an error");
}

#[test]
fn rejects_every_changed_bit_and_length() {
    let message = data(5 * 16 - 3);
    let sealed = seal(&message, 16, 100);
    assert_eq!(sealed.len(), HEADER_BYTES + 77 + 5 * 16);
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(open(&changed, b"ad").1.is_err(), "bit {bit}");
        assert!(
            SeekingReader::new(&splitter(1, 1), &KEY, b"ad", Cursor::new(&changed))
                .and_then(|mut r| r.read_to_end(&mut vec![]))
                .is_err(),
            "bit {bit}"
        );
    }
    for length in 0..sealed.len() {
        assert!(open(&sealed[..length], b"ad").1.is_err(), "truncated to {length}");
        assert!(SeekingReader::new(&splitter(1, 1), &KEY, b"ad", Cursor::new(&sealed[..length])).is_err());
    }
    for extra in 1..100 {
        assert!(open(&[&sealed[..], &vec![0; extra]].concat(), b"ad").1.is_err(), "{extra} extra bytes");
    }
    assert!(open(&sealed, b"aD").1.is_err());
}

#[test]
fn a_seeking_reader_reads_ranges_and_detects_changes() {
    let message = data(1000);
    let mut sealed = Cursor::new(seal(&message, 64, 64));
    {
        let mut reader = SeekingReader::new(&splitter(1, 2), &KEY, b"ad", &mut sealed).unwrap();
        assert_eq!((reader.len(), reader.layout().blocks()), (1000, 16));
        for (from, bytes) in [(0, 1000), (63, 2), (999, 1), (500, 400), (1000, 5), (2000, 1)] {
            reader.seek(SeekFrom::Start(from)).unwrap();
            let mut opened = vec![];
            reader.by_ref().take(bytes).read_to_end(&mut opened).unwrap();
            let from = message.len().min(from as usize);
            assert_eq!(opened, message[from..message.len().min(from + bytes as usize)]);
        }
        assert_eq!(reader.seek(SeekFrom::End(-10)).unwrap(), 990);
        assert!(reader.seek(SeekFrom::Current(-991)).is_err());
    }
    sealed.get_mut()[HEADER_BYTES + 3 * 80 + 5] ^= 4;
    sealed.set_position(0);
    let mut reader = SeekingReader::new(&splitter(1, 2), &KEY, b"ad", &mut sealed).unwrap();
    let mut block = [0; 64];
    reader.seek(SeekFrom::Start(128)).unwrap();
    reader.read_exact(&mut block).unwrap();
    assert_eq!(cause(&reader.read(&mut block).unwrap_err()), &Error::Authentication);
}

#[test]
fn opens_each_range_of_a_message_alone() {
    let (message, splitter) = (data(100), splitter(16, 3));
    let mut keyed = splitter.key(&KEY).unwrap();
    let mut sealed = vec![0; splitter.layout(100).unwrap().sealed_bytes()];
    keyed.seal(&NONCE, b"ad", &message, &mut sealed).unwrap();
    for first in 0..7 {
        for end in first + 1..=7 {
            let expected = &message[first * 16..100.min(end * 16)];
            let mut out = vec![0; expected.len()];
            let blocks = first as u64..end as u64;
            assert_eq!(keyed.open_range(&NONCE, b"ad", blocks.clone(), &sealed, &mut out), Ok(expected.len()));
            assert_eq!(out, expected);
            for (offset, block) in (0..100).step_by(16).zip(0..) {
                let mut changed = sealed.clone();
                changed[offset] ^= 1;
                let opened = keyed.open_range(&NONCE, b"ad", blocks.clone(), &changed, &mut out);
                assert_eq!(opened.is_err(), blocks.contains(&block));
                assert!(opened.is_ok() || out.iter().all(|&byte| byte == 0));
            }
        }
    }
    for blocks in [0..8, 7..8, 3..3] {
        assert!(matches!(keyed.open_range(&NONCE, b"", blocks, &sealed, &mut [0; 200]), Err(Error::Argument(_))));
    }
}

#[test]
fn a_sealer_rejects_invalid_sequences_of_blocks() {
    let settings = splitter(16, 1);
    let mut sealer = Sealer::new(&settings, Header::random(&settings).unwrap(), &KEY, b"").unwrap();
    let mut out = [0; 200];
    assert!(matches!(sealer.seal(&[0; 17], false, &mut out), Err(Error::Argument(_))));
    assert!(matches!(sealer.seal(&[0; 32], false, &mut out[..63]), Err(Error::Length { given: 63, .. })));
    sealer.seal(&[0; 32], false, &mut out).unwrap();
    assert!(matches!(sealer.seal(&[], true, &mut out), Err(Error::Argument(_))), "an empty block after others");
    sealer.seal(&[0; 3], true, &mut out).unwrap();
    assert!(matches!(sealer.seal(&[0; 3], true, &mut out), Err(Error::Argument(_))), "after the end");
    assert!(Header::random(&splitter((1 << 24) + 1, 1)).is_err());
    let header = Header::random(&settings).unwrap();
    assert!(matches!(
        Opener::new(&settings, header, &KEY[..31], b""),
        Err(Error::Length { name: "key", given: 31, .. })
    ));
}

#[test]
fn a_failing_sink_ends_the_stream() {
    struct LimitedSink(usize);
    impl Write for LimitedSink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut writer = SealingWriter::new(&splitter(1 << 16, 1), &KEY, b"", LimitedSink(100)).unwrap();
    assert_eq!(writer.write_all(&vec![0; 3 << 20]).unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert!(writer.finish().is_err());
}

/// A forged stream without end, and the number of bytes read from it.
struct Endless {
    header: Vec<u8>,
    read: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.header.get(self.read..).unwrap_or_default();
        let read = if rest.is_empty() { buffer.len() } else { rest.read(buffer)? };
        self.read += read;
        Ok(read)
    }
}

#[test]
fn a_forged_header_cannot_exceed_the_limit_of_memory() {
    for (block_size, threads) in [(1, 256), (1, 1), (65536, 256), (1 << 24, 256), (1 << 24, 1), (12345, 17)] {
        let largest = splitter(block_size, threads);
        let header = Header::random(&largest).unwrap().to_bytes();
        let sealed_block = block_size + 16;
        let default = (64 << 20).max(threads * (400 << 10));
        for limit in [None, Some(1 << 20), Some(3 * sealed_block), Some(3 * sealed_block + 1)] {
            let cipher = limit.map_or(largest, |bytes| largest.max_memory(bytes));
            let bytes = limit.unwrap_or(default);
            let mut source = Endless { header: header.clone(), read: 0 };
            let mut reader = match OpeningReader::new(&cipher, &KEY, b"ad", &mut source) {
                Ok(reader) => reader,
                Err(error) => {
                    assert!(bytes <= 3 * sealed_block, "{block_size} {threads} {bytes}: {error}");
                    let needed = format!("set max_memory to {} or more", 3 * sealed_block + 1);
                    assert!(matches!(cause(&error), Error::Argument(reason) if reason.contains(&needed)), "{error}");
                    continue;
                }
            };
            assert!(bytes > 3 * sealed_block, "{block_size} {threads} {bytes}");
            assert_eq!(cause(&reader.read(&mut [0; 100]).unwrap_err()), &Error::Authentication);
            drop(reader);
            assert!(source.read <= header.len() + bytes / 3 + 1, "{block_size} {threads}: {} of {bytes}", source.read);
        }
    }
}

#[test]
fn every_limit_that_holds_one_block_seals_and_opens() {
    let message = data(100_000);
    for limit in [3 * 1016 + 1, 3 * 1016 * 2, 50_000, 64 << 20] {
        let cipher = splitter(1000, 8).max_memory(limit);
        let mut writer = SealingWriter::new(&cipher, &KEY, b"ad", Vec::new()).unwrap();
        writer.write_all(&message).unwrap();
        let sealed = writer.finish().unwrap();
        let mut opened = Vec::new();
        OpeningReader::new(&cipher, &KEY, b"ad", &sealed[..]).unwrap().read_to_end(&mut opened).unwrap();
        assert_eq!(opened, message);
        let mut reader = SeekingReader::new(&cipher, &KEY, b"ad", Cursor::new(&sealed)).unwrap();
        reader.seek(SeekFrom::Start(50_000)).unwrap();
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, message[50_000..]);
    }
    let refused = SealingWriter::new(&splitter(1000, 8).max_memory(3 * 1016), &KEY, b"ad", Vec::new());
    assert!(refused.is_err_and(|error| error.to_string().contains("set max_memory to 3049 or more")));
}
