//! Command lines and the files that they write.

use super::*;

/// What a line writes: `?` stands before what is not literal, `*` is for unknown files.
fn written(line: &str) -> String {
    let analysis = analyse(line);
    assert_eq!(analysis.opaque, None, "{line}");
    let mut found: Vec<String> = analysis
        .writes()
        .iter()
        .map(|write| {
            let unclear = if write.literal { "" } else { "?" };
            match (write.unnamed, write.path.as_str()) {
                (true, ".") => format!("{unclear}*"),
                (true, folder) => format!("{unclear}{folder}/*"),
                (false, path) => format!("{unclear}{path}"),
            }
        })
        .collect();
    if analysis.writes_unknown() {
        found.push("*".to_owned());
    }
    found.join(" ")
}

pub(super) fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(written(line), *expected, "{line}");
    }
}

#[test]
fn redirects_write_files() {
    check(&[
        ("echo x > a", "a"),
        ("echo x >> a", "a"),
        ("echo x >| a", "a"),
        ("echo x &> a", "a"),
        ("echo x &>> a", "a"),
        ("echo x >& a", "a"),
        ("cat <> a", "a"),
        ("make 2> err", "err"),
        ("make > out 2>&1", "out"),
        ("> a", "a"),
        ("> a echo x", "a"),
        ("echo > 'a' b > \"c\"", "a c"),
        ("exec 3> log", "log"),
        ("{ echo x; } > a", "a"),
        ("(echo x) > a", "a"),
        ("if true; then echo; fi > a", "a"),
        ("while read x; do echo; done > a", "a"),
        ("[[ -f x ]] > a", "a"),
        ("f() { echo; } > a", "a"),
        ("echo > $X", "?$X"),
        ("echo > \"$D/x\"", "?$D/x"),
        ("echo > $(mktemp)", "?/tmp/mktemp"),
        ("echo > \"$(mktemp -d)/a\"", "?/tmp/mktemp/a"),
        ("TMPDIR=. && echo > $(mktemp)", "?$()"),
        ("echo > $(mktemp a.XXX)", "?$()"),
        ("echo > $(pwd)/a", "?$PWD/a"),
        ("echo > a-$(date +%s)", "?a-0"),
        ("echo > $(date +/x)", "?$()"),
        ("echo > ~/x", "?~/x"),
        ("echo > '~/x'", "~/x"),
        ("echo > {a,b}", "?{a,b}"),
        ("echo > '{a}'", "{a}"),
        ("echo > \"a*\"", "a*"),
        ("echo > $'a\\x62'", "ab"),
        ("echo > a\\b", "ab"),
        ("echo > ./a/../b", "./a/../b"),
        ("echo >&$FD", "?$FD"),
        ("echo | tee >(cat > a)", "a"),
        ("echo $(cat b > a)", "a"),
        ("echo `cat b > a`", "a"),
        ("diff <(sort a > s) b", "s"),
        ("echo x | cat > a", "a"),
        ("false || echo x > a &", "a"),
        ("coproc cat > a", "a"),
    ]);
}

#[test]
fn what_is_no_redirect_to_a_file_writes_none() {
    check(&[
        ("make > /dev/null", ""),
        ("make 2> /dev/null", ""),
        ("make &> /dev/null", ""),
        ("echo x > /dev/stderr", ""),
        ("echo x > /dev/stdout", ""),
        ("echo x > /dev/tty", ""),
        ("echo x > /dev/fd/3", ""),
        ("echo x >&2", ""),
        ("echo x 1>&2", ""),
        ("make 2>&1", ""),
        ("exec 3>&-", ""),
        ("exec 3>&1-", ""),
        ("cat < a", ""),
        ("cat <&3", ""),
        ("cat <<< a", ""),
        ("echo 'x > a'", ""),
        ("echo \"x > a\"", ""),
        ("echo x \\> a", ""),
        ("[[ a > b ]]", ""),
        ("(( a > b ))", ""),
        ("# > a", ""),
        ("ls -la src && echo done", ""),
    ]);
}

#[test]
fn here_documents_write_where_they_are_sent() {
    check(&[
        ("cat > x <<EOF\nhello\nEOF", "x"),
        ("cat <<EOF > x\nit's > y\nEOF", "x"),
        ("cat <<'EOF' >> x\n$(echo > y)\nEOF", "x"),
        ("cat <<EOF\n$(echo > y)\nEOF", "y"),
        ("cat <<EOF\n'$(echo > y)'\nEOF", "y"),
        ("cat <<-EOF | tee x\n\ta\n\tEOF", "x"),
        ("sh <<EOF\necho > y\nEOF", "y"),
        ("sh <<'EOF'\nrm y\nEOF", "y"),
        ("bash -s arg <<< 'rm y'", "y"),
        ("cat <<EOF | bash\nrm y\nEOF", "y"),
        ("cat <<EOF | tee z | sh\nrm y\nEOF", "z y"),
        ("echo 'rm y' | sh", "y"),
        ("printf 'true\\nrm y\\n' | sh", "y"),
        ("printf '%s\\n' 'rm y' | sh", "y"),
        ("{ echo true; echo rm y; } | sh", "y"),
        ("{ sh; } <<< 'rm y'", "y"),
        ("source /dev/stdin <<< 'rm y'", "y"),
        (". <(echo rm y)", "y"),
        ("bash <(echo rm y)", "y"),
        ("cat <<EOF\nrm y\nEOF", ""),
        ("echo 'rm y' | cat", ""),
        ("echo 'rm y' | sh script", ""),
        ("sh script < y", ""),
        ("{ echo; sh x; } <<< 'rm y'", ""),
    ]);
}

#[test]
fn a_patch_writes_the_files_that_it_names() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch";
    let lines = [
        format!("apply_patch <<'EOF'\n{patch}\nEOF"),
        format!("apply_patch '{patch}'"),
        format!("bash -lc \"apply_patch <<'EOF'\n{patch}\nEOF\""),
        format!("cat <<'EOF' | apply_patch\n{patch}\nEOF"),
        format!("applypatch <<EOF\n{patch}\nEOF"),
    ];
    for line in &lines {
        check(&[(line, "a.rs b.rs c")]);
    }
    check(&[(&format!("cd sub && apply_patch '{patch}'"), "sub/a.rs sub/b.rs sub/c")]);
    check(&[("apply_patch < change.diff", "*"), (&format!("cat <<'EOF'\n{patch}\nEOF"), "")]);
}

#[test]
fn programs_that_write_are_known() {
    check(&[
        ("tee a b", "a b"),
        ("echo | tee -a a b", "a b"),
        ("echo | tee --append a", "a"),
        ("echo | tee /dev/stderr", ""),
        ("sponge a", "a"),
        ("rm a b", "a b"),
        ("rm -rf -- a -b", "a -b"),
        ("unlink a", "a"),
        ("shred -n 3 -u a", "a"),
        ("truncate -s 0 a", "a"),
        ("truncate --size=0 a", "a"),
        ("truncate --size 0 a", "a"),
        ("touch -d yesterday a b", "a b"),
        ("touch -r ref a", "a"),
        ("chmod +x a", "a"),
        ("chmod -x a", "a"),
        ("chmod -R 644 a b", "a b"),
        ("chmod --reference=r a", "a"),
        ("chown -R me:me a", "a"),
        ("dd if=x of=a bs=1", "a"),
        ("dd if=x", ""),
        ("mkdir -p a/b", ""),
        ("rmdir a", ""),
        ("ed a", "a"),
        ("sort -o a b", "a"),
        ("sort a", ""),
        ("curl -sSo a http://x", "a"),
        ("curl -O http://x/a", "*"),
        ("cd /d && curl -O http://x/a", "/d/./*"),
        ("wget -P d http://x/a", "d/*"),
        ("curl http://x", ""),
        ("wget -qO- http://x", ""),
        ("wget -O a http://x", "a"),
        ("wget http://x", "*"),
        ("cat a", ""),
        ("echo rm a", ""),
        ("grep -r 'rm a' .", ""),
        // What is not known is not held.
        ("python -c 'open(\"a\", \"w\")'", ""),
        ("python3 script.py a", ""),
        ("node -e 'x'", ""),
        ("ruby -e 'x' a", ""),
        ("perl -e 'x' a", ""),
        ("./script a", ""),
        ("cargo fmt", ""),
        ("unknown -o a", ""),
        ("$CMD a", ""),
    ]);
}

#[test]
fn edits_in_place_are_writes() {
    check(&[
        ("sed -i s/a/b/ f g", "f g"),
        ("sed -i.bak s/a/b/ f", "f"),
        ("sed -ni s/a/b/ f", "f"),
        ("sed -Ei 's/a/b/' f", "f"),
        ("sed -i -e s/a/b/ -e s/c/d/ f", "f"),
        ("sed -e s/a/b/ -i f", "f"),
        ("sed -f script -i f", "f"),
        ("sed -i '' s/a/b/ f", "f"),
        ("sed --in-place s/a/b/ f", "f"),
        ("sed --in-place=.bak s/a/b/ f", "f"),
        ("sed --in-pl s/a/b/ f", "f"),
        ("sed --expression=p -i f", "f"),
        ("sed -i s/a/b/ src/*.rs", "?src/*.rs"),
        ("sed -i \"s/$a/b/\" f", "f"),
        ("sed s/a/b/ f", ""),
        ("sed -n 1,5p f", ""),
        ("sed -e -i f", ""),
        ("sed -n -- -i", ""),
        ("perl -i -pe s/a/b/ f", "f"),
        ("perl -pi -e s/a/b/ f g", "f g"),
        ("perl -pi.bak -e s/a/b/ f", "f"),
        ("perl -i script f", "f"),
        ("perl -0777pi -e s/a/b/ f", "f"),
        ("perl -lpi -e s/a/b/ f", "f"),
        ("perl -lane 'print' f", ""),
        ("perl -MFile::Find -pe s/a/b/ f", ""),
        ("perl -pe s/a/b/ f", ""),
        ("perl -ne 'print -i' f", ""),
        ("ruby -i -pe x f", "f"),
        ("awk -i inplace '{print}' f", "f"),
        ("gawk -i inplace -v x=1 -f script f", "f"),
        ("gawk --include=inplace '{print}' x=1 f", "f"),
        ("awk '{print}' f", ""),
        ("awk -v i=inplace '{print}' f", ""),
    ]);
}

#[test]
fn copies_and_links_have_targets() {
    check(&[
        ("cp a b", "b b/a"),
        ("cp a b/", "b/a"),
        ("cp x/a .", "a"),
        ("cp a b c", "c/a c/b"),
        ("cp -t d a b", "d/a d/b"),
        ("cp --target-directory=d a", "d/a"),
        ("cp --target-dir d a", "d/a"),
        ("cp -T a b", "b"),
        ("cp -l a b", "a b b/a"),
        ("cp -as a b", "a b b/a"),
        ("cp -r a/. b", "b b"),
        ("cp $X b", "b ?b/$X"),
        ("cp {a,b}", "?{a,b}"),
        ("mv a b", "a b b/a"),
        ("mv a b c/", "a b c/a c/b"),
        ("mv -t d a", "a d/a"),
        ("install -m 644 a b", "b b/a"),
        ("install -Dm644 a d/b", "d/b d/b/a"),
        ("install -d a b", ""),
        ("ln -s x/a b", "x/a b b/a"),
        ("ln x/a", "x/a a"),
        ("link a b", "a b"),
        ("rsync -a a b", "b b/a"),
        ("rsync -a a/ b/", "b/"),
        ("rsync -a --exclude x a/ b", "b"),
        ("rsync -e ssh a b -e ssh", "b b/a"),
        ("rsync --remove-source-files a b", "a b b/a"),
        ("rsync --partial a/ b", "b"),
        ("rsync -a h:a b", "b b/h:a"),
        ("rsync -a a h:b", ""),
        ("rsync -an a b", ""),
        ("rsync --dry-run a b", ""),
        ("rsync a", ""),
        ("patch f p", "f"),
        ("patch f < p", "f"),
        ("patch -d x f p", "x/f"),
        ("patch -p1 < p", "*"),
        ("patch -p1 -i p", "*"),
        ("patch -p1 -o a f < p", "a"),
        ("patch --dry-run -p1 < p", ""),
        ("patch -i --dry-run -p1", "*"),
        ("tar -xf a.tar", "*"),
        ("tar xzf a.tgz -C d", "d/*"),
        ("tar --extract --file a.tar", "*"),
        ("tar -C d -x", "d/*"),
        ("tar xf a.tar b", "* b"),
        ("tar -xf a.tar -C d b", "d/* d/b"),
        ("tar --remove-files -cf a.tar b", "b a.tar"),
        ("tar -xOf a.tar b", ""),
        ("tar -tf x", ""),
        ("tar -tfx", ""),
        ("tar tf x", ""),
        ("tar -cf a.tar x", "a.tar"),
        ("tar czf a.tgz x", "a.tgz"),
        ("tar -c x --exclude y", ""),
        ("unzip a.zip", "*"),
        ("unzip -o a.zip -d x", "x/*"),
        ("cd d && unzip a.zip", "d/./*"),
        ("unzip -l a.zip", ""),
        ("cpio -idm < a", "*"),
    ]);
}

#[test]
fn git_writes_files_too() {
    check(&[
        ("git checkout -- a b", "a b"),
        ("git checkout HEAD -- a", "a"),
        ("git checkout HEAD~1 a", "a"),
        ("git checkout .", "."),
        ("git checkout src/a.rs", "src/a.rs"),
        ("git checkout --theirs a", "a"),
        ("git checkout -p", "*"),
        ("git checkout -f", "*"),
        ("git checkout -- '*.rs'", "?*.rs"),
        ("git checkout -- :/", "?:/"),
        ("git -C d checkout -- a", "d/a"),
        ("git -C d -C e checkout -- a", "d/e/a"),
        ("git --work-tree=d checkout -- a", "?a"),
        ("git restore a", "a"),
        ("git restore -s HEAD a", "a"),
        ("git restore --source=HEAD --staged --worktree a", "a"),
        ("git restore -SW a", "a"),
        ("git apply p", "*"),
        ("git apply --index p", "*"),
        ("git rm a", "a"),
        ("git mv a b", "a b b/a"),
        ("git clean -fd", "*"),
        ("git -C d reset --hard", "d/./*"),
        ("git reset --hard", "*"),
        ("git diff --output=a", "a"),
        ("git diff --output a", "a"),
        ("git archive -o a HEAD", "a"),
        ("git config -f a x.y z", "a"),
        ("git config --file=a --unset x.y", "a"),
        ("git show HEAD:x > y", "y"),
        ("/usr/bin/git restore a", "a"),
        // None of these writes files by name.
        ("git checkout main", ""),
        ("git checkout v1.2.3", ""),
        ("git checkout feature/x", ""),
        ("git checkout -b a.b", ""),
        ("git checkout main --", ""),
        ("git switch main", ""),
        ("git restore --staged a", ""),
        ("git restore -S a", ""),
        ("git apply --check p", ""),
        ("git apply --stat p", ""),
        ("git apply --cached p", ""),
        ("git rm --cached a", ""),
        ("git rm -n a", ""),
        ("git clean -nd", ""),
        ("git clean --dry-run", ""),
        ("git reset a", ""),
        ("git add a", ""),
        ("git status", ""),
        ("git log -- a", ""),
        ("git config -f a x.y", ""),
        ("git config user.name x", ""),
        ("git stash", ""),
    ]);
}

#[test]
fn what_is_too_much_is_unknown() {
    let long = format!("cd {} && rm {}", "d".repeat(4000), "a ".repeat(20_000));
    let analysis = analyse(&long);
    assert!(analysis.opaque.is_none() && analysis.writes_unknown());
    assert!(analysis.writes().iter().map(|write| write.path.len()).sum::<usize>() < 5 * MAX_BYTES);
    let many = format!("cp {} {}", "a ".repeat(10_000), "d".repeat(20_000));
    assert!(analyse(&many).writes_unknown());
    assert!(analyse("echo 'unclosed").writes_unknown());
    assert!(analyse("echo 'unclosed").writes().is_empty());
}

#[test]
fn what_goes_with_everything_in_it_is_told_apart() {
    let whole = |line: &str| {
        let analysis = analyse(line);
        let whole = analysis.writes().iter().filter(|write| write.whole);
        whole.map(|write| write.path.clone()).collect::<Vec<_>>().join(" ")
    };
    for (line, expected) in [
        ("rm -rf a b", "a b"),
        ("cd x && sudo rm -rf a", "x/a"),
        ("mv a b c", "a b"),
        ("chmod -R 700 a", "a"),
        ("chown -hR root a", "a"),
        ("chmod 700 a", ""),
        ("cp -r a b", ""),
        ("echo > a", ""),
    ] {
        assert_eq!(whole(line), expected, "{line}");
    }
}

#[test]
fn what_is_fed_and_what_variables_are_given_is_kept() {
    let analysis =
        analyse("cd x; A=1 cat < a; while read l; do :; done < /b; for f in c d; do :; done");
    let reads: Vec<_> = analysis.reads().iter().map(|word| word.text.as_str()).collect();
    assert!(reads.contains(&"x/a") && reads.contains(&"/b"), "{reads:?}");
    let values: Vec<_> =
        analysis.values().iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(values, ["A=1", "f=c", "f=d"]);
    let test = analyse("[ -f a ] && cat a");
    assert_eq!(test.commands[0].name(), Some("["));
}
