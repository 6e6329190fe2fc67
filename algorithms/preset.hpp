// Presets: values of several options at once, chosen by the option `preset`, which stands first.
//
// A visitor that changes the preset changes every option that stood as the former preset has it; an option beside
// `preset` overrides it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/enum_names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

// Of an article's lock.
enum class ArticlePreset : std::uint8_t {
  as_meant,     // so that it can lock at all
  as_published  // its listing as it stands
};
constexpr auto enum_names(ArticlePreset) { return name_list("as-meant", "as-published"); }

// The first lines of fields() of options T, which has T::of(ArticlePreset): visits `preset`, and changes `members`.
template <class T, class... Member>
void visit_preset(FieldVisitor& v, T& options, Member T::*... members) {
  const ArticlePreset before = options.preset;
  v.field(
      {.name = "preset", .help = "as-published: the article's listing as it stands; sets the defaults of the others"},
      options.preset);
  if (options.preset == before) return;
  const T was = T::of(before), is = T::of(options.preset);
  const auto change = [&](auto member) {
    if (options.*member == was.*member) options.*member = is.*member;
  };
  (change(members), ...);
}

// The defaults of a lock's options beside the preset or the release that `said` names; null for a lock without them.
std::unique_ptr<Options> defaults_beside_preset(std::string_view lock, const Options& said);

}  // namespace picklock
