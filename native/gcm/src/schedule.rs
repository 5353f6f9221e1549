use zeroize::Zeroize;

/// The most round keys, those of AES-256.
pub(crate) const MAX_ROUND_KEYS: usize = 15;

/// The round keys of AES, FIPS 197, section 5.2.
pub(crate) struct Schedule {
    pub(crate) keys: [[u8; 16]; MAX_ROUND_KEYS],
    /// 10, 12 or 14; there is one round key more.
    pub(crate) rounds: usize,
}

impl Schedule {
    /// Expand a key of 16, 24 or 32 bytes in place. `substitute` applies the S-box to the four bytes of a word.
    #[inline(always)]
    pub(crate) fn expand(&mut self, key: &[u8], substitute: impl Fn(u32) -> u32) {
        let key_words = key.len() / 4;
        let rounds = key_words + 6;
        // Words are little-endian, so that RotWord is a rotation to the right and Rcon is the lowest byte.
        let mut words = [0u32; 4 * MAX_ROUND_KEYS];
        for (word, bytes) in words.iter_mut().zip(key.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let mut round_constant = 1u32;
        for start in (key_words..4 * (rounds + 1)).step_by(key_words) {
            let mut word = substitute(words[start - 1].rotate_right(8)) ^ round_constant;
            round_constant = (round_constant << 1) ^ ((round_constant >> 7) * 0x11b);
            for i in start..(start + key_words).min(4 * (rounds + 1)) {
                if key_words == 8 && i == start + 4 {
                    word = substitute(word);
                }
                word ^= words[i - key_words];
                words[i] = word;
            }
        }
        for (bytes, word) in self.keys.as_flattened_mut().chunks_exact_mut(4).zip(&words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        words.zeroize();
        self.rounds = rounds;
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.keys.zeroize();
    }
}
