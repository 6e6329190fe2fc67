#include "checker/models/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "base/nearest.hpp"
#include "checker/io/edn.hpp"
#include "checker/models/fenced_mutex.hpp"
#include "checker/models/fencing_tokens.hpp"
#include "checker/models/general_models.hpp"
#include "checker/models/lease_mutex.hpp"
#include "checker/models/logged_lease_mutex.hpp"
#include "checker/models/mutex.hpp"
#include "checker/models/mutex_ownerless.hpp"
#include "checker/models/reentrant_fenced_mutex.hpp"
#include "checker/models/reentrant_mutex.hpp"
#include "checker/models/rw_mutex.hpp"
#include "checker/models/semaphore.hpp"
#include "checker/models/semaphore_ownerless.hpp"
#include "checker/models/try_lease_mutex.hpp"
#include "checker/models/try_mutex.hpp"
#include "checker/models/words.hpp"
#include "checker/search/specs/registers.hpp"
#include "checker/search/specs/set.hpp"

namespace picklock {
namespace {

constexpr std::string_view kFirstPermits = "permits that are free at first, 0 to N",
                           kFirstHolder = "unknown: somebody may hold the lock at first",
                           kFirstValue = "value of the register at first, such as 0, or unknown",
                           kFirstValues = "values by key at first, as in {x 0, y 0}, or unknown";

constexpr std::string_view kTaken = "an acquire or a release that succeeded",
                           kTried = "an acquire that succeeded or failed, or a release that succeeded",
                           kToken = "an operation that succeeded with a token",
                           kLasted = "a refresh, a release or an expire that succeeded",
                           kLastedOrNot = "a refresh or a release that succeeded or was refused, or an expire",
                           kDone = "an operation that succeeded", kReadOne = "a read that succeeded",
                           kReadOrCas = "a read or a cas that succeeded",
                           kReadOrTried = "a read that succeeded, or a cas that succeeded or failed",
                           kReadKeys = "a txn that succeeded and reads", kReadAll = "a read that returned elements",
                           kGot = "a get or a cas that succeeded";

constexpr ModelInfo kModels[] = {
    {.name = "mutex",
     .parameter = "",
     .description = "a lock with one owner, the process that acquired it; only it may release",
     .functions = kMutexFunctions,
     .make = make_mutex,
     .initial = kFirstHolder,
     .observation = kTaken},
    {.name = "mutex-ownerless",
     .parameter = "",
     .description = "a lock that anyone may release (Knossos's mutex)",
     .functions = kMutexOwnerlessFunctions,
     .make = make_mutex_ownerless,
     .initial = kFirstHolder,
     .observation = kTaken},
    {.name = "try-mutex",
     .parameter = "",
     .description = "a mutex whose failed acquires say that it was held",
     .functions = kTryMutexFunctions,
     .make = make_try_mutex,
     .initial = kFirstHolder,
     .observation = kTried},
    {.name = "reentrant-mutex",
     .parameter = "acquires of one owner at most",
     .description = "a mutex that its owner may acquire up to N times, and releases as often",
     .functions = kReentrantMutexFunctions,
     .make = make_reentrant_mutex,
     .initial = kFirstHolder,
     .observation = kTaken},
    {.name = "fenced-mutex",
     .parameter = "",
     .description = "a mutex whose acquires return tokens that grow",
     .functions = kFencedMutexFunctions,
     .make = make_fenced_mutex,
     .initial = kFirstHolder,
     .observation = kToken},
    {.name = "reentrant-fenced-mutex",
     .parameter = "acquires of one owner at most",
     .description = "a reentrant mutex, each hold of which has a token greater than the last",
     .functions = kReentrantFencedMutexFunctions,
     .make = make_reentrant_fenced_mutex,
     .initial = kFirstHolder,
     .observation = kToken},
    {.name = "fencing-tokens",
     .parameter = "",
     .description = "tokens alone: they grow from acquire to acquire; resources accept no older one",
     .functions = kFencingTokensFunctions,
     .make = make_fencing_tokens,
     .observation = kToken},
    {.name = "rw-mutex",
     .parameter = "",
     .description = "one writer, or any number of readers",
     .functions = kRwMutexFunctions,
     .make = make_rw_mutex,
     .taking = 3,
     .observation = kTaken},
    {.name = "semaphore",
     .parameter = "permits",
     .description = "N permits; owners give back what they took",
     .functions = kSemaphoreFunctions,
     .make = make_semaphore,
     .initial = kFirstPermits,
     .observation = kTaken},
    {.name = "semaphore-ownerless",
     .parameter = "permits",
     .description = "N permits that anyone may give back",
     .functions = kOwnerlessFunctions,
     .make = make_semaphore_ownerless,
     .initial = kFirstPermits,
     .observation = kTaken},
    {.name = "lease-mutex",
     .parameter = "",
     .description = "a mutex whose holds may lapse unseen at any time; refresh shows that one has not",
     .functions = kLeaseMutexFunctions,
     .make = make_lease_mutex,
     .observation = kLasted},
    {.name = "try-lease-mutex",
     .parameter = "",
     .description = "a lease-mutex whose refused refreshes and releases say that the caller did not hold",
     .functions = kLeaseMutexFunctions,
     .make = make_try_lease_mutex,
     .observation = kLastedOrNot},
    {.name = "logged-lease-mutex",
     .parameter = "",
     .description = "a mutex whose holds lapse only where an expire says so",
     .functions = kLoggedLeaseMutexFunctions,
     .make = make_logged_lease_mutex,
     .observation = kDone},
    {.name = "register",
     .parameter = "",
     .description = "a register: read and write",
     .functions = Register::functions,
     .make = make_register,
     .needs_values = true,
     .initial = kFirstValue,
     .observation = kReadOne},
    {.name = "cas-register",
     .parameter = "",
     .description = "a register with compare-and-set; the value of a cas is [old new]",
     .functions = CasRegister::functions,
     .make = make_cas_register,
     .needs_values = true,
     .initial = kFirstValue,
     .observation = kReadOrCas},
    {.name = "try-cas-register",
     .parameter = "",
     .description = "a cas-register whose failed compare-and-sets say that the value was another",
     .functions = TryCasRegister::functions,
     .make = make_try_cas_register,
     .needs_values = true,
     .initial = kFirstValue,
     .observation = kReadOrTried},
    {.name = "multi-register",
     .parameter = "",
     .description = "registers by name; a txn is [[:r x 1] [:w y 2] …], done at once",
     .functions = MultiRegister::functions,
     .make = make_multi_register,
     .needs_values = true,
     .initial = kFirstValues,
     .observation = kReadKeys},
    {.name = "set",
     .parameter = "",
     .description = "a set that only grows: add one, read all",
     .functions = GrowingSet::functions,
     .make = make_growing_set,
     .needs_values = true,
     .observation = kReadAll},
    {.name = "kv",
     .parameter = "",
     .description = "a map: get, put, append, cas; a value is [key value], or the key is :key or :object",
     .functions = KeyValue::functions,
     .make = make_key_value,
     .needs_values = true,
     .initial = kFirstValues,
     .observation = kGot,
     .keyed = true},
};

std::vector<ModelInfo>& all_models() {
  static std::vector<ModelInfo> all(std::begin(kModels), std::end(kModels));
  return all;
}

}  // namespace

const Naming& ModelContext::names() const {
  static const Naming by_numbers{};
  return naming == nullptr ? by_numbers : *naming;
}
std::string ModelContext::who(const OperationEvent& event) const { return picklock::who(names(), event); }
std::string ModelContext::subject(const OperationEvent& event) const { return picklock::subject(names(), event); }
std::string ModelContext::hold_name(HoldId hold) const { return picklock::hold_name(names(), hold); }
std::string ModelContext::when(const OperationEvent& event) const { return picklock::when(names(), event); }

std::span<const ModelInfo> models() { return all_models(); }

bool add_model(const ModelInfo& model) {
  const auto same = [&](const ModelInfo& other) { return other.name == model.name; };
  if (std::any_of(models().begin(), models().end(), same)) return false;
  all_models().push_back(model);
  return true;
}

ModelChoice find_model(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto all = models();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ModelInfo& m) { return m.name == name; });
  if (found == all.end()) {
    std::vector<std::string_view> names;
    for (const ModelInfo& m : all) names.push_back(m.name);
    const auto nearest = nearest_name(name, names);
    throw std::invalid_argument(fmt::format("there is no model '{}'; {}", name,
                                            nearest ? fmt::format("did you mean '{}'?", *nearest)
                                                    : fmt::format("the models are {}", fmt::join(names, ", "))));
  }
  ModelChoice choice{&*found, 0};
  if (found->parameter.empty()) {
    if (colon == std::string::npos) return choice;
    throw std::invalid_argument(fmt::format("model '{}' takes no parameter", name));
  }
  const char* const begin = colon == std::string::npos ? nullptr : text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  const auto parsed = begin == nullptr ? std::from_chars_result{end, std::errc::invalid_argument}
                                       : std::from_chars(begin, end, choice.parameter);
  if (parsed.ec != std::errc{} || parsed.ptr != end || choice.parameter < 1) {
    throw std::invalid_argument(fmt::format("model '{0}' is written {0}:N, with N ≥ 1 {1}", name, found->parameter));
  }
  return choice;
}

namespace {

std::string canonical_value(const std::string& text) {
  std::string edn;
  try {
    edn = canonical_edn(text);
  } catch (const SyntaxError& error) {
    throw std::invalid_argument(
        fmt::format("--initial: found {}, expected a value in EDN, such as 0, \"a\" or {{x 0}}", error.found));
  }
  const bool letter = (edn[0] >= 'a' && edn[0] <= 'z') || (edn[0] >= 'A' && edn[0] <= 'Z') || edn[0] == '_';
  if (!letter || edn == "nil" || edn == "true" || edn == "false") return edn;
  std::string string;
  append_edn_string(string, edn);
  return string;
}

}  // namespace

ModelChoice find_model(const std::string& text, const std::string& initial) {
  ModelChoice choice = find_model(text);
  if (initial.empty()) return choice;
  if (choice.info->initial.empty()) {
    std::string others;
    for (const ModelInfo& m : models()) {
      if (!m.initial.empty()) others += fmt::format("{}{}", others.empty() ? "" : ", ", m.name);
    }
    throw std::invalid_argument(fmt::format("--initial: model '{}' always begins in one state; those that do not: {}",
                                            choice.info->name, others));
  }
  choice.initial = initial == kUnknownFirst ? initial : canonical_value(initial);
  const History nothing;
  choice.info->make({nothing, kNoName, choice.parameter, nullptr, choice.initial});  // throws if it makes no sense
  return choice;
}

}  // namespace picklock
