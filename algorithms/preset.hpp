// The option `preset` of a lock that an article publishes: it sets the defaults of several others.
#pragma once

#include <cstdint>

#include "base/enum_names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

enum class ArticlePreset : std::uint8_t {
  as_meant,     // options with which it can lock at all
  as_published  // its listing as it stands
};
constexpr auto enum_names(ArticlePreset) { return name_list("as-meant", "as-published"); }

inline constexpr FieldInfo kArticlePreset = {
    .name = "preset", .help = "as-published: the article's listing as it stands; sets the defaults of the others"};

}  // namespace picklock
