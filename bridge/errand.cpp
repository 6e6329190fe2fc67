#include "bridge/errand.hpp"

#include <algorithm>

namespace picklock {
namespace {

// A number, an option such as NX and the like are no words that an errand chose.
constexpr std::size_t kShortestChosen = 8;

bool has_word_of(const Errand& errand, const ProgramRequest& request) {
  const std::vector<std::string> words = words_of(request);
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return errand.words.contains(w); });
}

}  // namespace

void remember_words(const ProgramRequest& request, Errand& errand) {
  for (std::string& word : words_of(request)) {
    if (word.size() >= kShortestChosen && word != errand.lock) errand.words.insert(std::move(word));
  }
}

Errand* served_by(const ProgramRequest& request, Errand* cause, const std::deque<std::unique_ptr<Errand>>& errands) {
  const auto newest = [&](const auto& fits) -> Errand* {
    const auto found = std::find_if(errands.rbegin(), errands.rend(), [&](const auto& e) { return fits(*e); });
    return found == errands.rend() ? nullptr : found->get();
  };
  // A word that proves a hold tells more than anything else, unless the errand is of that hold already.
  Errand* const owner = newest([&](const Errand& e) { return names(request, e.value); });
  if (owner != nullptr) return cause != nullptr && cause->hold == owner->hold ? cause : owner;
  if (cause != nullptr && (cause->asked || cause->held)) return cause;
  // A timer: an attempt to acquire repeats the words of those before it.
  Errand* repeats = nullptr;
  std::size_t repeating = 0;
  for (const auto& e : errands) {
    if (!(e->asked || e->held) || !has_word_of(*e, request)) continue;
    repeats = e.get();
    ++repeating;
  }
  if (repeating == 1) return repeats;
  for (const bool asked : {true, false}) {
    const auto is_at_work = [&](const Errand& e) { return asked ? e.asked : e.held; };
    Errand* const named = newest([&](const Errand& e) { return is_at_work(e) && names(request, e.lock); });
    if (named != nullptr) return named;
    if (Errand* const any = newest(is_at_work)) return any;
  }
  return errands.back().get();
}

}  // namespace picklock
