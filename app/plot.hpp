// Pictures of sweeps, by gnuplot where it is installed.
#pragma once

#include <string>

#include "reports/campaigns/plot.hpp"

namespace picklock {

// Writes the script and the data beside the picture, and draws it. Says on standard error if that is impossible.
bool draw_plot(const SweepTable& sweep, PlotOf what, const std::string& picture);

}  // namespace picklock
