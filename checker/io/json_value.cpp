#include "checker/io/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "checker/io/edn.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEdn = "$edn";

template <class Number>
std::optional<Number> parsed(std::string_view token) {
  Number number{};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return number;
}

std::optional<Json> number(std::string_view token) {
  if (token.find_first_of(".e") != std::string_view::npos) {
    const auto real = parsed<double>(token);
    return real && std::isfinite(*real) ? std::optional(Json(*real)) : std::nullopt;
  }
  if (const auto integer = parsed<std::int64_t>(token)) return Json(*integer);
  if (const auto natural = parsed<std::uint64_t>(token)) return Json(*natural);
  return std::nullopt;
}

// Walks over canonical EDN; see edn.hpp for what that rules out.
class EdnToJson {
 public:
  explicit EdnToJson(std::string_view edn) : edn_(edn) {}

  Json form() {
    const std::size_t begin = at_;
    if (std::optional<Json> plain = convert()) return *std::move(plain);
    at_ = begin;
    skip();
    return Json{{kEdn, edn_.substr(begin, at_ - begin)}};
  }

 private:
  // Nothing: JSON has no word for it.
  std::optional<Json> convert() {
    const char c = edn_[at_];
    if (c == '[') return array();
    if (c == '{') return object();
    if (c == '"') return string();
    if (c == '(' || c == '#' || c == '\\') return std::nullopt;
    const std::string_view token = take_token();
    if (c == ':') return is_keyword_name(token.substr(1)) ? std::optional(Json(token)) : std::nullopt;
    if (token == "nil") return Json(nullptr);
    if (token == "true" || token == "false") return Json(token == "true");
    return number(token);
  }

  std::optional<Json> string() {
    const std::size_t begin = at_;
    skip();
    std::string characters;
    append_characters(characters, edn_.substr(begin, at_ - begin));
    if (characters.starts_with(':') && is_keyword_name(std::string_view(characters).substr(1))) return std::nullopt;
    return Json(std::move(characters));
  }

  Json array() {
    Json elements = Json::array();
    ++at_;
    while (edn_[at_] != ']') {
      elements.push_back(form());
      skip_blank();
    }
    ++at_;
    return elements;
  }

  std::optional<Json> object() {
    Json entries = Json::object();
    ++at_;
    while (edn_[at_] != '}') {
      if (edn_[at_] != '"' && edn_[at_] != ':') return std::nullopt;
      const std::optional<Json> key = convert();
      if (!key) return std::nullopt;
      skip_blank();
      entries[key->get_ref<const std::string&>()] = form();
      skip_blank();
    }
    ++at_;
    const bool reserved = entries.size() == 1 && entries.contains(kEdn);
    if (reserved) return std::nullopt;
    return entries;
  }

  void skip_blank() {
    if (edn_[at_] == ' ') ++at_;
  }

  std::string_view take_token() {
    const std::size_t begin = at_;
    at_ = std::min(edn_.find_first_of(" ()[]{}\"", at_), edn_.size());
    return edn_.substr(begin, at_ - begin);
  }

  // Past one form.
  void skip() {
    int depth = 0;
    do {
      const char c = edn_[at_];
      if (c == '"') {
        for (++at_; edn_[at_] != '"'; ++at_) {
          if (edn_[at_] == '\\') ++at_;
        }
        ++at_;
      } else if (c == '\\') {
        at_ += 2;
        take_token();
      } else if (c == '(' || c == '[' || c == '{') {
        ++at_;
        ++depth;
      } else if (c == ')' || c == ']' || c == '}') {
        ++at_;
        --depth;
      } else if (c == '#' && edn_[at_ + 1] != '{' && edn_[at_ + 1] != '#') {
        take_token();  // a tag belongs to the form after it
        ++at_;
        skip();
      } else if (c == '#' && edn_[at_ + 1] == '{') {
        at_ += 2;
        ++depth;
      } else if (c == ' ') {
        ++at_;
      } else {
        take_token();
      }
    } while (depth > 0);
  }

  std::string_view edn_;
  std::size_t at_ = 0;
};

}  // namespace

nlohmann::ordered_json json_of(std::string_view canonical_edn) { return EdnToJson(canonical_edn).form(); }

}  // namespace picklock
