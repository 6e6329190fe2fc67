// `picklock sweep --plot`: the script and the data, and the picture where gnuplot is installed.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace plot_test {

class PlotTest : public ::testing::Test {
 protected:
  PlotTest() { std::filesystem::create_directories(folder_); }
  ~PlotTest() override { std::filesystem::remove_all(folder_); }
  bool has_gnuplot() const { return run_shell("command -v gnuplot").status == 0; }
  Ran plot(const std::string& options) const {
    return run_shell("cd " + folder_ + " && " + PICKLOCK_BINARY +
                     " sweep paused_holder --property mutual-exclusion --seeds 100 " + options);
  }
  std::string file(const std::string& name) const { return content(folder_ + "/" + name); }

  const std::string folder_ = scratch("plot");
};

TEST_F(PlotTest, LeavesItsScriptAndItsData) {
  const Ran ran = plot("--lock set-nx-px,redlock --vary lock.ttl=240ms..250ms/5ms --plot 'a b.svg'");
  EXPECT_EQ(ran.status, has_gnuplot() ? 0 : 2) << ran.out;
  const std::string script = file("a b.svg.gp"), data = file("a b.svg.dat");
  EXPECT_NE(script.find("set output 'a b.svg'"), std::string::npos) << script;
  EXPECT_NE(script.find("set title 'paused_holder'"), std::string::npos) << "common to all lines: " << script;
  EXPECT_NE(script.find(" title 'redlock'"), std::string::npos) << script;
  EXPECT_NE(script.find("set xlabel 'lock.ttl (ms)'"), std::string::npos) << script;
  EXPECT_NE(
      data.find("# paused_holder, redlock\n# place\tvalue\tshare_violated\tlow\thigh\tviolated\tdecided\n240\t240ms"),
      std::string::npos)
      << data;
}

// Curves that lie upon each other differ in dashes and width. Long times are told in s.
TEST_F(PlotTest, EqualCurvesStayVisible) {
  plot("--lock set-nx-px,redlock --vary lock.ttl=240ms,12s --plot c.svg");
  const std::string script = file("c.svg.gp");
  EXPECT_NE(script.find("lc 1 dt 1 lw 3.5 title 'set-nx-px'"), std::string::npos) << script;
  EXPECT_NE(script.find("lc 2 dt 2 lw 1.5 title 'redlock'"), std::string::npos) << script;
  EXPECT_NE(script.find("set xlabel 'lock.ttl (s)'"), std::string::npos) << script;
  EXPECT_NE(file("c.svg.dat").find("\n0.24\t240ms"), std::string::npos);
}

TEST_F(PlotTest, GnuplotDrawsEachOfThem) {
  if (!has_gnuplot()) GTEST_SKIP() << "there is no gnuplot";
  for (const std::string what : {"shares", "survival", "sizes"}) {
    const Ran ran = plot("--vary lock.ttl=245ms,248ms --plot " + what + ".svg --plot-of " + what);
    EXPECT_EQ(ran.status, 0) << ran.out;
    const std::string picture = file(what + ".svg");
    EXPECT_NE(picture.find("<svg"), std::string::npos);
    EXPECT_NE(picture.find("lock.ttl"), std::string::npos) << "a name of an axis or of a line";
  }
  EXPECT_EQ(plot("--vary storage.fence=none,writes --plot words.svg").status, 0);
}

TEST_F(PlotTest, RefusesOtherKindsOfFiles) {
  EXPECT_EQ(plot("--plot out.bmp").status, 2);
  EXPECT_EQ(plot("--plot-of sizes").status, 2) << "without --plot";
}

}  // namespace plot_test
}  // namespace picklock::testing
