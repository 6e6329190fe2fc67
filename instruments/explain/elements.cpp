#include "instruments/explain/elements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/run/idle_faults.hpp"
#include "scenarios/file/parts.hpp"

namespace picklock {
namespace {

std::string numbered(std::string_view array, std::size_t i) { return fmt::format("{}[{}]", array, i); }

class ElementLister {
 public:
  ElementLister(const Scenario& s, const ScenarioEdits& edits) : s_(s) {
    Scenario copy = s;
    left_out_ = edit_scenario(copy, {"", {}, edits.without}).left_out;
  }

  std::vector<Element> list() {
    for (std::size_t i = 0; i < s_.faults.size(); ++i) part("fault", "fault", i);
    for (std::size_t i = 0; i < s_.clocks.size(); ++i) part("clock", "clock", i);
    for (std::size_t i = 0; i < s_.links.size(); ++i) part("link", "network.link", i);
    for (std::size_t i = 0; i < s_.overrides.size(); ++i) part("draw", "draw", i);
    for (std::size_t i = 0; i < s_.clients.size(); ++i) {
      if (left_out_.contains("clients", i)) continue;
      const ClientSpec& c = s_.clients[i];
      const std::string path = "clients." + c.name;
      all_.push_back({"client", path, "client " + c.name, {"", {}, {path}}});
      steps(c, path);
    }
    return std::move(all_);
  }

 private:
  void part(std::string kind, std::string_view array, std::size_t i) {
    if (left_out_.contains(array, i)) return;
    const std::string path = numbered(array, i);
    all_.push_back({std::move(kind), path, words_of_part(s_, path), {"", {}, {path}}});
  }

  // Rounds after the first, and single locks of several.
  void steps(const ClientSpec& c, const std::string& path) {
    if (c.rounds != 1 && c.role == ClientRole::holder) {
      all_.push_back({"step",
                      path + ".rounds",
                      fmt::format("the rounds of {} after its first", c.name),
                      {"", {path + ".rounds=1"}, {}}});
    }
    for (std::size_t i = 0; c.locks.size() > 1 && i < c.locks.size(); ++i) {
      std::vector<std::string> others = c.locks;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      all_.push_back({"step",
                      fmt::format("{}.locks[{}]", path, i),
                      fmt::format("that {} takes {}", c.name, c.locks[i]),
                      {"", {fmt::format("{}.locks={}", path, list_text(others))}, {}}});
    }
  }

  const Scenario& s_;
  LeftOut left_out_;
  std::vector<Element> all_;
};

// The name of a part's field in a sentence: "the length of the pause of a", "the hold of client a".
std::string quantity_words(std::string_view array, const std::string& owner, const std::string& field) {
  if (array == "fault") {
    if (field == "lasts") return "the length of " + owner;
    if (field == "by") return "the size of " + owner;
    if (field == "at") return "the instant of " + owner;
    if (field == "offset") return "the delay of " + owner + " after its trigger";
    if (field == "restart-after") return "the downtime of " + owner;
    if (field == "ppm") return "the drift of " + owner;
  }
  return fmt::format("the {} of {}", field, owner);
}

bool is_quantity(std::string_view part, const FieldText& f) {
  switch (f.type) {
    case ValueType::duration:
      return true;
    case ValueType::optional_duration:  // may lack a value only where that means for ever
      return f.text != "none" || (part.starts_with("fault") && f.name != "at");
    case ValueType::optional_law:
      if (f.text == "none") return part.starts_with("fault") && f.name != "at";
      [[fallthrough]];
    case ValueType::law:
      return f.text.find_first_of(".(|") == std::string::npos || f.text.find("..") == std::string::npos;
    case ValueType::integer:
      return f.name.ends_with("ppm");
    default:
      return false;
  }
}

}  // namespace

std::vector<Element> elements_of(const Scenario& scenario, const ScenarioEdits& edits) {
  return ElementLister(scenario, edits).list();
}

std::string words_of_part(const Scenario& s, std::string_view path) {
  for (std::size_t i = 0; i < s.faults.size(); ++i) {
    if (path == numbered("fault", i)) return words_of_fault(s.faults[i]);
  }
  for (std::size_t i = 0; i < s.clocks.size(); ++i) {
    if (path == numbered("clock", i)) return fmt::format("the clock of {}", s.clocks[i].node);
  }
  for (std::size_t i = 0; i < s.links.size(); ++i) {
    if (path == numbered("network.link", i))
      return fmt::format("the latency of the link from {} to {}", s.links[i].from, s.links[i].to);
  }
  for (std::size_t i = 0; i < s.overrides.size(); ++i) {
    if (path == numbered("draw", i)) return fmt::format("the pinned draw {}", s.overrides[i].name);
  }
  return std::string(path);
}

std::vector<QuantityField> quantities_of(const Scenario& scenario) {
  Scenario s = scenario;
  fill_in_options(s);
  std::vector<QuantityField> all;
  for_each_part(s, [&](const ScenarioPart& part) {
    const std::string_view array = part.info.path;
    if (array != "fault" && array != "clock" && array != "clients" && array != "lock") return;
    const std::string name = array == "clients" ? fmt::format("clients.{}", part.name) : part.path;
    FieldLister lister;
    part.fields.fields(lister);
    for (FieldText& f : lister.fields) {
      if (!is_quantity(name, f)) continue;
      const std::string owner = array == "clients" ? fmt::format("client {}", part.name)
                                : array == "lock"  ? "the lock"
                                                   : words_of_part(s, part.path);
      std::string words = quantity_words(array, owner, f.name);
      all.push_back({name, std::move(f), std::move(words)});
    }
  });
  return all;
}

}  // namespace picklock
