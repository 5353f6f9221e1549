/// The code that computes ChaCha20 and Poly1305. All kernels return the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// AVX-512F, BW and IFMA: 16 blocks of ChaCha20 and 32 blocks of Poly1305 in one pass.
    Ifma,
    /// AVX2: 8 blocks of ChaCha20 and 8 blocks of Poly1305 in one pass.
    Avx2,
    /// No vector instructions in Poly1305; RustCrypto's ChaCha20, which detects those of the processor itself.
    Portable,
}

impl Kernel {
    /// All kernels, the fastest first.
    pub const ALL: [Self; 3] = [Self::Ifma, Self::Avx2, Self::Portable];

    /// Return whether this processor and operating system can execute the kernel.
    pub fn available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Ifma => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512ifma")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Ifma | Self::Avx2 => false,
            Self::Portable => true,
        }
    }

    /// Return the first available kernel of [`Kernel::ALL`].
    pub fn fastest() -> Self {
        Self::ALL.into_iter().find(|kernel| kernel.available()).unwrap_or(Self::Portable)
    }

    /// Return the name of the kernel: "avx512ifma", "avx2" or "portable".
    pub fn name(self) -> &'static str {
        match self {
            Self::Ifma => "avx512ifma",
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        }
    }
}
