// Completion in the shells themselves, where they are installed.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/command_runs.hpp"

namespace picklock {
namespace completion_test {

namespace fs = std::filesystem;
using testing::Ran;
using testing::run_picklock;
using testing::run_shell;

using Lines = std::vector<std::string>;

bool is_installed(const std::string& shell) { return run_shell("command -v " + shell + " >/dev/null").status == 0; }

// What a shell offers for a line.
class Completion : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ + "/bin");
    fs::create_symlink(PICKLOCK_BINARY, folder_ + "/bin/picklock");
    std::ofstream(folder_ + "/own_lock.lua") << "lock = {}\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  void expect_to_know_everything(const std::string& shell) {
    expect(shell, "expl", {"explain"});
    expect(shell, "regress --jun", {"--junit"});
    expect(shell, "run --format ", {"json", "text"});
    expect(shell, "run --lock redlock-f", {"redlock-fenced"});
    expect(shell, "run paused_holder/f", {"paused_holder/fenced", "paused_holder/fenced_writes"});
    expect(shell, "compare --play-again abandoned_a", {"abandoned_acquire"});
    expect(shell, "run --lock own", {"own_lock.lua"});
    expect(shell, "hunt --beyond pauses-sh", {"pauses-shorter-than"});
    expect(shell, "check --model semaphore-", {"semaphore-ownerless:N"});
    expect(shell, "envelope etcd-el", {"etcd-election"});
    expect(shell, "list assum", {"assumptions"});
    expect(shell, "new ", {"lock"});
    expect(shell, "tour own", {});
  }

 private:
  void expect(const std::string& shell, const std::string& line, const Lines& offered) {
    Lines found = shell == "bash" ? in_bash(line) : shell == "fish" ? in_fish(line) : in_zsh(line);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, offered) << shell << ": " << line;
  }
  Ran in_folder(const std::string& commands) const {
    return run_shell("cd '" + folder_ + "' && PATH=\"$PWD/bin:$PATH\" && export PATH && " + commands);
  }
  static Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (!line.empty()) lines.push_back(line.substr(0, line.find('\t')));
    }
    return lines;
  }
  Lines in_bash(const std::string& line) const {
    std::ofstream(folder_ + "/look.bash")
        << "source <(picklock describe bash)\nset -- picklock " << line << (line.back() == ' ' ? "''" : "")
        << "\nCOMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n"
           "$(complete -p picklock | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n"
           "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    return lines_of(in_folder("bash look.bash").out);
  }
  Lines in_fish(const std::string& line) const {
    return lines_of(
        in_folder("HOME=\"$PWD\" fish -c 'picklock describe fish | source; complete -C \"picklock " + line + "\"'")
            .out);
  }
  // A shell in a terminal of its own, in which Tab is pressed; it prints what it would offer.
  Lines in_zsh(const std::string& line) const {
    std::ofstream(folder_ + "/look.zsh") << R"zsh(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1="PRO""MPT" PS2=; stty -echo; autoload -Uz compinit; compinit -u -D; source <(picklock describe zsh)
compadd() { local -a all; builtin compadd -O all "$@"; (( $#all )) && print -rl -- OFFERED${^all}; builtin compadd "$@" }
print REA""DY'
zpty -r -m shell line '*READY*PROMPT*'  # the editor of lines prints it, and reads from then on
zpty -w -n shell $'picklock )zsh" << line << R"zsh(\t'
zpty -w shell $'\C-uprint DO""NE'
zpty -r -m shell line '*DONE*'
print -r -- "$line"
)zsh";
    Lines found;
    for (std::string offered : lines_of(in_folder("zsh -f look.zsh").out)) {
      const std::size_t at = offered.find("OFFERED");
      if (at == offered.npos) continue;
      offered = offered.substr(at + 7);
      while (!offered.empty() && std::isspace(static_cast<unsigned char>(offered.back())) != 0) offered.pop_back();
      if (std::find(found.begin(), found.end(), offered) == found.end()) found.push_back(offered);
    }
    return found;
  }

  const std::string folder_ = testing::scratch("completion");
};

TEST_F(Completion, InBash) { expect_to_know_everything("bash"); }

TEST_F(Completion, InZsh) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  expect_to_know_everything("zsh");
}

TEST_F(Completion, InFish) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  expect_to_know_everything("fish");
}

}  // namespace completion_test
}  // namespace picklock
