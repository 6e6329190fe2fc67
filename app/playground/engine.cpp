#include "app/playground/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/lua/lua_locks.hpp"
#include "app/playground/members.hpp"
#include "app/playground/settings.hpp"
#include "base/hash.hpp"
#include "campaigns/campaign.hpp"
#include "campaigns/table_verdict.hpp"
#include "checker/properties/properties.hpp"
#include "instruments/explain/explanation.hpp"
#include "instruments/explain/text.hpp"
#include "reports/run/run_data.hpp"
#include "reports/words.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/library_files.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLocks = 4;  // most Lua locks in one question

std::string text_of(const Json& answer) { return answer.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json errors_of(const std::vector<ScenarioError>& errors) {
  Json all = Json::array();
  for (const ScenarioError& e : errors)
    all.push_back(
        {{"file", e.file}, {"line", e.line}, {"column", e.column}, {"text", print(e)}, {"nearest", e.nearest}});
  return {{"errors", all}};
}

ScenarioFile file_of(const Json& question) {
  const std::string toml = text_at(question, "toml");
  if (toml.empty()) return load_scenario(text_at(question, "name"));
  ScenarioFile file = read_scenario(toml, "edited.toml");
  const std::string variant = text_at(question, "variant");
  if (!variant.empty() && file.ok()) choose_variant(file, variant);
  return file;
}

ScenarioEdits edits_of(const Json& question) {
  return {text_at(question, "lock"), texts_at(question, "set"), texts_at(question, "without")};
}

// The file's text; that of a library file has to be looked up.
std::string toml_of(const Json& question) {
  if (std::string toml = text_at(question, "toml"); !toml.empty()) return toml;
  const auto found = find_scenario(text_at(question, "name"));
  const auto* const place = std::get_if<ScenarioPlace>(&found);
  return place != nullptr ? scenario_text(place->path).value_or("") : "";
}

// "own.lua:7: found …" as an error at its place.
ScenarioError error_of_lock(const std::string& name, const std::string& text) {
  ScenarioError error;
  error.file = name;
  error.found = text;
  if (!text.starts_with(name + ':')) return error;
  const std::size_t begin = name.size() + 1, end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  const auto [stop, wrong] = std::from_chars(text.data() + begin, text.data() + end, error.line);
  if (wrong == std::errc()) error.found = text.substr(std::min(text.find_first_not_of(": ", end), text.size()));
  return error;
}

std::string_view word_of(Fulfilment f) {
  switch (f) {
    case Fulfilment::as_expected:
      return "as expected";
    case Fulfilment::not_as_expected:
      return "not as expected";
    default:
      return "undecided";
  }
}

}  // namespace

// A scenario made ready, kept for the questions that follow about the same one.
struct Playground::Prepared {
  Json question;  // question without its seed
  ScenarioFile file;
  ScenarioEdits edits;
  std::vector<ScenarioError> errors;
  std::unique_ptr<Runner> runner;  // null: there are errors
  std::uint64_t seed = 1;
};

struct Playground::Range {
  std::uint64_t next = 1, runs = 0, digest = 0;
  std::array<Tally, kPropertyCount> tallies{};
  std::string error;
};

Playground::Playground() = default;
Playground::~Playground() = default;

// Nothing may refer to a lock that is forgotten.
void Playground::know_locks(std::map<std::string, std::string> locks) {
  if (locks == locks_) return;
  prepared_.reset();
  range_.reset();
  forget_lua_locks();
  lock_errors_.clear();
  locks_ = std::move(locks);
  for (const auto& [name, text] : locks_) {
    if (!is_lua_file(name)) {
      lock_errors_.push_back(error_of_lock(name, "found a lock whose name does not end in .lua"));
    } else if (const std::string error = add_lua_lock_text(name, text); !error.empty()) {
      lock_errors_.push_back(error_of_lock(name, error));
    }
  }
}

const Playground::Prepared& Playground::prepare(std::string_view text) {
  Json question = Json::parse(text, nullptr, false);
  know_locks(named_texts_at(question, "locks", kMostLocks));
  const auto seed = number_at(question, "seed");
  if (question.is_object()) question.erase("seed");
  if (!prepared_ || prepared_->question != question) {
    prepared_ = std::make_unique<Prepared>();
    Prepared& p = *prepared_;
    p.question = question;
    p.file = file_of(question);
    p.errors = lock_errors_.empty() ? p.file.errors : lock_errors_;
    p.edits = edits_of(question);
    Scenario edited = p.file.scenario;
    LeftOut left_out;
    if (p.errors.empty()) {
      EditResult result = edit_scenario(edited, p.edits);
      p.errors = std::move(result.errors);
      left_out = result.left_out;
    }
    if (p.errors.empty()) {
      auto compiled = Runner::compile(edited);
      if (const auto* const problems = std::get_if<1>(&compiled)) {
        p.errors = located(p.file, left_out, *problems);
      } else {
        p.runner = std::move(std::get<0>(compiled));
      }
    }
  }
  prepared_->seed = seed.value_or(prepared_->file.seed.value_or(1));
  return *prepared_;
}

std::string Playground::list() {
  Json all = Json::array();
  for (const LibraryEntry& e : library_scenarios())
    all.push_back({{"name", e.name}, {"summary", e.summary}, {"tags", e.tags}, {"variant", e.variant}});
  return text_of({{"scenarios", all}});
}

std::string Playground::read(std::string_view text) {
  const Json question = Json::parse(text, nullptr, false);
  know_locks(named_texts_at(question, "locks", kMostLocks));
  const ScenarioFile file = file_of(question);
  Json answer = errors_of(lock_errors_.empty() ? file.errors : lock_errors_);
  answer["toml"] = toml_of(question);
  if (!file.ok() || !lock_errors_.empty()) return text_of(answer);
  // The settings apply, but no part is left out: parts that are left out keep their controls.
  Scenario scenario = file.scenario;
  ScenarioEdits edits = edits_of(question);
  edits.without.clear();
  const EditResult edited = edit_scenario(scenario, edits);
  if (!edited.errors.empty()) {
    answer["errors"] = errors_of(edited.errors)["errors"];
    return text_of(answer);
  }
  answer["name"] = file.scenario.name;
  answer["description"] = file.scenario.description;
  answer["tags"] = file.tags;
  answer["seed"] = file.seed.value_or(1);
  answer["variants"] = Json::array();
  for (const ScenarioVariant& v : file.variants)
    answer["variants"].push_back(
        {{"name", v.name}, {"summary", v.scenario.description.substr(0, v.scenario.description.find('\n'))}});
  answer["settings"] = settings_json(scenario, file.scenario);
  return text_of(answer);
}

std::string Playground::run(std::string_view text) {
  const Prepared& p = prepare(text);
  if (!p.runner) return text_of(errors_of(p.errors));
  Runner& runner = *p.runner;
  const RunResult& result = runner.run(p.seed, {.full_trace = true, .bodies = true, .story = true});
  const bool raw = !p.edits.lock.empty();
  Json verdicts = Json::array();
  for (const Finding& f : result.findings) {
    if (f.verdict == Verdict::not_applicable) continue;
    const PropertySummary s = summarize(f, p.seed, runner.scenario(), raw);
    verdicts.push_back({{"property", info(f.property).name},
                        {"verdict", name(f.verdict)},
                        {"tested", f.reason != Reason::vacuous},
                        {"expected", s.expectation || raw ? word_of(s.fulfilment) : std::string_view()}});
  }
  const RunData data(runner.record());
  return text_of({{"errors", Json::array()},
                  {"title", data.title()},
                  {"seed", p.seed},
                  {"digest", fmt::format("{:016x}", result.digest)},
                  {"events", result.events},
                  {"error", result.error},
                  {"verdicts", verdicts},
                  {"words", verdicts_in_words(runner.scenario(), result, raw)},
                  {"replay", command_words(p.edits)},
                  {"page", Json::parse(data.json(), nullptr, false)}});
}

std::string Playground::begin_range(std::string_view text) {
  const Prepared& p = prepare(text);
  if (!p.runner) return text_of(errors_of(p.errors));
  range_ = std::make_unique<Range>();
  range_->next = p.seed;
  return text_of(errors_of({}));
}

std::string Playground::more_of_range(std::uint64_t count) {
  if (!range_ || !prepared_ || !prepared_->runner) return text_of(errors_of({}));
  Range& range = *range_;
  for (std::uint64_t i = 0; i < count; ++i, ++range.next, ++range.runs) {
    const RunResult& result = prepared_->runner->run(range.next);
    if (!result.error.empty()) range.error = fmt::format("seed {}: {}", range.next, result.error);
    range.digest += mix(result.digest, range.next);  // the formula of a campaign's digest
    for (const Finding& f : result.findings)
      range.tallies[static_cast<std::size_t>(f.property)].add(table_verdict(result, f.property).verdict, range.next);
  }
  Json all = Json::array();
  for (const PropertyInfo& p : properties()) {
    const Tally& tally = range.tallies[static_cast<std::size_t>(p.property)];
    if (tally.runs() == tally.count(Verdict::not_applicable)) continue;
    const std::uint64_t violated = tally.count(Verdict::violated);
    const ShareInterval interval = wilson(violated, tally.decided());
    const auto first = tally.seed_of(Verdict::violated);
    all.push_back({{"property", p.name},
                   {"violated", violated},
                   {"decided", tally.decided()},
                   {"low", interval.low},
                   {"high", interval.high},
                   {"share", print_share(tally)},
                   {"first", first ? Json(*first) : Json()}});
  }
  return text_of({{"errors", Json::array()},
                  {"runs", range.runs},
                  {"next", range.next},
                  {"digest", fmt::format("{:016x}", range.digest)},
                  {"error", range.error},
                  {"properties", all}});
}

std::string Playground::explain(std::string_view text, const std::function<void(std::uint64_t)>& progress) {
  const Prepared& p = prepare(text);
  if (!p.runner) return text_of(errors_of(p.errors));
  Experiments experiments(1, progress);
  const Trial base{p.file.scenario.name, p.edits, p.seed};
  experiments.know(base.scenario, p.file);
  if (!experiments.see(base).playable) {
    ScenarioError error;
    error.found = fmt::format("its run has more than {} events, too many to repeat it thousands of times", kMostEvents);
    return text_of(errors_of({error}));
  }
  const Explanation explanation = explain_trial(experiments, base);
  const std::string words =
      explanation.properties.empty()
          ? fmt::format("{}, seed {}: nothing is violated, so there is nothing to explain\n", base.scenario, p.seed)
          : explanation_text(explanation, experiments, base.scenario);
  return text_of({{"errors", Json::array()}, {"text", words}, {"runs", experiments.runs()}});
}

}  // namespace picklock
