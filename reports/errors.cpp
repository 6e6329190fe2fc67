#include "reports/errors.hpp"

#include <fmt/format.h>

#include <vector>

namespace picklock {

std::string errors_told_once(const std::map<std::uint64_t, std::string>& errors, std::string_view what) {
  struct Told {
    std::uint64_t first;
    bool others;
    const std::string* text;
  };
  std::vector<Told> all;  // problems in the order of their first places
  std::map<std::string_view, std::size_t> known;
  for (const auto& [place, text] : errors) {
    const auto [found, fresh] = known.try_emplace(text, all.size());
    if (fresh) {
      all.push_back({place, false, &text});
    } else {
      all[found->second].others = true;
    }
  }
  std::string out;
  for (const Told& t : all) {
    out += fmt::format("{} {}{}: {}\n", what, t.first, t.others ? ", and others" : "", *t.text);
  }
  return out;
}

}  // namespace picklock
