// Generators of options: of a lock, a client, a fault; of any struct with fields().
#pragma once

#include <rapidcheck.h>

#include "faults/fault_space.hpp"
#include "scenarios/generators/draw.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

// Draws every field but the texts, within its bounds: for visit_fields().
class ArbitraryFields {
 public:
  explicit ArbitraryFields(const FaultSpace& space) : space_(space) {}
  void operator()(const FieldInfo&, bool& v) { v = draw::one_in(2); }
  void operator()(const FieldInfo& f, std::int64_t& v) { v = draw::spread_number(f.least, f.most); }
  void operator()(const FieldInfo& f, Duration& v) { v = draw::duration(space_, f.least, f.most); }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    v.reset();
    if (!draw::one_in(4)) v = draw::duration(space_, f.least, f.most);
  }
  void operator()(const FieldInfo& f, Law& v) { v = draw::law(space_, f.least, f.most); }
  void operator()(const FieldInfo&, FieldChoice& choice) {
    choice.index = static_cast<std::size_t>(draw::number(0, std::ssize(choice.names) - 1));
  }

 protected:
  const FaultSpace& space_;
};

// Options of the same type as `prototype`, whose texts they keep.  Shrinks by simplify().
rc::Gen<AnyOptions> arbitrary_options(const AnyOptions& prototype, const FaultSpace& space);

// `gen` with its shrinking replaced by `simpler`, which gives a vector of variants.
template <class T, class Simpler>
rc::Gen<T> shrunk_by(const rc::Gen<T>& gen, Simpler simpler) {
  return rc::Gen<T>([=](const rc::Random& random, int size) {
    return rc::shrinkable::shrinkRecur(gen(random, size).value(),
                                       [simpler](const T& value) { return rc::seq::fromContainer(simpler(value)); });
  });
}

void showValue(const AnyOptions& options, std::ostream& out);

}  // namespace picklock
