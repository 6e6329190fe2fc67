#include "scenarios/generators/options.hpp"

#include <ostream>

#include "scenarios/generators/simplify.hpp"

namespace picklock {

rc::Gen<AnyOptions> arbitrary_options(const AnyOptions& prototype, const FaultSpace& space) {
  const auto any = rc::gen::exec([prototype, space] {
    AnyOptions options = prototype;
    ArbitraryFields fields(space);
    visit_fields(options, fields);
    return options;
  });
  return shrunk_by(any, [](const AnyOptions& options) { return simplify(options); });
}

void showValue(const AnyOptions& options, std::ostream& out) {
  AnyOptions copy = options;
  out << "{ ";
  visit_fields(copy, [&]<class T>(const FieldInfo& f, T& v) {
    const char* const quote = std::is_same_v<T, std::string> ? "\"" : "";
    out << f.name << '=' << quote << field_text(&v) << quote;
  });
  out << " }";
}

}  // namespace picklock
