// Notices histories whose values are all [key value], as Jepsen's independent tests write them.
#pragma once

#include <string_view>

#include "checker/history.hpp"
#include "checker/io/syntax.hpp"

namespace picklock {

class PairWatch {
 public:
  // Takes each operation of a client; `value` is null where its record has none.
  void see(const Field* value, OperationType type, std::string_view function);

  // Each invoke had a pair whose key is no collection, each completion a pair or nothing, and one invoke at least was a
  // pair that no plain register has: one without a value, as of a read, or a cas of [key [old new]].
  [[nodiscard]] bool likely() const { return fits_ && told_; }

 private:
  bool fits_ = true, told_ = false;
};

}  // namespace picklock
