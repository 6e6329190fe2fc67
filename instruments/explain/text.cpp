#include "instruments/explain/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/width.hpp"
#include "checker/properties/properties.hpp"
#include "instruments/explain/citations.hpp"
#include "instruments/explain/paragraph.hpp"

namespace picklock {
namespace {

constexpr std::size_t kWidth = 100;

// Lines of at most kWidth columns; the first begins after `first` blanks, the others after `others`.
std::string wrapped(const std::string& text, std::size_t first, std::size_t others) {
  std::string out, line(first, ' ');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const bool empty = line.find_first_not_of(' ') == std::string::npos;
    if (!empty && columns_of(line) + 1 + columns_of(word) > kWidth) {
      out += line + "\n";
      line = std::string(others, ' ') + word;
    } else {
      line += (empty ? "" : " ") + word;
    }
    at = end + 1;
  }
  return out + line + "\n";
}
// A fact in a list.
std::string item(const std::string& text) { return wrapped(text, 2, 6); }
using Facts = std::vector<std::string>;  // items

std::string names_in_a_row(const std::vector<Property>& all) {
  std::vector<std::string> words;
  for (const Property p : all) words.emplace_back(info(p).name);
  return in_a_row(words);
}

std::string share_in_words(const Share& s) { return fmt::format("{} of {}", s.hits, s.of); }

class ExplanationTeller {
 public:
  ExplanationTeller(const Explanation& e, Experiments& experiments) : e_(e), experiments_(experiments) {
    (void)citations_.of(e.base);
  }

  std::string tell(const std::string& name) {
    std::vector<Property> violated;
    for (const PropertyExplanation& p : e_.properties) violated.push_back(p.property);
    std::string out = fmt::format("{}, seed {}: {} on {}\n\n", name, e_.base.seed, names_in_a_row(violated), e_.lock);
    std::string paragraph;
    for (const Sentence& s : e_.paragraph)
      paragraph += fmt::format("{}{} {}", paragraph.empty() ? "" : " ", s.text, cited(s.trials));
    out += wrapped(paragraph, 0, 0);
    for (std::size_t i = 0; i < e_.properties.size(); ++i) out += property(e_.properties[i]);
    out += cures();
    out += "\nruns\n";
    for (std::size_t i = 0; i < citations_.trials().size(); ++i) {
      const Trial& t = citations_.trials()[i];
      out += fmt::format("  {:<5} {}\n", fmt::format("[{}]", i + 1), command_of(t));
    }
    return out + fmt::format("\n{} runs were made; --format json lists all that the claims refer to\n", e_.runs);
  }

 private:
  std::string cited(const std::vector<Trial>& trials) {
    std::vector<std::string> numbers;
    for (const Trial& t : trials) numbers.push_back(std::to_string(citations_.of(t)));
    return fmt::format("[{}]", fmt::join(numbers, ","));
  }
  std::string cited(const Trial& trial) { return cited(std::vector<Trial>{trial}); }

  std::string property(const PropertyExplanation& p) {
    const std::string_view name = info(p.property).name;
    std::string out = fmt::format("\n{}\n", name);
    Facts facts;
    needs(p, facts);  // one after the other: each numbers its runs
    thresholds(p, facts);
    assumptions(p.assumptions, facts);
    facts.push_back(item(fmt::format(
        "violated on {} other seeds, {} to {}{}", share_in_words(p.generality.violated), p.generality.first,
        p.generality.last,
        p.generality.not_tested.hits == 0 ? "" : fmt::format(", not tested on {}", p.generality.not_tested.hits))));
    if (&p == &e_.properties.front()) {
      first_ = std::move(facts);
      return out + fmt::format("{}", fmt::join(first_, ""));
    }
    // A sentence of the first property is not said again word for word with the same runs.
    const std::size_t all = facts.size();
    std::erase_if(facts,
                  [&](const std::string& f) { return std::find(first_.begin(), first_.end(), f) != first_.end(); });
    out += item(p.finding) + fmt::format("{}", fmt::join(facts, ""));
    const std::size_t same = all - facts.size();
    if (same > 0)
      out += fmt::format("  {} as for {}\n", same == 1 ? "one more fact is" : fmt::format("{} more facts are", same),
                         info(e_.properties.front().property).name);
    return out;
  }

  void needs(const PropertyExplanation& p, Facts& out) {
    const auto words_of = [&](const std::string& path) {
      const auto found = std::find_if(p.needs.each.begin(), p.needs.each.end(),
                                      [&](const Removal& r) { return r.element.path == path; });
      return found == p.needs.each.end() ? path : found->element.words;
    };
    for (std::size_t i = 0; i < p.needs.each.size(); ++i) {
      const Removal& r = p.needs.each[i];
      const Share share = i < p.generality.needed.size() ? p.generality.needed[i] : Share{};
      std::vector<std::string> along;  // faults that name a client that is left out
      for (const std::string& path : r.along) along.push_back(words_of(path));
      out.push_back(
          item(fmt::format("without {}{}: {} {}{}", r.element.words,
                           along.empty() ? "" : fmt::format(", and with it {}", in_a_row(along)),
                           experiments_.see(r.trial).word(p.property), cited(r.trial),
                           share.of == 0 ? "" : fmt::format("; ends it on {} seeds", share_in_words(share)))));
    }
    for (const JointRemoval& set : p.needs.sets) {
      std::vector<std::string> words;
      for (const std::size_t i : set.elements) words.push_back(p.needs.each[i].element.words);
      out.push_back(item(fmt::format("without {} together: {} {}", in_a_row(words),
                                     experiments_.see(set.trial).word(p.property), cited(set.trial))));
    }
    if (p.needs.left.size() < p.needs.each.size()) {
      std::vector<std::string> left;
      for (const std::size_t i : p.needs.left) left.push_back(p.needs.each[i].element.words);
      out.push_back(
          item(fmt::format("still violated with nothing but {} {}", in_a_row(left), cited(p.needs.smallest))));
    }
  }

  void thresholds(const PropertyExplanation& p, Facts& out) {
    std::size_t number = 0, flat = 0;
    for (const Quantity& q : p.quantities) {
      flat += q.thresholds.empty();
      for (const Threshold& t : q.thresholds) {
        const auto side = [&](const Tried& tried) {
          return fmt::format("{} at {} {}", experiments_.see(tried.trial).word(p.property), tried.value,
                             cited(tried.trial));
        };
        // Each gives its run the next number, in an order that the compiler does not choose.
        const std::string above = side(t.above), below = side(t.below);
        std::string line = fmt::format("{} ({}): {}, {}", q.path, q.value, below, above);
        if (number < p.generality.thresholds.size()) {
          const Generality::Sides& seeds = p.generality.thresholds[number];
          const std::uint64_t all = p.generality.last - p.generality.first + 1;
          const bool whole = seeds.below.of == all && seeds.above.of == all;
          line += fmt::format("; the same at {} on {} and at {} on {} seeds{}", t.far_below.value,
                              whole ? fmt::to_string(seeds.below.hits) : share_in_words(seeds.below), t.far_above.value,
                              share_in_words(seeds.above), whole ? "" : " (the others are too long to play)");
        }
        ++number;
        out.push_back(item(line));
      }
    }
    if (flat > 0)
      out.push_back(fmt::format("  {} more quantities turn the verdict at none of the values tried\n", flat));
  }

  void assumptions(const Assumptions& a, Facts& out) {
    for (const BrokenAssumption& b : a.broken) {
      out.push_back(
          item(fmt::format("{}: {}", print(b.assessment),
                           b.alone ? "it suffices alone " + cited(*b.alone)
                                   : fmt::format("in none of {} violating runs was it broken alone", a.searched))));
    }
    if (a.unprovoked)
      out.push_back(fmt::format("  violated as well with every assumption met {}\n", cited(*a.unprovoked)));
  }

  std::string cost(const Cure& c) {
    if (!c.before || !c.after) return "";
    if (*c.before == *c.after)
      return "; without faults acquiring costs the same " + cited(std::vector<Trial>{c.calm_after, c.calm_before});
    const auto latency = [](const TrialCosts& t) { return to_readable(Duration{t.latency_ns / 1000 * 1000}); };
    return fmt::format("; without faults an acquire takes {} instead of {}, {} commands instead of {} {}",
                       latency(*c.after), latency(*c.before), c.after->commands, c.before->commands,
                       cited(std::vector<Trial>{c.calm_after, c.calm_before}));
  }

  std::string cures() {
    std::string out = "\ncures\n";
    const PropertyExplanation& first = e_.properties.front();
    for (std::size_t i = 0; i < e_.cures.size(); ++i) {
      const Cure& c = e_.cures[i];
      std::string line = fmt::format("{}: ", c.words);
      if (c.state != CureState::tried) {
        line += fmt::format("{}: {}", c.state == CureState::already ? "already so" : "does not apply", c.why);
        out += item(line);
        continue;
      }
      std::vector<std::string> facts;
      if (!c.ended.empty()) {
        facts.push_back("ends " + names_in_a_row(c.ended) +
                        (c.by_ending_service() ? " by ending service: " + in_words(c.less) : ""));
      }
      if (!c.remaining.empty()) facts.push_back("leaves " + names_in_a_row(c.remaining));
      if (!c.added.empty()) facts.push_back("brings " + names_in_a_row(c.added));
      line += fmt::format("{} {}", fmt::join(facts, c.by_ending_service() ? "; " : ", "), cited(c.trial));
      if (!c.by_ending_service() && !c.less.empty()) line += "; " + in_words(c.less);
      if (i < first.generality.cures.size() && first.generality.cures[i].of > 0)
        line += fmt::format("; ends {}{} on {} seeds", info(first.property).name,
                            c.by_ending_service() ? " and goes on serving all clients" : "",
                            share_in_words(first.generality.cures[i]));
      if (c.refused > 0)
        line += fmt::format("; the resource refuses {}",
                            c.refused == 1 ? "one request" : fmt::format("{} requests", c.refused));
      out += item(line + cost(c));
    }
    return out;
  }

  const Explanation& e_;
  Experiments& experiments_;
  Citations citations_;
  Facts first_;  // facts of the first property
};

}  // namespace

std::string explanation_text(const Explanation& explanation, Experiments& experiments, const std::string& name) {
  return ExplanationTeller(explanation, experiments).tell(name);
}

}  // namespace picklock
