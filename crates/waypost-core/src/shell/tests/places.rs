//! Files that are written by commands in commands, and in other folders.

use super::writes::check;

#[test]
fn writes_are_found_wherever_they_hide() {
    check(&[
        ("bash -c 'rm a'", "a"),
        ("bash -ec 'rm a' x", "a"),
        ("bash -c -e 'rm a'", "a"),
        ("bash -o pipefail -c 'rm a'", "a"),
        ("sh -c \"sed -i s/a/b/ f\"", "f"),
        ("eval rm a", "a"),
        ("eval 'echo > a'", "a"),
        ("X=1 rm a", "a"),
        ("env X=1 rm a", "a"),
        ("env -u X -i rm a", "a"),
        ("env -S 'rm a'", "a"),
        ("env -C d rm a", "d/a"),
        ("sudo rm a", "a"),
        ("sudo -u me -- rm a", "a"),
        ("sudo --user me rm a", "a"),
        ("sudo $OPTS rm a", "a"),
        ("sudo --new-option x rm a", "a"),
        ("nohup rm a", "a"),
        ("nice -n 5 rm a", "a"),
        ("timeout 5 rm a", "a"),
        ("timeout -k 1 $T rm a", "a"),
        ("timeout 5 sudo env X=1 rm a", "a"),
        ("command rm a", "a"),
        ("time rm a", "a"),
        ("exec rm a", "a"),
        ("flock lock rm a", "a"),
        ("flock lock -c 'rm a'", "a"),
        ("su me -c 'rm a'", "a"),
        ("watch -n 1 'rm a'", "a"),
        ("busybox rm a", "a"),
        ("waypost run -- rm a", "a"),
    ]);
}

#[test]
fn writes_are_found_in_what_is_run_for_many_files() {
    check(&[
        ("ls | xargs rm", "?{}"),
        ("ls | xargs -n 1 rm -f", "?{}"),
        ("ls | xargs -I{} cp {} d/", "?d/{}"),
        ("ls | xargs -I X touch X.bak", "?X.bak"),
        ("ls | xargs sed -i s/a/b/", "?{}"),
        ("ls | xargs -0 grep x", ""),
        ("find . -delete", "*"),
        ("find . -name x -exec rm {} \\;", "*"),
        ("find /d e -name x -exec rm {} +", "/d/* e/*"),
        ("find d -exec sh -c 'rm a' {} +", "a"),
        ("find /d -delete", "/d/*"),
        ("find . -exec rm '{}' +", "*"),
        ("find . -exec sed -i s/a/b/ f ';' -exec touch g ';'", "f g"),
        ("find . -execdir rm a ';'", "?$PWD/a"),
        ("find . -fprint a", "a"),
        ("find . -exec grep x {} +", ""),
        ("find . -name '*.rs'", ""),
    ]);
}

#[test]
fn writes_are_found_in_every_part_of_the_grammar() {
    check(&[
        ("(rm a)", "a"),
        ("{ rm a; }", "a"),
        ("true && rm a || rm b", "a b"),
        ("true | rm a | cat", "a"),
        ("rm a &", "a"),
        ("if rm a; then rm b; else rm c; fi", "a b c"),
        ("for x in 1; do rm a; done", "a"),
        ("case $(rm a) in $(rm b)) rm c;; esac", "a b c"),
        ("f() { rm a; }; f", "a"),
        ("trap 'rm a' EXIT", "a"),
        ("alias x='rm a'", "a"),
        ("git submodule foreach 'rm a'", "?$PWD/a"),
        ("git bisect run rm a", "a"),
        ("git rebase -x 'rm a' main", "a"),
        ("\\rm a", "a"),
        ("r'm' a", "a"),
        ("$'rm' a", "a"),
        ("/bin/rm a", "a"),
        ("rm \\\n a", "a"),
    ]);
}

#[test]
fn paths_are_those_of_the_folder_that_the_shell_is_in() {
    check(&[
        ("cd d && rm a", "d/a"),
        ("cd d/ && rm a", "d/a"),
        ("cd -- d && rm a", "d/a"),
        ("cd -P d && rm a", "d/a"),
        ("cd /d && rm a", "/d/a"),
        ("cd d && rm /a", "/a"),
        ("cd d && rm ../a", "d/../a"),
        ("cd d && cd e && rm a", "d/e/a"),
        ("cd d && cd /e && rm a", "/e/a"),
        ("cd d && echo > a", "d/a"),
        ("cd d > a", "a"),
        ("pushd d && rm a", "d/a"),
        ("builtin cd d && rm a", "d/a"),
        ("(cd d && rm a) && rm b", "d/a b"),
        ("(cd d && rm a); rm b", "d/a b"),
        ("bash -c 'cd d && rm a' && rm b", "d/a b"),
        ("eval 'cd d' && rm a", "a d/a"),
        ("echo $(cd d && rm a) && rm b", "d/a b"),
        ("cd d & rm a", "a"),
        ("cd d && sh <<< 'rm a'", "d/a"),
        ("cd d && git checkout -- a", "d/a"),
        ("cd d && find . -exec rm a ';'", "d/a"),
        ("cd d && rm ~/a", "?~/a"),
        ("cd d && rm *.o", "?d/*.o"),
        ("cd $D && rm a", "?$D/a"),
        ("cd \"$D\" && rm /a", "/a"),
        ("cd && rm a", "?~/a"),
        ("cd ~/d && rm a", "?~/d/a"),
        ("cd - && rm a", "?$PWD/a"),
        ("popd && rm a", "?$PWD/a"),
        ("cd $D && cd /d && rm a", "/d/a"),
        // The folder may not exist, and then the shell stays where it is.
        ("cd d; rm a", "a d/a"),
        ("cd d\nrm a", "a d/a"),
        ("cd d || exit 1; rm a", "a d/a"),
        ("cd d && make || rm a", "d/a a"),
        ("cd d && cd e || rm a", "d/e/a a d/a"),
        ("true | cd d && rm a", "d/a a"),
        ("if cd d; then rm a; fi; rm b", "a d/a b d/b"),
        ("cd a; cd b; cd c; rm x", "?$PWD/x"),
        ("for x in 1 2; do cd d; rm a; rm /b; done; rm c", "?a ?d/a /b c ?$PWD/c"),
        // Not every `cd` is one.
        ("env cd d && rm a", "a"),
        ("/usr/bin/cd d && rm a", "a"),
        ("echo cd d && rm a", "a"),
        ("cd() { :; }; cd d && rm a", "?d/a"),
        ("CDPATH=/x; cd d && rm a", "?d/a"),
        ("f() { cd d; }; f && rm a", "a ?$PWD/a"),
    ]);
}
