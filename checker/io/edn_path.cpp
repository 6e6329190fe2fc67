#include "checker/io/edn_path.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>

#include "checker/io/edn.hpp"

namespace picklock {
namespace {

// Walks over canonical EDN (edn.hpp says what that rules out): one blank lies between two forms.
class Walker {
 public:
  explicit Walker(std::string_view edn) : edn_(edn) {}

  bool done() const { return at_ >= edn_.size(); }
  char here() const { return edn_[at_]; }
  void step() { ++at_; }

  // Over #tag and its blank, not over #{ or ##Inf.
  void skip_tags() {
    while (at_ + 1 < edn_.size() && here() == '#' && edn_[at_ + 1] != '{' && edn_[at_ + 1] != '#') {
      const std::size_t blank = edn_.find(' ', at_);
      if (blank == std::string_view::npos) return;
      at_ = blank + 1;
    }
  }

  // The next form, and over the blank after it.
  std::string_view form() {
    const std::size_t begin = at_;
    skip_tags();
    int depth = 0;
    do {
      const char c = here();
      if (c == '"') {
        for (++at_; here() != '"'; ++at_) at_ += here() == '\\' ? 1 : 0;
        ++at_;
      } else if (c == '[' || c == '(' || c == '{' || (c == '#' && edn_[at_ + 1] == '{')) {
        at_ += c == '#' ? 2 : 1;
        ++depth;
      } else if (c == ']' || c == ')' || c == '}') {
        ++at_;
        --depth;
      } else if (c == '\\') {  // a character; its first may be anything, a bracket too
        at_ += 2;
        atom();
      } else if (c == ' ') {
        ++at_;
      } else {
        atom();
      }
    } while (depth > 0);
    const std::string_view found = edn_.substr(begin, at_ - begin);
    if (!done() && here() == ' ') ++at_;
    return found;
  }

 private:
  void atom() {
    while (!done() && std::string_view(" ()[]{}\"").find(here()) == std::string_view::npos) ++at_;
  }

  std::string_view edn_;
  std::size_t at_ = 0;
};

std::string spelt(std::string_view key) {
  std::string name;
  if (key.front() == '"') {
    append_characters(name, key);
  } else {
    name = key.substr(key.front() == ':' ? 1 : 0);
  }
  return name;
}

}  // namespace

std::optional<std::string_view> element_at(std::string_view edn, std::string_view step) {
  Walker walker(edn);
  walker.skip_tags();
  if (walker.done()) return std::nullopt;
  if (walker.here() == '{') {
    walker.step();
    while (walker.here() != '}') {
      const std::string key = spelt(walker.form());
      const std::string_view value = walker.form();
      if (key == step) return value;
    }
    return std::nullopt;
  }
  if (walker.here() != '[' && walker.here() != '(') return std::nullopt;
  std::size_t position = 0;
  const char* const end = step.data() + step.size();
  const auto [stop, error] = std::from_chars(step.data(), end, position);
  if (error != std::errc{} || stop != end) return std::nullopt;
  walker.step();
  while (walker.here() != ']' && walker.here() != ')') {
    const std::string_view value = walker.form();
    if (position-- == 0) return value;
  }
  return std::nullopt;
}

namespace {

// The forms inside of a vector, list or map, one after the other.
std::vector<std::string_view> forms_in(std::string_view edn) {
  std::vector<std::string_view> forms;
  Walker walker(edn);
  walker.skip_tags();
  if (walker.done() || std::string_view("[({").find(walker.here()) == std::string_view::npos) return forms;
  walker.step();
  while (std::string_view("])}").find(walker.here()) == std::string_view::npos) forms.push_back(walker.form());
  return forms;
}

}  // namespace

std::optional<std::string> without_element(std::string_view edn, std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto element = element_at(edn, path.substr(0, dot));
  if (!element) return std::nullopt;
  const auto begin = static_cast<std::size_t>(element->data() - edn.data());
  if (dot != std::string_view::npos) {
    const auto rest = without_element(*element, path.substr(dot + 1));
    if (!rest) return std::nullopt;
    return std::string(edn.substr(0, begin)) + *rest + std::string(edn.substr(begin + element->size()));
  }
  std::vector<std::string_view> forms = forms_in(edn);
  const auto found =
      std::find_if(forms.begin(), forms.end(), [&](auto form) { return form.data() == element->data(); });
  const bool map = edn.back() == '}';
  if (!map && forms.size() == 2) return std::string(forms[found == forms.begin() ? 1 : 0]);
  const auto open = static_cast<std::size_t>(forms.front().data() - edn.data());
  forms.erase(map ? std::prev(found) : found, std::next(found));
  std::string rest(edn.substr(0, open));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (i > 0) rest += ' ';
    rest += forms[i];
  }
  return rest + edn.back();
}

std::optional<std::pair<std::string_view, std::string_view>> pair_in(std::string_view edn) {
  if (edn.empty() || edn.back() == '}') return std::nullopt;
  const std::vector<std::string_view> forms = forms_in(edn);
  if (forms.size() != 2) return std::nullopt;
  return std::pair(forms[0], forms[1]);
}

std::vector<std::string> keys_of(std::string_view edn) {
  std::vector<std::string> keys;
  Walker walker(edn);
  walker.skip_tags();
  if (walker.done() || walker.here() != '{') return keys;
  walker.step();
  while (walker.here() != '}') {
    const std::string_view key = walker.form();
    walker.form();
    if (key.front() == ':' || key.front() == '"') keys.push_back(spelt(key));
  }
  return keys;
}

}  // namespace picklock
