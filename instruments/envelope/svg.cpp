// The picture of envelopes: a row for each lock, a field for each hazard.
//
// A field with a magnitude is a logarithmic axis from a 64th of the lease to eight leases, or from 0.1 % to 100 %: a band where the lock
// claims to be safe, a bar from the smallest magnitude that lets two clients in, a line at the median.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.hpp"
#include "instruments/envelope/envelope.hpp"

namespace picklock {
namespace {

constexpr double kNames = 220, kField = 118, kWide = 110, kRow = 16, kHigh = 12, kHead = 40;

struct Axis {
  double least, most;
  double at(double value) const {
    if (value <= least) return 0;
    return std::min(1.0, std::log(value / least) / std::log(most / least)) * kWide;
  }
};

Axis axis_of(const Envelope& e, const Hazard& hazard) {
  if (hazard.magnitude == Magnitude::rate) return {1'000, 1'000'000};
  const double lease = e.has_lease ? static_cast<double>(e.lease.ns) : 1e9;
  return {lease / 64, lease * 8};
}

std::string box(std::string_view style, double from, double to) {
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\"/>", style, from, to - from,
                     kHigh);
}

std::string drawn(const Envelope& e, const HazardEdge& edge) {
  if (edge.contended == 0) return box("untested", 0, kWide);
  if (edge.hazard->magnitude == Magnitude::none) {
    return box(edge.bound ? "claimed" : "field", 0, kWide) + (edge.violated > 0 ? box("in", 0, kWide) : "");
  }
  const Axis axis = axis_of(e, *edge.hazard);
  std::string text = box("field", 0, kWide);
  if (edge.bound && *edge.bound > 0) text += box("claimed", 0, axis.at(static_cast<double>(*edge.bound)));
  if (edge.edges.empty()) return text;
  text += box("in", axis.at(static_cast<double>(edge.edges.front())), kWide);
  return text + fmt::format("<path class=\"median\" d=\"M{0:.1f} 0v{1:.0f}\"/>",
                            axis.at(static_cast<double>(edge.median())), kHigh);
}

}  // namespace

std::string envelope_svg(const std::vector<Envelope>& all) {
  const double width = kNames + kField * static_cast<double>(hazards().size());
  const double height = kHead + kRow * static_cast<double>(all.size()) + 60;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n"
      "<title>Where the safety of each lock ends</title>\n"
      "<style>.field{{fill:#eee}}.claimed{{fill:#9bd09b}}.in{{fill:#d9534f;fill-opacity:.75}}.median{{stroke:#000}}"
      ".untested{{fill:none;stroke:#999}}.wrong rect.field{{stroke:#000;stroke-width:2}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height);
  const auto x_of = [](std::size_t place) { return kNames + kField * static_cast<double>(place); };
  for (std::size_t i = 0; i < hazards().size(); ++i) {
    const Hazard& hazard = hazards()[i];
    const std::string_view scale = hazard.magnitude == Magnitude::none   ? "happens or not"
                                   : hazard.magnitude == Magnitude::rate ? "0.1 % … 100 %"
                                                                         : "1/64 … 8 leases";
    text += fmt::format(
        "<text x=\"{0:.0f}\" y=\"16\" font-weight=\"bold\">{1}</text><text x=\"{0:.0f}\" y=\"32\" "
        "fill=\"#555\">{2}</text>\n",
        x_of(i), hazard.name, scale);
  }
  for (std::size_t row = 0; row < all.size(); ++row) {
    const Envelope& e = all[row];
    text += fmt::format("<g id=\"{0}\" transform=\"translate(0 {1:.0f})\"><text x=\"4\" y=\"10\">{0}</text>\n", e.lock,
                        kHead + kRow * static_cast<double>(row));
    for (const HazardEdge& edge : e.edges) {
      const auto place = static_cast<std::size_t>(edge.hazard - hazards().data());
      text += fmt::format("<g class=\"{}\" transform=\"translate({:.0f} 0)\"><title>{}</title>{}</g>\n", name(edge.fit),
                          x_of(place), edge_sentence(e, edge), drawn(e, edge));
    }
    text += "</g>\n";
  }
  const double y = height - 44;
  const auto legend = [&](double x, std::string_view style, std::string_view words) {
    text += fmt::format(
        "<g transform=\"translate({:.0f} {:.0f})\"><rect class=\"{}\" width=\"24\" height=\"12\"/>"
        "<text x=\"30\" y=\"10\">{}</text></g>\n",
        x, y, style, words);
  };
  legend(4, "claimed", "claimed to be safe, or claimed not to happen");
  legend(330, "in", "two clients are in (from the smallest magnitude of all seeds)");
  legend(730, "field", "neither claimed nor seen to fail");
  text += fmt::format(
      "<text x=\"4\" y=\"{:.0f}\">A black line is the median of the seeds; a black frame marks a claim "
      "that is refuted.</text>\n</svg>\n",
      height - 12);
  return text;
}

}  // namespace picklock
