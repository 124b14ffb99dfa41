//! Has the linker put what hook calls run and read side by side in the binary that is released:
//! otherwise most of a call is the kernel bringing in pages. See `scripts/order-hot`.

fn main() {
    println!("cargo:rerun-if-changed=hot.ld");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("TARGET", "x86_64-unknown-linux-musl") && is("PROFILE", "release") {
        let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{folder}/hot.ld");
    }
}
