#include "scenarios/file/set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/lock_files.hpp"
#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "scenarios/file/lease.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// The option as it was typed, if it can be printed.
std::string option_text(std::string_view option, std::string_view text) {
  const std::string shown = quoted(text);
  const bool same = shown.size() == text.size() + 2 && shown.substr(1, text.size()) == text;
  return fmt::format("{} {}", option, same ? text : std::string_view(shown));
}

bool starts_with_part(std::string_view path, std::string_view part) {
  return path.starts_with(part) && path.size() > part.size() && path[part.size()] == '.';
}

// "clients.a" for "clients[0]"; empty if it has no name.
std::string named_path(const ScenarioPart& part) {
  return part.name.empty() ? std::string() : fmt::format("{}.{}", part.info.path, part.name);
}

// The field of this part that the path names; empty if it names none.
std::optional<std::string> field_in(const ScenarioPart& part, std::string_view path) {
  if (part.path.empty()) return std::string(path);
  if (path == part.path && !part.info.shorthand.empty()) return std::string(part.info.shorthand);
  for (const std::string& prefix : {part.path, named_path(part), fmt::format("{}.*", part.info.path)}) {
    const bool everyone = prefix.ends_with('*');
    if (prefix.empty() || (everyone && !part.info.array)) continue;
    if (starts_with_part(path, prefix)) return std::string(path.substr(prefix.size() + 1));
  }
  return std::nullopt;
}

ScenarioError error_of(std::string option, Complaint complaint) {
  return {std::move(option),           0, 0, std::move(complaint.found), std::move(complaint.expected),
          std::move(complaint.nearest)};
}

class Setter {
 public:
  Setter(Scenario& scenario, std::vector<std::string>* changed) : scenario_(scenario), changed_(changed) {}

  std::optional<Complaint> set(std::string_view path, std::string_view value) {
    constexpr std::string_view kDraw = "draw.", kExpect = "expect.";
    if (path == "sometimes") return set_sometimes(value);
    if (path == "lock.name" && opens_lock(value)) {
      if (std::string wrong = open_lock(std::string(value)); !wrong.empty()) return Complaint{std::move(wrong), "", ""};
    }
    if (path.starts_with(kDraw) && path.size() > kDraw.size()) return set_draw(path.substr(kDraw.size()), value);
    if (path.starts_with(kExpect)) {
      if (auto error = expect(path.substr(kExpect.size()))) return error;
    }
    if (path == "reseed") return set_reseeds(value);
    std::string first;
    if (constexpr std::string_view kReseed = "reseed."; path.starts_with(kReseed) && scenario_.reseeds.size() < 2) {
      scenario_.reseeds.resize(1);
      path = first = "reseed[0]." + std::string(path.substr(kReseed.size()));
    }
    add_clock(path);
    bool found = false;
    for_each_part(scenario_, [&](const ScenarioPart& part) {
      const auto field = field_in(part, path);
      if (!field || complaint_) return;
      FieldAssigner assigner(*field, value);
      part.fields.fields(assigner);
      if (assigner.found) note(part.path.empty() ? *field : fmt::format("{}.{}", part.path, *field));
      found |= assigner.found;
      complaint_ = std::move(assigner.complaint);
    });
    if (complaint_) return complaint_;
    if (!found) return unknown(path);
    return std::nullopt;
  }

 private:
  void note(std::string path) {
    if (changed_ != nullptr) changed_->push_back(std::move(path));
  }

  Complaint unknown(std::string_view path) {
    const std::vector<std::string> paths = settable_paths(scenario_);
    return Complaint{fmt::format("the path {}", quoted(path)), "one such as lock.name, clients.a.hold or phases.load",
                     std::string(nearest_name(path, paths).value_or(""))};
  }

  std::optional<Complaint> set_sometimes(std::string_view value) {
    std::vector<std::string> all;
    while (!value.empty()) {
      const std::string_view one = value.substr(0, value.find(','));
      value.remove_prefix(std::min(value.size(), one.size() + 1));
      std::size_t index = 0;
      if (auto complaint = assign_choice(trim(one), sometimes_names(), index)) return complaint;
      all.emplace_back(sometimes_names()[index]);
    }
    scenario_.sometimes = std::move(all);
    note("sometimes");
    return std::nullopt;
  }

  // "1.2s:77,1.3s:12": a recipe in place of what there was; empty: none.
  std::optional<Complaint> set_reseeds(std::string_view value) {
    std::vector<Reseed> all;
    while (!value.empty()) {
      const std::string_view one = value.substr(0, value.find(','));
      value.remove_prefix(std::min(value.size(), one.size() + 1));
      const std::size_t colon = one.find(':');
      if (colon == std::string_view::npos)
        return Complaint{quoted(one), "INSTANT:SEED, several between commas, as in 1.2s:77,1.3s:12", ""};
      Reseed& reseed = all.emplace_back();
      if (auto complaint = assign({.name = "at", .help = {}, .least = 0}, trim(one.substr(0, colon)), reseed.at))
        return complaint;
      if (auto complaint = assign({}, trim(one.substr(colon + 1)), reseed.seed)) return complaint;
    }
    scenario_.reseeds = std::move(all);
    note("reseed");
    return std::nullopt;
  }

  std::optional<Complaint> set_draw(std::string_view name, std::string_view value) {
    std::int64_t number = 0;
    if (auto complaint = assign({}, value, number)) return complaint;
    std::vector<DrawOverride>& all = scenario_.overrides;
    auto one = std::find_if(all.begin(), all.end(), [&](const DrawOverride& o) { return o.name == name; });
    if (one == all.end()) one = all.insert(one, {std::string(name), 0});
    one->value = number;
    note(fmt::format("draw[{}].value", one - all.begin()));
    return std::nullopt;
  }

  // Room for an expectation that there is not yet.
  std::optional<Complaint> expect(std::string_view path) {
    const std::string_view property = path.substr(0, path.find('.'));
    std::size_t index = 0;
    if (auto complaint = assign_choice(property, property_names(), index)) return complaint;
    scenario_.expect.try_emplace(std::string(property));
    return std::nullopt;
  }

  // Room for a clock of which nothing was said yet.
  void add_clock(std::string_view path) {
    constexpr std::string_view kClock = "clock.";
    if (!path.starts_with(kClock)) return;
    path.remove_prefix(kClock.size());
    const std::string_view node = path.substr(0, path.find('.'));
    if (node == "*" || node.size() == path.size()) return;
    for (const ClockSpec& c : scenario_.clocks) {
      if (c.node == node) return;
    }
    scenario_.clocks.emplace_back().node = node;
  }

  Scenario& scenario_;
  std::vector<std::string>* changed_;
  std::optional<Complaint> complaint_;
};

}  // namespace

std::vector<std::string> settable_paths(const Scenario& scenario) {
  Scenario s = scenario;
  fill_in_options(s);
  std::vector<std::string> paths = {"sometimes", "reseed", "reseed.at", "reseed.seed"};
  for_each_part(s, [&](const ScenarioPart& part) {
    FieldLister lister;
    part.fields.fields(lister);
    const std::string named = named_path(part);
    if (!part.info.shorthand.empty()) paths.push_back(part.path);
    for (const FieldText& f : lister.fields) {
      if (!named.empty()) paths.push_back(fmt::format("{}.{}", named, f.name));
      paths.push_back(part.path.empty() ? f.name : fmt::format("{}.{}", part.path, f.name));
    }
  });
  return paths;
}

std::optional<Complaint> set_value(Scenario& scenario, std::string_view path, std::string_view value,
                                   std::vector<std::string>* changed) {
  return Setter(scenario, changed).set(canonical_path(path), value);
}

std::optional<ScenarioError> set_in_scenario(Scenario& scenario, std::string_view assignment) {
  ScenarioError error;
  error.file = option_text("--set", assignment);
  error.expected = "path=value, as in lock.ttl=200ms";
  // Draws have names without '=', and nothing else has one in its path.
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    error.found = "no '='";
    return error;
  }
  if (!valid_utf8(assignment)) {
    error.found = "bytes that are no characters";
    return error;
  }
  std::string_view value = trim(assignment.substr(equals + 1));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  Scenario changed = scenario;
  fill_in_options(changed);
  const std::string_view path = trim(assignment.substr(0, equals));
  if (auto complaint = set_value(changed, path, value)) return error_of(option_text("--set", assignment), *complaint);
  scenario = std::move(changed);
  return std::nullopt;
}

std::string assignment_of(std::string_view path, std::string_view value) {
  const auto taken_off = [](char c) { return c == ' ' || c == '"'; };
  const bool as_it_is = value.empty() || (!taken_off(value.front()) && !taken_off(value.back()));
  return as_it_is ? fmt::format("{}={}", path, value) : fmt::format("{}=\"{}\"", path, value);
}

std::optional<ScenarioError> set_lock(Scenario& scenario, std::string_view kind) {
  Scenario changed = scenario;
  fill_in_options(changed);
  const std::optional<Duration> lease = lease_told(changed).lasts;
  if (auto complaint = set_value(changed, "lock.name", kind)) return error_of(option_text("--lock", kind), *complaint);
  changed.lock.lease = lease;
  if (lease) ask_for_lease(changed.lock, *lease);
  changed.expect.clear();
  scenario = std::move(changed);
  return std::nullopt;
}

}  // namespace picklock
