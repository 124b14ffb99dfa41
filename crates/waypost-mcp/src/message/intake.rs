//! A message while it comes in.

use super::{MAX_BYTES, Refused, Skim};

/// A message as far as it has come: kept as long as it may be one, and else only skimmed.
#[derive(Debug, Default)]
pub(crate) struct Intake {
    held: Vec<u8>,
    passing: Option<Skim>,
}

impl Intake {
    /// Takes in the next part of it.
    pub(crate) fn add(&mut self, part: &[u8]) {
        if let Some(skim) = &mut self.passing {
            skim.see(part);
        } else if self.held.len() + part.len() > MAX_BYTES {
            let mut skim = Skim::over(&std::mem::take(&mut self.held));
            skim.see(part);
            self.passing = Some(skim);
        } else {
            self.held.extend_from_slice(part);
        }
    }

    /// Whether it is longer than a message may be.
    pub(crate) fn is_too_long(&self) -> bool {
        self.passing.is_some()
    }

    /// Whether it is too long, and which request it is went by already.
    pub(crate) fn is_known_to_be_too_long(&self) -> bool {
        self.passing.as_ref().is_some_and(|skim| skim.id().is_some())
    }

    /// Why it is not taken, as far as it has come.
    pub(crate) fn too_long(&self) -> Refused {
        Refused::too_long(self.passing.as_ref().and_then(Skim::id))
    }

    /// The whole message. What comes after it is the next one.
    pub(crate) fn finish(&mut self) -> Result<Vec<u8>, Refused> {
        let whole = if self.is_too_long() {
            Err(self.too_long())
        } else {
            Ok(std::mem::take(&mut self.held))
        };
        self.passing = None;
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_of_a_message_that_is_too_long() {
        let mut intake = Intake::default();
        let part = vec![b'x'; MAX_BYTES / 4];
        (0..4).for_each(|_| intake.add(&part));
        assert!(!intake.is_too_long());
        intake.add(b"x");
        assert!(intake.is_too_long());
        assert_eq!(intake.held.capacity(), 0);
        (0..4).for_each(|_| intake.add(&part));
        assert_eq!(intake.held.capacity(), 0);
        assert!(intake.finish().is_err());
        intake.add(b"next");
        assert_eq!(intake.finish(), Ok(b"next".to_vec()));
    }
}
