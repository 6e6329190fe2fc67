#include "scenarios/file/generator_lab.hpp"

#include <algorithm>

#include "checker/properties/properties.hpp"
#include "checker/properties/sometimes.hpp"
#include "faults/fault_kinds.hpp"
#include "scenarios/file/parts.hpp"

namespace picklock {
namespace {

std::int64_t any_number(std::int64_t least, std::int64_t most) {
  // Round ones, small ones, and those at the ends.
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return std::clamp<std::int64_t>(*rc::gen::inRange<std::int64_t>(0, 100) * 1'000'000, least, most);
    case 1:
      return std::clamp<std::int64_t>(*rc::gen::inRange<std::int64_t>(-1000, 1000), least, most);
    case 2:
      return *rc::gen::element(least, most);
    default:
      return std::clamp(*rc::gen::arbitrary<std::int64_t>(), least, most);
  }
}

// Fills every field with something that it may be.
class AnyValues {
 public:
  void operator()(const FieldInfo&, bool& v) { v = *rc::gen::arbitrary<bool>(); }
  void operator()(const FieldInfo& f, std::int64_t& v) { v = any_number(f.least, f.most); }
  void operator()(const FieldInfo& f, Duration& v) { v = any_duration(f); }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    v.reset();
    if (*rc::gen::arbitrary<bool>()) v = any_duration(f);
  }
  void operator()(const FieldInfo& f, Law& v) { v = any_law(f); }
  void operator()(const FieldInfo&, std::string& v) { v = *any_text(); }
  void operator()(const FieldInfo&, FieldChoice& choice) {
    choice.index = *rc::gen::inRange<std::size_t>(0, choice.names.size());
  }

 private:
  // Durations longer than that have no text.
  static std::int64_t least(const FieldInfo& f) { return std::max(f.least, -kForever.ns); }
  static std::int64_t most(const FieldInfo& f) { return std::min(f.most, kForever.ns); }
  static Duration any_duration(const FieldInfo& f) { return {any_number(least(f), most(f))}; }

  static Law any_law(const FieldInfo& f) {
    const std::int64_t a = any_number(least(f), most(f)), b = any_number(least(f), most(f));
    const std::int64_t low = std::min(a, b), high = std::max(a, b);
    const std::int64_t zero = std::max<std::int64_t>(0, f.least);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return Law::constant(a);
      case 1:
        return Law::uniform(low, high);
      case 2:
        if (f.least > 0) return Law::constant(a);  // an exponential one may be 0
        return Law::exponential(any_number(0, most(f)), any_number(0, most(f)));
      case 3: {
        const std::int64_t least_value = std::max(low, zero);
        return Law::heavy_tailed(least_value, *rc::gen::inRange(100, 10'001), std::max(high, least_value));
      }
      default: {
        std::vector<Law::Choice> choices;
        for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
          choices.push_back({any_number(least(f), most(f)), *rc::gen::inRange<std::uint32_t>(1, 1000)});
        }
        return Law::table(std::move(choices));
      }
    }
  }
};

template <class T>
void resize(std::vector<T>& all) {
  all.resize(*rc::gen::inRange<std::size_t>(0, 4));
}

}  // namespace

rc::Gen<std::string> any_text() {
  return rc::gen::map(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40)), [](const std::vector<int>& parts) {
    static constexpr std::string_view kParts[] = {"\"", "\\", "\n", "\t", "\r", "\x01", "\x7f", "'", "ü", "→",
                                                  "𝄞",  "#",  " ",  "=",  "[",  "]",    "a",    "b", ".", "-"};
    std::string text;
    for (const int i : parts)
      text += static_cast<std::size_t>(i) < std::size(kParts) ? kParts[i] : std::string_view("x");
    return text;
  });
}

rc::Gen<Scenario> any_scenario() {
  return rc::gen::exec([] {
    Scenario s;
    s.name = "generated";
    for (const char c : *any_text()) {
      const bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
      s.description += control ? '-' : c;
    }
    // One empty line at the head cannot be told from none.
    if (s.description.find_first_not_of("\n\t ") == std::string::npos) s.description.clear();
    resize(s.clients);
    resize(s.links);
    resize(s.clocks);
    resize(s.faults);
    resize(s.overrides);
    resize(s.reseeds);
    for (const PropertyInfo& p : properties()) {
      if (*rc::gen::inRange(0, 3) == 0) s.expect[std::string(p.name)];
    }
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
      s.sometimes.emplace_back(
          *rc::gen::elementOf(std::vector<std::string_view>(sometimes_names().begin(), sometimes_names().end())));
    }
    for_each_part(s, [](const ScenarioPart& part) {
      if (*rc::gen::inRange(0, 4) == 0 && part.info.kind.empty()) return;  // all as it is by default
      AnyValues values;
      visit_fields(part.fields, values);
    });
    fill_in_options(s);
    return s;
  });
}

}  // namespace picklock
