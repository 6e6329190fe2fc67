#include "tests/style_rules.hpp"

#include <algorithm>
#include <regex>

namespace picklock::style {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules = {
      {"wall-clock", "time comes through the host",
       R"(\b(system_clock|steady_clock|high_resolution_clock|clock_gettime|gettimeofday|localtime|std::time|std::clock)\b|\btime\s*\(\s*(nullptr|NULL|0)\s*\))",
       "auto t = std::chrono::steady_clock::now();", "const Clock& clock(NodeId n); // steady_clock"},
      {"random", "randomness comes through named draws",
       R"(\b(random_device|mt19937(_64)?|minstd_rand0?|default_random_engine|getrandom|arc4random)\b|\bs?rand\s*\(|\b\w+_distribution\b)",
       "std::uniform_int_distribution<int> d(1, 6);", "host.random(Purpose::start); law(\"mt19937\");"},
      {"threads", "a world is one thread",
       R"(\bstd::(thread|jthread|async|mutex|shared_mutex|condition_variable|atomic\w*|future|promise)\b|\bthread_local\b|\bpthread_)",
       "thread_local World* world;", "auto why = \"another thread\"; detail::promise(x);"},
      {"unordered", "the order of iteration is not the same everywhere",
       R"(\bunordered_(multi)?(map|set)\b|\bstd::hash\s*<)", "std::unordered_map<int, int> m;",
       "bool unordered = false;"},
      {"floating-point", "decisions are made in integers",
       R"(\b(float|double)\b|\b\d+\.\d*([eE][-+]?\d+)?f?\b|<cmath>|\bstd::(log2?|exp2?|pow|sqrt)\s*\()",
       "if (share > 0.5) return;", "auto v = version(\"1.5\"); x.y; a[1].b; 1'000'000;"},
      {"pointer-keys", "addresses differ from run to run",
       R"(\bstd::(multi)?(map|set)\s*<\s*(const\s+)?[\w:]+(\s+const)?\s*\*)", "std::set<const Node*> seen;",
       "std::map<NodeId, Node*> by_id;"},
      {"environment", "a run is a function of its inputs", R"(\bgetenv\s*\()", "if (std::getenv(\"SEED\")) return;",
       "get_environment();"},
      {"branch-on-await", "g++ 12 drops such branches: name the result on a line of its own",
       R"(\b(if|while|switch)\s*\(([^;{}()]|\(([^()]|\([^()]*\))*\))*\bco_await\b)",
       "while (f(1) && co_await again(host)) ++n;",
       "const auto go_on = co_await again(host);\nif (go_on && f(1)) co_await host.sleep(d);"},
      {"two-awaits", "compilers order them differently: one co_await a line", R"(\bco_await\b[^;\n]*\bco_await\b)",
       "f(co_await a(), co_await b());", "const auto x = co_await a();\nconst auto y = co_await b();"},
      {"choice-within-await", "g++ 12 destroys what a branch makes also when it was not made: choose first",
       R"(\bco_await\b[^;{}?]*(\?|\?[^;{}]*[^:]:)\s*(std::)?\w+(<[^;<>]*>)?\s*[({])",
       "const auto x = co_await f(host, given ? a : std::string(60, 's'));",
       "const auto x = co_await f(host, given ? a : b);\nconst T t = given ? a : T();"},
      {"capturing-coroutine", "its captures die with the lambda, and g++ 12 destroys them twice",
       R"(\[[^\[\]\n]+\]\s*\([^)]*\)\s*(mutable\s*)?->\s*(picklock::)?Task\s*<)",
       "auto f = [&](Host h) -> Task<int> { co_return 1; };", "auto f = [](Host h) -> Task<int> { co_return 1; };"},
      {"symmetric-transfer", "it is no dependable tail call: tasks go through the trampoline",
       R"(\bcoroutine_handle\s*<[^>]*>\s+await_suspend\b)",
       "std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) noexcept;",
       "void await_suspend(std::coroutine_handle<> h);"},
  };
  return kRules;
}

std::string code_only(std::string_view source) {
  std::string out;
  std::size_t i = 0;
  const auto skip_to = [&](std::size_t end) {  // keeps the lines
    for (; i < std::min(end, source.size()); ++i) {
      if (source[i] == '\n') out += '\n';
    }
  };
  const auto after = [&](std::string_view what, std::size_t from) {
    const std::size_t found = source.find(what, from);
    return found == source.npos ? source.size() : found + what.size();
  };
  while (i < source.size()) {
    const std::string_view rest = source.substr(i);
    const bool in_word = !out.empty() && (std::isalnum(static_cast<unsigned char>(out.back())) != 0);
    if (rest.starts_with("//")) {
      skip_to(source.find('\n', i));
    } else if (rest.starts_with("/*")) {
      skip_to(after("*/", i + 2));
    } else if (rest.starts_with("R\"") && !in_word) {
      const std::size_t open = source.find('(', i);
      const std::string close = ")" + std::string(source.substr(i + 2, open - i - 2)) + "\"";
      skip_to(after(close, open));
      out += "\"\"";
    } else if (rest[0] == '"' || (rest[0] == '\'' && !in_word)) {  // 1'000 is no literal
      std::size_t end = i + 1;
      while (end < source.size() && source[end] != rest[0]) end += source[end] == '\\' ? 2 : 1;
      out += {rest[0], rest[0]};
      skip_to(end + 1);
    } else {
      out += source[i++];
    }
  }
  return out;
}

std::vector<Finding> find_violations(std::string_view source) {
  static const std::vector<std::regex> kPatterns = [] {
    std::vector<std::regex> all;
    for (const Rule& r : rules()) all.emplace_back(std::string(r.pattern), std::regex::optimize);
    return all;
  }();
  const std::string code = code_only(source);
  std::vector<Finding> findings;
  for (std::size_t k = 0; k < kPatterns.size(); ++k) {
    for (std::sregex_iterator m(code.begin(), code.end(), kPatterns[k]), end; m != end; ++m) {
      const auto line = 1 + std::count(code.begin(), code.begin() + m->position(), '\n');
      findings.push_back({static_cast<int>(line), std::string(rules()[k].name), m->str()});
    }
  }
  return findings;
}

}  // namespace picklock::style
