//! Huge pages for large buffers: a fresh gibibyte is 512 page faults instead of 262,144.

/// Smaller buffers gain little, and a huge page of which a part is used wastes the rest.
const LEAST: usize = 4 << 20;

/// Asks the system for huge pages under memory that was just allocated and not touched yet. It is advice: nothing
/// changes but the speed, and a system that knows no such advice, or has none to give, goes on as before.
pub fn advise_huge(start: *mut u8, bytes: usize) {
    if bytes >= LEAST {
        advise(start, bytes);
    }
}

#[cfg(target_os = "linux")]
fn advise(start: *mut u8, bytes: usize) {
    // SAFETY: asks for a number.
    let Ok(page) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) else { return };
    let Some(before) = start.addr().checked_next_multiple_of(page).map(|first| first - start.addr()) else { return };
    let whole = bytes.saturating_sub(before) / page * page;
    // SAFETY: advice on how to back pages changes no content, whoever owns them; a wrong address is an error that is
    // not looked at.
    unsafe { libc::madvise(start.wrapping_add(before).cast(), whole, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_changes_no_content_and_takes_any_edges() {
        for (from, bytes) in [(0, LEAST), (1, LEAST), (4095, LEAST + 1), (3, 5), (0, 0)] {
            let mut memory = vec![0xaa_u8; from + bytes + 10];
            advise_huge(memory[from..].as_mut_ptr(), bytes);
            assert!(memory.iter().all(|&byte| byte == 0xaa));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_took_the_advice() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            return; // a kernel without huge pages has no advice to take
        }
        let mut memory: Vec<u8> = Vec::with_capacity(64 << 20);
        advise_huge(memory.as_mut_ptr(), memory.capacity());
        let inside = memory.as_ptr().addr() + (32 << 20);
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut here = false;
        let flags = maps.lines().find_map(|line| {
            let range = line.split(' ').next()?.split_once('-');
            if let Some((from, to)) = range {
                let edge = |text| usize::from_str_radix(text, 16);
                if let (Ok(from), Ok(to)) = (edge(from), edge(to)) {
                    here = (from..to).contains(&inside);
                }
            }
            line.strip_prefix("VmFlags:").filter(|_| here)
        });
        assert!(flags.unwrap().split_whitespace().any(|flag| flag == "hg"), "{flags:?}");
    }
}
