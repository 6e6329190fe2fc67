#include "app/plot.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.hpp"
#include "base/shell.hpp"

namespace picklock {

bool draw_plot(const SweepTable& sweep, PlotOf what, const std::string& picture) {
  const std::filesystem::path path(picture), folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string name = path.filename().string();
  const Plot plot = plot_of(sweep, what, name);
  write_file(picture + ".dat", plot.data);
  write_file(picture + ".gp", plot.script);
  const auto shell = [](const std::string& command) { return std::system(command.c_str()) == 0; };
  if (!shell("command -v gnuplot >/dev/null 2>&1")) {
    fmt::print(stderr, "picklock: gnuplot is not installed: {0}.gp and {0}.dat are written, {0} is not\n", picture);
    return false;
  }
  const std::string command =
      "cd " + shell_word(folder.string()) + " && gnuplot " + shell_word("./" + name + ".gp") + " >&2";
  if (shell(command)) return true;
  fmt::print(stderr, "picklock: gnuplot could not draw {0}; its script is {0}.gp\n", picture);
  return false;
}

}  // namespace picklock
