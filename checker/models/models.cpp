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
                           kFirstValue = "value of the register at first, such as 0",
                           kFirstValues = "values by key at first, as in {x 0, y 0}";

constexpr ModelInfo kModels[] = {
    {"mutex", "", "a lock with one owner, the process that acquired it; only it may release", kMutexFunctions,
     make_mutex},
    {"mutex-ownerless", "", "a lock that anyone may release (Knossos's mutex)", kMutexOwnerlessFunctions,
     make_mutex_ownerless},
    {"try-mutex", "", "a mutex whose failed acquires say that it was held", kTryMutexFunctions, make_try_mutex},
    {"reentrant-mutex", "acquires of one owner at most",
     "a mutex that its owner may acquire up to N times, and releases as often", kReentrantMutexFunctions,
     make_reentrant_mutex},
    {"fenced-mutex", "", "a mutex whose acquires return tokens that grow", kFencedMutexFunctions, make_fenced_mutex},
    {"reentrant-fenced-mutex", "acquires of one owner at most",
     "a reentrant mutex, each hold of which has a token greater than the last", kReentrantFencedMutexFunctions,
     make_reentrant_fenced_mutex},
    {"fencing-tokens", "", "tokens alone: they grow from acquire to acquire; resources accept no older one",
     kFencingTokensFunctions, make_fencing_tokens},
    {"rw-mutex", "", "one writer, or any number of readers", kRwMutexFunctions, make_rw_mutex, false, 3},
    {"semaphore", "permits", "N permits; owners give back what they took", kSemaphoreFunctions, make_semaphore, false,
     1, kFirstPermits},
    {"semaphore-ownerless", "permits", "N permits that anyone may give back", kOwnerlessFunctions,
     make_semaphore_ownerless, false, 1, kFirstPermits},
    {"lease-mutex", "", "a mutex whose holds may lapse unseen at any time; refresh shows that one has not",
     kLeaseMutexFunctions, make_lease_mutex},
    {"try-lease-mutex", "", "a lease-mutex whose refused refreshes and releases say that the caller did not hold",
     kLeaseMutexFunctions, make_try_lease_mutex},
    {"logged-lease-mutex", "", "a mutex whose holds lapse only where an expire says so", kLoggedLeaseMutexFunctions,
     make_logged_lease_mutex},
    {"register", "", "a register: read and write", Register::functions, make_register, true, 1, kFirstValue},
    {"cas-register", "", "a register with compare-and-set; the value of a cas is [old new]", CasRegister::functions,
     make_cas_register, true, 1, kFirstValue},
    {"try-cas-register", "", "a cas-register whose failed compare-and-sets say that the value was another",
     TryCasRegister::functions, make_try_cas_register, true, 1, kFirstValue},
    {"multi-register", "", "registers by name; a txn is [[:r x 1] [:w y 2] …], done at once", MultiRegister::functions,
     make_multi_register, true, 1, kFirstValues},
    {"set", "", "a set that only grows: add one, read all", GrowingSet::functions, make_growing_set, true},
    {"kv", "", "a map: get, put, append, cas; a value is [key value], or the key is :key or :object",
     KeyValue::functions, make_key_value, true, 1, kFirstValues},
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
  choice.initial = canonical_value(initial);
  const History nothing;
  choice.info->make({nothing, kNoName, choice.parameter, nullptr, choice.initial});  // throws if it makes no sense
  return choice;
}

}  // namespace picklock
