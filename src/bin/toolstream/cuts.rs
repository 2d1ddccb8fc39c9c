//! Pseudo-random chunk sizes, which depend only on the seed.

/// Sizes from 1 to 128 bytes, most of them small: the cuts that hurt lie inside a marker.
///
/// SplitMix64, written out, so that a seed in a bug report means the same cuts next year.
#[derive(Clone, Debug)]
pub struct Sizes(u64);

impl Sizes {
    pub fn seeded(seed: u64) -> Sizes {
        Sizes(seed)
    }

    fn random(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn next(&mut self) -> usize {
        let widest = 1 << (self.random() % 8);
        1 + (self.random() % widest) as usize
    }

    /// The offsets at which a text of this length is cut.
    pub fn cuts(mut self, len: usize) -> Vec<usize> {
        let offsets = std::iter::successors(Some(self.next()), |at| Some(at + self.next()));
        offsets.take_while(|at| *at < len).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_cuts_for_ever() {
        assert_eq!(Sizes::seeded(7).cuts(60), [29, 33, 35]);
        assert_eq!(Sizes::seeded(7).cuts(0), [0; 0]);
    }
}
