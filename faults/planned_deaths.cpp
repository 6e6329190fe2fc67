#include "faults/planned_deaths.hpp"

namespace picklock {
namespace {

// Reads the fields that visit_death names.
class DeathReader final : public FieldVisitor {
 public:
  void field(const FieldInfo& f, bool& v) override {
    if (f.name == "stays") death.stays = v;
  }
  void field(const FieldInfo&, std::int64_t&) override {}
  void field(const FieldInfo&, Duration&) override {}
  void field(const FieldInfo&, std::optional<Duration>&) override {}
  void field(const FieldInfo&, Law&) override {}
  void field(const FieldInfo& f, std::string& v) override {
    if (f.name == "node") death.node = v;
  }
  void choice(const FieldInfo&, std::span<const std::string_view>, std::size_t&) override {}

  PlannedDeath death;
};

}  // namespace

std::vector<PlannedDeath> planned_deaths(const FaultPlan& plan) {
  std::vector<PlannedDeath> all;
  for (const Fault& fault : plan) {
    if (fault.kind != "kill" && fault.kind != "power-loss") continue;
    AnyOptions options = fault.options;
    DeathReader reader;
    options.fields(reader);
    all.push_back(std::move(reader.death));
  }
  return all;
}

}  // namespace picklock
