//! Random orders, the same in every run: no row always comes after the same other one.

/// A small generator (xorshift64*); nothing here is a secret.
#[derive(Debug)]
pub(crate) struct Shuffler(u64);

impl Shuffler {
    pub(crate) fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    /// Puts the items into another order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.up_to(last));
        }
    }

    fn up_to(&mut self, last: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let random = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        usize::try_from(random % (last as u64 + 1)).unwrap_or(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_stays_and_comes_first_about_equally_often() {
        let mut shuffler = Shuffler::new();
        let mut first = [0; 5];
        for _ in 0..5000 {
            let mut items = [0, 1, 2, 3, 4];
            shuffler.shuffle(&mut items);
            first[items[0]] += 1;
            items.sort_unstable();
            assert_eq!(items, [0, 1, 2, 3, 4]);
        }
        assert!(first.iter().all(|count| (850..1150).contains(count)), "{first:?}");
    }
}
