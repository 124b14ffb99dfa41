class Waypost < Formula
  desc "@SUMMARY@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_linux do
@ARCHIVES@  end

  def install
    bin.install "bin/waypost"
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/waypost"
    zsh_completion.install "share/zsh/site-functions/_waypost"
    fish_completion.install "share/fish/vendor_completions.d/waypost.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/waypost --version")
  end
end
