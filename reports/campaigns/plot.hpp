// A sweep as a picture, drawn by gnuplot: its script and its data, which stay beside the picture.
#pragma once

#include <cstdint>
#include <string>

#include "base/enum_names.hpp"
#include "campaigns/sweep.hpp"

namespace picklock {

enum class PlotOf : std::uint8_t {
  shares,    // share violated against the first path that varies, with bands of 95 %; a line for each lock
  survival,  // share of runs without a violation against simulated time, with bands
  sizes      // share of violations that are at most so large
};
constexpr auto enum_names(PlotOf) { return name_list("shares", "survival", "sizes"); }

struct Plot {
  std::string script;  // script for gnuplot, run in the folder of the picture
  std::string data;    // columns with a head, a block for each line of the picture
};

// Plots the first judged property. `picture` is a file that ends in .svg, .png or .pdf; the script reads `picture`.dat.
Plot plot_of(const SweepTable& sweep, PlotOf what, const std::string& picture);

bool is_picture(const std::string& name);  // ends in .svg, .png or .pdf

}  // namespace picklock
