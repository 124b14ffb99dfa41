//! Whether gates can hold each other shut. What satisfies a gate is let through whatever stands
//! before it, as long as it is one exact step; where it is not, another gate may stand before it.

use super::proof::git::GitProof;
use super::{Before, Gate, Level, Proof};

/// Circles of gates, each of which can only be satisfied through the next. The names of the gates,
/// the first one again at the end.
pub fn circles(gates: &[Gate]) -> Vec<Vec<String>> {
    let edges: Vec<Vec<usize>> = gates.iter().map(|gate| before(gates, gate)).collect();
    let mut found = Vec::new();
    for start in 0..gates.len() {
        let mut path = vec![start];
        walk(&edges, start, &mut path, &mut found);
    }
    found
        .into_iter()
        .map(|path: Vec<usize>| {
            let first = path.first().copied();
            path.into_iter().chain(first).map(|number| gates[number].id.clone()).collect()
        })
        .collect()
}

/// Finds the circles that lead back to `start` and in which it is the first.
fn walk(edges: &[Vec<usize>], start: usize, path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    const MAX_FOUND: usize = 20;
    let Some(last) = path.last().copied() else { return };
    for next in &edges[last] {
        if found.len() >= MAX_FOUND {
            return;
        }
        if *next == start {
            found.push(path.clone());
        } else if *next > start && !path.contains(next) {
            path.push(*next);
            walk(edges, start, path, found);
            path.pop();
        }
    }
}

/// The gates that stand before everything that would satisfy `gate`.
fn before(gates: &[Gate], gate: &Gate) -> Vec<usize> {
    if gate.level != Level::Must {
        return Vec::new();
    }
    let steps = steps(&gate.proof);
    let stands = |other: &Gate, kinds: &[Before]| {
        other.level == Level::Must && other.before.iter().any(|one| kinds.contains(one))
    };
    let numbered = gates.iter().enumerate();
    numbered
        .filter(|(_, other)| steps.iter().any(|kinds| stands(other, kinds)))
        .map(|(number, _)| number)
        .collect()
}

/// What would have to be done, where that is no exact step.
fn steps(proof: &Proof) -> Vec<Vec<Before>> {
    let bash = || Before::Tool("Bash".to_owned());
    match proof {
        Proof::Git(GitProof::Clean | GitProof::Commit) => vec![vec![Before::Commit, bash()]],
        Proof::Git(GitProof::Off(_)) => vec![vec![bash()]],
        Proof::Git(GitProof::On(branch)) if branch.contains(['*', '?']) => vec![vec![bash()]],
        Proof::Ran(ran) if ran.pattern.trim_end_matches('*').contains(['*', '?']) => {
            vec![vec![bash()]]
        }
        Proof::File(file) if file.pattern.starts_with(['*', '?']) => vec![vec![Before::Edit]],
        Proof::All(proofs) => proofs.iter().flat_map(steps).collect(),
        // One that is free is enough.
        Proof::Any(proofs) => {
            let all: Vec<_> = proofs.iter().map(steps).collect();
            if all.iter().any(Vec::is_empty) { Vec::new() } else { all.concat() }
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::proof::ran::{Fresh, RanProof};

    fn gate(id: &str, before: &str, proof: Proof) -> Gate {
        Gate::new(id, vec![before.parse().unwrap()], proof)
    }

    #[test]
    fn a_gate_before_what_satisfies_it_is_a_circle() {
        let clean = gate("clean", "commit", Proof::Git(GitProof::Clean));
        assert_eq!(circles(&[clean]), [["clean", "clean"]]);
    }

    #[test]
    fn two_gates_that_wait_for_each_other_are_a_circle() {
        let one = gate("one", "tool:Bash", Proof::Git(GitProof::Clean));
        let two = gate("two", "commit", Proof::Git(GitProof::Off("main".into())));
        assert_eq!(circles(&[one, two]).len(), 2, "one before Bash, and one before itself");
    }

    #[test]
    fn exact_steps_are_no_circle_whatever_stands_before_them() {
        let ran = Proof::Ran(RanProof::new("cargo test*", Fresh::Tree));
        assert!(circles(&[gate("tests", "tool:Bash", ran)]).is_empty());
    }
}
