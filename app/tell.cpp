#include <fmt/format.h>

#include "app/command.hpp"
#include "app/shared_options.hpp"
#include "base/printable.hpp"
#include "reports/run/tell.hpp"

namespace picklock {
namespace {

struct TellCommand {
  std::string scenario;
  bool json = false;
};

int tell(const TellCommand& command) {
  const TaleOrErrors result = tale_of(command.scenario);
  if (!result.errors.empty()) return report(result.errors, command.json);
  fmt::print("{}", command.json ? tell_json(result.tale) : printable_lines(tell_text(result.tale)));
  return kAsExpected;
}

constexpr const char* kTellExamples = R"(
Examples:
  picklock tell paused_holder
  picklock tell redlock_clock_jump/slewed
  picklock tell my/own.toml --format json)";

}  // namespace

CommandBody state_tell(CLI::App& app) {
  const auto asked = std::make_shared<TellCommand>();
  app.footer(with_exit_status(kTellExamples));
  app.add_option("scenario", asked->scenario, "scenario file, or name of a library scenario or variant")->required();
  add_format(app, asked->json);
  return [asked] { return tell(*asked); };
}

}  // namespace picklock
