#include "scenarios/file/hash.hpp"

#include "base/hash.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {

std::uint64_t scenario_hash(const Scenario& scenario) {
  Scenario s = scenario;
  fill_in_options(s);
  std::uint64_t hash = hash_of("scenario");
  // The length before it keeps one text from looking like two.
  const auto take = [&](std::string_view text) { hash = hash_more(mix(hash, text.size()), text); };
  for_each_part(s, [&](const ScenarioPart& part) {
    if (part.info.path == "expect") return;
    FieldLister lister;
    part.fields.fields(lister);
    take(part.path);
    for (const FieldText& f : lister.fields) {
      take(f.name);
      take(f.text);
    }
  });
  for (const std::string& condition : s.sometimes) take(condition);
  return hash;
}

}  // namespace picklock
