//! Huge pages for large buffers: a fresh gibibyte is 512 page faults instead of 262,144.

/// Shorter buffers gain little, and a partly used huge page wastes memory.
const MIN_BYTES: usize = 4 << 20;

/// Advise the system to back newly allocated, untouched memory with huge pages.
///
/// The advice affects the speed only. Systems without huge pages ignore it.
pub fn advise_huge(start: *mut u8, bytes: usize) {
    if bytes >= MIN_BYTES {
        advise(start, bytes);
    }
}

#[cfg(target_os = "linux")]
fn advise(start: *mut u8, bytes: usize) {
    // SAFETY: the call returns a number and has no other effect.
    let Ok(page) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) else { return };
    let Some(before) = start.addr().checked_next_multiple_of(page).map(|first| first - start.addr()) else { return };
    let whole = bytes.saturating_sub(before) / page * page;
    // SAFETY: the advice changes no content of any page; the error for an invalid address is ignored.
    unsafe { libc::madvise(start.wrapping_add(before).cast(), whole, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_keeps_the_content_for_any_alignment() {
        for (from, bytes) in [(0, MIN_BYTES), (1, MIN_BYTES), (4095, MIN_BYTES + 1), (3, 5), (0, 0)] {
            let mut memory = vec![0xaa_u8; from + bytes + 10];
            advise_huge(memory[from..].as_mut_ptr(), bytes);
            assert!(memory.iter().all(|&byte| byte == 0xaa));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_applies_the_advice() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            return; // This kernel has no huge pages.
        }
        let mut memory: Vec<u8> = Vec::with_capacity(64 << 20);
        advise_huge(memory.as_mut_ptr(), memory.capacity());
        let inside = memory.as_ptr().addr() + (32 << 20);
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut in_mapping = false;
        let flags = maps.lines().find_map(|line| {
            let range = line.split(' ').next()?.split_once('-');
            if let Some((from, to)) = range {
                let address = |text| usize::from_str_radix(text, 16);
                if let (Ok(from), Ok(to)) = (address(from), address(to)) {
                    in_mapping = (from..to).contains(&inside);
                }
            }
            line.strip_prefix("VmFlags:").filter(|_| in_mapping)
        });
        assert!(flags.unwrap().split_whitespace().any(|flag| flag == "hg"), "{flags:?}");
    }
}
