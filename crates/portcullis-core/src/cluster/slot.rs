//! The slots in which indexes keep their objects.

/// The position of an object in the list of its index. Another object gets it afterwards.
pub(super) type Slot = u32;
