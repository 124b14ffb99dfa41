//! Things that wait for each other: which of them can never begin.

use std::collections::{BTreeMap, BTreeSet};

/// Each circle among things that come after others, by their places in `waits_for`, which lists for
/// each what it comes after. Names that are not there are passed over; a circle is told once.
pub(super) fn circles(waits_for: &[(&str, &[String])]) -> Vec<Vec<usize>> {
    let by_name: BTreeMap<&str, usize> =
        waits_for.iter().enumerate().rev().map(|(place, (name, _))| (*name, place)).collect();
    let before: Vec<BTreeSet<usize>> = waits_for
        .iter()
        .map(|(_, names)| {
            names.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect()
        })
        .collect();
    let mut after = vec![Vec::new(); before.len()];
    for (place, wanted) in before.iter().enumerate() {
        for one in wanted {
            after[*one].push(place);
        }
    }
    let mut open: Vec<usize> = before.iter().map(BTreeSet::len).collect();
    let mut left: BTreeSet<usize> = (0..before.len()).collect();
    let mut ready: Vec<usize> = (0..before.len()).filter(|place| open[*place] == 0).collect();
    let mut found = Vec::new();
    loop {
        while let Some(place) = ready.pop() {
            if !left.remove(&place) {
                continue;
            }
            for next in &after[place] {
                open[*next] = open[*next].saturating_sub(1);
                if open[*next] == 0 {
                    ready.push(*next);
                }
            }
        }
        let Some(first) = left.first() else { return found };
        let circle = walk(*first, &before, &left);
        // What waits for the circle only is in none of its own.
        ready.extend(&circle);
        found.push(circle);
    }
}

/// Goes back from one that waits until a place comes again. Each that is left waits for another that
/// is left, so it ends in a circle.
fn walk(first: usize, before: &[BTreeSet<usize>], left: &BTreeSet<usize>) -> Vec<usize> {
    let mut way = vec![first];
    let mut seen = BTreeMap::from([(first, 0)]);
    let mut at = first;
    while let Some(next) = before[at].iter().find(|place| left.contains(place)) {
        if let Some(begin) = seen.get(next) {
            return way.split_off(*begin);
        }
        seen.insert(*next, way.len());
        way.push(*next);
        at = *next;
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(graph: &[(&str, &[&str])]) -> Vec<Vec<usize>> {
        let owned: Vec<(&str, Vec<String>)> = graph
            .iter()
            .map(|(name, before)| (*name, before.iter().map(|one| (*one).to_owned()).collect()))
            .collect();
        let graph: Vec<(&str, &[String])> =
            owned.iter().map(|(name, before)| (*name, before.as_slice())).collect();
        circles(&graph)
    }

    #[test]
    fn a_line_and_a_diamond_are_no_circle() {
        assert!(found(&[]).is_empty());
        assert!(found(&[("3", &["2"]), ("2", &["1"]), ("1", &["nothing"])]).is_empty());
        assert!(
            found(&[("1", &[]), ("2", &["1"]), ("3", &["1"]), ("4", &["2", "3", "2"])]).is_empty()
        );
    }

    #[test]
    fn each_circle_is_found_once_and_what_waits_for_it_is_in_none() {
        assert_eq!(found(&[("1", &["1"])]), [[0]]);
        assert_eq!(found(&[("1", &["2"]), ("2", &["1"]), ("3", &["1"])]), [[0, 1]]);
        assert_eq!(
            found(&[("0", &["1"]), ("1", &["2"]), ("2", &["1"]), ("8", &["9"]), ("9", &["8"])]),
            [[1, 2], [3, 4]]
        );
    }
}
