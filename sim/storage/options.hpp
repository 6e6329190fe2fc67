// Options of the storage: how the protected resource guards itself.
#pragma once

#include <array>

#include "sim/task/fields.hpp"

namespace picklock {

enum class FenceMode : std::uint8_t {
  none,              // tokens are not checked
  writes,            // a write with an older token is refused; a read is not, and so updates get lost
  reads_and_writes,  // neither is accepted
  claims             // tokens have no order: a read puts its token on the resource, and a write is accepted
                     // only with the token that is there
};
constexpr auto enum_names(FenceMode) { return name_list("none", "writes", "reads-and-writes", "claims"); }

struct StorageOptions {
  FenceMode fence = FenceMode::none;
  bool strict = false;  // the same token once more is refused as well (a holder's second request)
  bool durable = true;  // an answer waits until effect and token are on the platter

  void fields(FieldVisitor& v) {
    v.field({.name = "fence", .help = "requests that the storage refuses for an old fencing token"}, fence);
    v.field({.name = "strict", .help = "refuse a token that was seen before, even from its own holder"}, strict);
    v.field({.name = "durable", .help = "sync effect and newest token to disk before answering"}, durable);
  }
  bool operator==(const StorageOptions&) const = default;
};

}  // namespace picklock
