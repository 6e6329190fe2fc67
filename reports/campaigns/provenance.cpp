#include "reports/campaigns/provenance.hpp"

#include "base/sha1.hpp"
#include "base/version.hpp"
#include "reports/json.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#else
constexpr std::string_view kCompiler = "unknown";
#endif

}  // namespace

nlohmann::ordered_json figures(std::string_view kind) {
  return {{"picklock", kind}, {"schema", kJsonSchema}, {"version", kVersion}, {"compiler", kCompiler}};
}

std::string scenario_sha1(const Scenario& scenario) { return sha1_hex(write_scenario(scenario)); }

}  // namespace picklock
