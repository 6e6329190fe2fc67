#include "instruments/explain/paragraph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/properties/properties.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostThresholds = 2, kMostEnding = 3, kMostLeaving = 2;

class Narrator {
 public:
  explicit Narrator(const Explanation& e) : e_(e), p_(e.properties.front()), name_(info(p_.property).name) {}

  std::vector<Sentence> tell() {
    violations();
    needs();
    thresholds();
    assumptions();
    cures();
    cures_of_others();
    generality();
    if (said_.size() > kMostSentences) said_.resize(kMostSentences);
    return std::move(said_);
  }

 private:
  void say(std::string text, std::vector<std::string> claims, const std::vector<Trial>& trials) {
    Sentence& sentence = said_.emplace_back();
    sentence.text = std::move(text);
    sentence.claims = std::move(claims);
    for (const Trial& t : trials) {
      const auto& known = sentence.trials;
      if (std::find(known.begin(), known.end(), t) == known.end()) sentence.trials.push_back(t);
    }
  }

  void violations() {
    std::vector<std::string> names, claims = {"properties/0"};
    for (std::size_t i = 1; i < e_.properties.size(); ++i) {
      names.emplace_back(info(e_.properties[i].property).name);
      claims.push_back(fmt::format("properties/{}", i));
    }
    const std::string others =
        names.empty() ? "" : fmt::format(", and so {} {}", names.size() == 1 ? "is" : "are", in_a_row(names));
    say(fmt::format("{} is violated{}: {}.", name_, others, p_.finding), std::move(claims), {e_.base});
  }

  void needs() {
    std::vector<std::string> words, claims;
    std::vector<Trial> trials;
    bool faults = false, circumstances = false;
    for (std::size_t i = 0; i < p_.needs.each.size(); ++i) {
      const Removal& r = p_.needs.each[i];
      const bool circumstance = r.element.kind != "client" && r.element.kind != "step";
      faults |= circumstance;
      if (!r.needed) continue;
      circumstances |= circumstance;
      words.push_back(r.element.words);
      claims.push_back(fmt::format("properties/0/needs/each/{}", i));
      trials.push_back(r.trial);
    }
    const bool one = words.size() == 1;
    std::string text = words.empty() ? ""
                                     : fmt::format("It takes {}: without {} it is not violated", in_a_row(words),
                                                   one ? "that" : "any one of them");
    if (!circumstances && !p_.needs.sets.empty()) {
      const JointRemoval& set = p_.needs.sets.front();
      std::vector<std::string> parts;
      for (const std::size_t i : set.elements) parts.push_back(p_.needs.each[i].element.words);
      text += fmt::format("{} {}: without all of these it is not violated",
                          text.empty() ? "It takes" : ", and it takes", in_a_row(parts, "or"));
      claims.emplace_back("properties/0/needs/sets/0");
      trials.push_back(set.trial);
    } else if (!circumstances) {
      text += text.empty() ? "It takes no fault" : faults ? "; no single fault is needed" : "; there is no fault";
      claims.emplace_back("properties/0/needs");
      trials.push_back(p_.needs.smallest);
    }
    say(text + ".", std::move(claims), trials);
  }

  // Quantities of faults come before those of the lock, and those before others.
  static int rank(const Quantity& q) {
    const bool length = q.path.ends_with(".lasts") || q.path.ends_with(".by") || q.path.ends_with("ppm");
    return q.path.starts_with("fault") ? (length ? 0 : 3) : q.path.starts_with("lock") ? 1 : 2;
  }

  void thresholds() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < p_.quantities.size(); ++i) {
      if (p_.quantities[i].thresholds.size() == 1) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rank(p_.quantities[a]) < rank(p_.quantities[b]); });
    for (std::size_t n = 0; n < std::min(order.size(), kMostThresholds); ++n) {
      const Quantity& q = p_.quantities[order[n]];
      const Threshold& t = q.thresholds.front();
      const Tried& harmless = t.below.harmful ? t.above : t.below;
      const Tried& harmful = t.below.harmful ? t.below : t.above;
      say(fmt::format("If {} is {} it is not violated, and if that is {} it is.", q.words, harmless.value,
                      harmful.value),
          {fmt::format("properties/0/quantities/{}/thresholds/0", order[n])}, {harmless.trial, harmful.trial});
    }
  }

  void assumptions() {
    const Assumptions& a = p_.assumptions;
    if (a.broken.empty()) {
      const bool unknown = std::any_of(e_.seen.assumptions.begin(), e_.seen.assumptions.end(),
                                       [](const Assessment& assessed) { return assessed.unknown; });
      const std::string text =
          e_.seen.assumptions.empty() ? "{} claims no safety under any assumption."
          : unknown ? "The run does not tell whether it breaks an assumption of {}: the service never named an owner."
                    : "The run breaks no assumption of {}.";
      say(fmt::format(fmt::runtime(text), e_.lock), {"properties/0/assumptions"}, {e_.base});
      return;
    }
    std::vector<std::string> broken, alone, claims;
    std::vector<Trial> trials = {e_.base};
    for (std::size_t i = 0; i < a.broken.size(); ++i) {
      broken.push_back(print(a.broken[i].assessment.assumption));
      claims.push_back(fmt::format("properties/0/assumptions/broken/{}", i));
      if (!a.broken[i].alone) continue;
      alone.push_back(broken.back());
      trials.push_back(*a.broken[i].alone);
    }
    const bool one = broken.size() == 1;
    std::string text =
        fmt::format("The run breaks {} of {}: {}", one ? "one assumption" : "assumptions", e_.lock, in_a_row(broken));
    if (!one) {
      text += alone.empty() ? fmt::format("; in none of {} violating runs was one of them broken alone", a.searched)
                            : fmt::format("; {} suffices alone", in_a_row(alone, "or"));
    }
    say(text + ".", std::move(claims), trials);
  }

  // "It ends if …, or if …; it remains if …; it ends by ending service if … (b is never served)."
  void cures() {
    std::vector<std::string> ends, leaves, starves, claims;
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < e_.cures.size(); ++i) {
      const Cure& c = e_.cures[i];
      if (c.state != CureState::tried) continue;
      const bool starving = c.ends(p_.property) && c.by_ending_service();
      std::vector<std::string>& list = starving ? starves : c.ends(p_.property) ? ends : leaves;
      if (list.size() >= (&list == &ends ? kMostEnding : kMostLeaving)) continue;
      list.push_back(starving ? fmt::format("if {} ({})", c.words, in_words(c.less)) : "if " + c.words);
      claims.push_back(fmt::format("cures/{}", i));
      trials.push_back(c.trial);
    }
    if (ends.empty() && leaves.empty() && starves.empty()) return;
    std::vector<std::string> parts;
    if (!ends.empty()) parts.push_back(fmt::format("the violation ends {}", in_a_row(ends, "or")));
    if (!leaves.empty()) {
      parts.push_back(fmt::format("{} remains {}", ends.empty() ? "the violation" : "it", in_a_row(leaves, "or")));
    }
    if (!starves.empty()) {
      parts.push_back(
          fmt::format("{} ends by ending service {}", parts.empty() ? "the violation" : "it", in_a_row(starves, "or")));
    }
    std::string text = fmt::format("{}.", fmt::join(parts, "; "));
    text.front() = 'T';
    say(std::move(text), std::move(claims), trials);
  }

  // A cure that ends others of the violations, and not this one.
  void cures_of_others() {
    for (std::size_t i = 0; i < e_.cures.size(); ++i) {
      const Cure& c = e_.cures[i];
      if (c.state != CureState::tried || c.ends(p_.property) || c.ended.empty() || c.by_ending_service()) continue;
      std::vector<std::string> names;
      for (const Property p : c.ended) names.emplace_back(info(p).name);
      return say(fmt::format("If {}, that ends {}.", c.words, in_a_row(names)), {fmt::format("cures/{}/ended", i)},
                 {c.trial});
    }
  }

  void generality() {
    const Generality& g = p_.generality;
    std::string text = fmt::format("It is violated on {} of {} other seeds", g.violated.hits, g.violated.of);
    for (std::size_t i = 0; i < p_.needs.each.size() && i < g.needed.size(); ++i) {
      const Removal& r = p_.needs.each[i];
      if (!r.needed || r.element.kind == "client" || r.element.kind == "step" || g.needed[i].of == 0) continue;
      text += fmt::format(", and on {} of these not without {}", g.needed[i].hits, r.element.words);
      break;
    }
    std::vector<Trial> trials = {with_seed(e_.base, g.first), with_seed(e_.base, g.last)};
    say(text + ".", {"properties/0/generality"}, std::move(trials));
  }

  const Explanation& e_;
  const PropertyExplanation& p_;
  const std::string_view name_;
  std::vector<Sentence> said_;
};

}  // namespace

std::string in_a_row(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? fmt::format(" {} ", last) : ", ";
    text += words[i];
  }
  return text;
}

std::vector<Sentence> paragraph_of(const Explanation& explanation) { return Narrator(explanation).tell(); }

}  // namespace picklock
