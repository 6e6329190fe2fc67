// Outputs of the command leave devices, FIFOs and links as they are.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace outputs_test {

namespace fs = std::filesystem;

class Outputs : public ::testing::Test {
 protected:
  Outputs() { fs::create_directories(folder_); }
  ~Outputs() override { fs::remove_all(folder_); }
  // Each option that writes one file, the command before it, and what its file says.
  struct Option {
    const char *command, *content;
  };
  static constexpr Option kOptions[] = {
      {"sweep paused_holder --seeds 5 --format csv --out", "scenario,"},
      {"run paused_holder --svg", "<svg"},
      {"run paused_holder --html", "<html"},
      {"run paused_holder --perfetto", "traceEvents"},
      {"run paused_holder --shiviz", "{"},
      {"run paused_holder --slice --dot", "digraph"},
      {"run paused_holder --against 2 --html", "<html"},
      {"explain paused_holder --html", "<html"},
      {"envelope set-nx-px --hazard pause --seeds 2 --svg", "<svg"},
      {"estimate paused_holder --plain-runs 100 --recipe", "# The lock set-nx-px"},
  };
  const std::string folder_ = scratch("outputs");
};

TEST_F(Outputs, AreWrittenThroughAFifo) {
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const Option& option : kOptions) {
    const Ran ran = run_shell("cat " + fifo + " > " + folder_ + "/read & " + PICKLOCK_BINARY + " " + option.command +
                              " " + fifo + " > " + folder_ + "/said 2>&1; wait");
    EXPECT_TRUE(fs::is_fifo(fifo)) << option.command;
    EXPECT_NE(content(folder_ + "/read").find(option.content), std::string::npos)
        << option.command << content(folder_ + "/said");
  }
}

TEST_F(Outputs, KeepLinks) {
  fs::create_symlink("target", folder_ + "/link");
  for (const Option& option : kOptions) {
    const Ran ran = run_picklock(std::string(option.command) + " " + folder_ + "/link");
    EXPECT_TRUE(fs::is_symlink(folder_ + "/link")) << option.command;
    EXPECT_NE(content(folder_ + "/target").find(option.content), std::string::npos) << option.command << ran.out;
  }
}

TEST_F(Outputs, ReportAFullDeviceAndLeaveIt) {
  const std::string device = folder_ + "/full";
  if (::mknod(device.c_str(), S_IFCHR | 0600, ::makedev(1, 7)) != 0 || run_shell("true > " + device).status != 0)
    GTEST_SKIP() << "devices cannot be made here";
  for (const Option& option : kOptions) {
    const Ran ran = run_picklock(std::string(option.command) + " " + device);
    EXPECT_EQ(ran.status, 2) << option.command;
    EXPECT_TRUE(has(ran, "No space left on device")) << option.command << ran.out;
    EXPECT_TRUE(fs::is_character_file(device)) << option.command;
  }
  for (const char* const store : {"sweep paused_holder --seeds 5 --store ", "run paused_holder --seeds 5 --store "}) {
    const Ran ran = run_picklock(store + device);
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_TRUE(has(ran, "expected a file")) << ran.out;
    EXPECT_TRUE(fs::is_character_file(device));
  }
}

TEST_F(Outputs, GoOnWhereStandardOutputStands) {
  const Ran ran = run_shell("(echo first; " + std::string(PICKLOCK_BINARY) +
                            " sweep paused_holder --seeds 5 --format csv --out /dev/stdout) > " + folder_ + "/all");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_EQ(content(folder_ + "/all").rfind("first\nscenario,", 0), 0u) << content(folder_ + "/all");
}

}  // namespace outputs_test
}  // namespace picklock::testing
