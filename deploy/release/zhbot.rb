# Homebrew formula of zhbot; docs/install.md says how to install it.
class Zhbot < Formula
  desc "Crazyhouse BOT for Lichess"
  homepage "https://github.com/zhbot/zhbot"
  version "@NUMBER@"
  license "GPL-3.0-or-later"

  on_macos do
    on_arm do
      url "https://github.com/zhbot/zhbot/releases/download/@TAG@/zhbot_@TAG@_darwin_arm64.tar.gz"
      sha256 "@darwin_arm64@"
    end
    on_intel do
      url "https://github.com/zhbot/zhbot/releases/download/@TAG@/zhbot_@TAG@_darwin_amd64.tar.gz"
      sha256 "@darwin_amd64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/zhbot/zhbot/releases/download/@TAG@/zhbot_@TAG@_linux_arm64.tar.gz"
      sha256 "@linux_arm64@"
    end
    on_intel do
      url "https://github.com/zhbot/zhbot/releases/download/@TAG@/zhbot_@TAG@_linux_amd64.tar.gz"
      sha256 "@linux_amd64@"
    end
  end

  def install
    bin.install "zhbot"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/zhbot.bash" => "zhbot"
    zsh_completion.install "completions/_zhbot"
    fish_completion.install "completions/zhbot.fish"
    doc.install "README.md", "CHANGELOG.md", "config.example.yaml", "docs"
  end

  service do
    run [opt_bin/"zhbot", "run"]
    working_dir var/"zhbot"
    # On macOS only a signal is a crash; systemd's unit is made from crashed alone.
    keep_alive successful_exit: false, crashed: true
    # If Lichess refuses the token, wait rather than be restarted in a loop.
    environment_variables ZHBOT_LICHESS_RETRY_REFUSED: "1h"
    log_path var/"log/zhbot.log"
    error_log_path var/"log/zhbot.log"
  end

  def post_install
    (var/"zhbot").mkpath
  end

  def caveats
    <<~TEXT
      Set the bot up, then start it:
        cd #{var}/zhbot && zhbot setup
        brew services start zhbot
    TEXT
  end

  test do
    assert_match "@TAG@", shell_output("#{bin}/zhbot version")
  end
end
