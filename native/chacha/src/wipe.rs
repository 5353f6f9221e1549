use zeroize::optimization_barrier;

/// Overwrite secrets with zeros, in stores as wide as the processor has. The writes of [`zeroize::Zeroize`] have the
/// width of an element, which for the output of 1 GiB takes 0.3 s.
pub(crate) fn wipe<T: Copy + Default>(values: &mut [T]) {
    values.fill(T::default());
    // Without the barrier the compiler may remove writes to memory that is freed next.
    optimization_barrier(values);
}
