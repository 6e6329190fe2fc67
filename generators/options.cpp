#include "generators/options.hpp"

#include <ostream>

#include "base/text.hpp"
#include "generators/simplify.hpp"

namespace picklock {
namespace {

class Shower final : public FieldVisitor {
 public:
  explicit Shower(std::ostream& out) : out_(out) {}
  void field(const FieldInfo& f, bool& v) override { name(f) << (v ? "true" : "false"); }
  void field(const FieldInfo& f, std::int64_t& v) override { name(f) << v; }
  void field(const FieldInfo& f, Duration& v) override { name(f) << to_text(v); }
  void field(const FieldInfo& f, std::optional<Duration>& v) override { name(f) << (v ? to_text(*v) : "none"); }
  void field(const FieldInfo& f, Law& v) override { name(f) << to_text(v); }
  void field(const FieldInfo& f, std::string& v) override { name(f) << '"' << v << '"'; }
  void choice(const FieldInfo& f, std::span<const std::string_view> names, std::size_t& index) override {
    name(f) << names[index];
  }

 private:
  std::ostream& name(const FieldInfo& f) { return out_ << f.name << '='; }
  std::ostream& out_;
};

}  // namespace

rc::Gen<AnyOptions> arbitrary_options(const AnyOptions& prototype, const FaultSpace& space) {
  const auto any = rc::gen::exec([prototype, space] {
    AnyOptions options = prototype;
    ArbitraryFields fields(space);
    options.fields(fields);
    return options;
  });
  return shrunk_by(any, [](const AnyOptions& options) { return simplify(options); });
}

void showValue(const AnyOptions& options, std::ostream& out) {
  AnyOptions copy = options;
  Shower shower(out);
  out << "{ ";
  copy.fields(shower);
  out << " }";
}

}  // namespace picklock
