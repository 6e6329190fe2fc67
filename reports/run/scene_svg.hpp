// The picture of a run as SVG, for slides and papers.
#pragma once

#include <string>

#include "reports/run/scene.hpp"

namespace picklock {

// One document, without scripts or references to other files.
std::string scene_svg(const Scene& scene);

}  // namespace picklock
