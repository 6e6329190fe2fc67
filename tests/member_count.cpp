#include "tests/member_count.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include "tests/style_rules.hpp"

namespace picklock::style {
namespace {

// The place after the bracket that closes the one before `at`.
std::size_t after_closing(std::string_view text, std::size_t at, char open, char close) {
  for (int depth = 1; at < text.size() && depth > 0; ++at) depth += text[at] == open ? 1 : text[at] == close ? -1 : 0;
  return at;
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) &&
         (text.size() == word.size() || !(std::isalnum(text[word.size()]) || text[word.size()] == '_'));
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \n\t");
  return begin == text.npos ? "" : std::string(text.substr(begin, text.find_last_not_of(" \n\t") - begin + 1));
}

// The text without what stands in angle brackets, which may have commas and parentheses of its own.
std::string without_arguments(std::string_view text) {
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
    if (text[i] == '<') ++depth;
    if (depth == 0) out += text[i];
    if (text[i] == '>' && !arrow && depth > 0) --depth;
  }
  return out;
}

// One declaration, without its end and with "{}" for whatever stood in braces.
void add_members(const std::string& declaration, std::vector<std::string>& members) {
  constexpr std::array kNoMembers = {"using",  "friend", "static",   "typedef",  "static_assert", "class",
                                     "struct", "enum",   "template", "explicit", "virtual",       "inline"};
  if (std::any_of(kNoMembers.begin(), kNoMembers.end(),
                  [&](const char* word) { return starts_with_word(declaration, word); }))
    return;
  const std::string plain = without_arguments(declaration);
  const std::string before_value = plain.substr(0, plain.find_first_of("={"));
  if (before_value.find('(') != std::string::npos || before_value.find("operator") != std::string::npos) return;
  static const std::regex kParentheses(R"(\([^()]*\))"), kName(R"((\w+)\s*(\[[^\]]*\])*\s*(:\s*\w+\s*)?(=.*|\{.*)?$)");
  std::string flat = plain;
  for (std::string inner; inner != flat;) {
    inner = flat;
    flat = std::regex_replace(inner, kParentheses, "");
  }
  for (std::size_t begin = 0; begin <= flat.size();) {
    const std::size_t end = std::min(flat.find(',', begin), flat.size());
    const std::string one = flat.substr(begin, end - begin);
    std::smatch name;
    if (std::regex_search(one, name, kName)) members.push_back(name[1]);
    begin = end + 1;
  }
}

std::vector<std::string> members_of(std::string_view body) {
  std::vector<std::string> members;
  std::string declaration;
  for (std::size_t i = 0; i < body.size();) {
    const char c = body[i];
    const std::string text = trimmed(declaration);
    if (c == ':' && (text == "public" || text == "private" || text == "protected")) {
      declaration.clear();
      ++i;
    } else if (c == ';') {
      if (!text.empty()) add_members(text, members);
      declaration.clear();
      ++i;
    } else if (c == '{') {
      i = after_closing(body, i + 1, '{', '}');
      const std::string plain = without_arguments(text);
      const std::size_t value = plain.find('='), call = plain.find('(');
      if (call < value && !starts_with_word(text, "struct") && !starts_with_word(text, "class")) {
        // A function's body; or, in a list of initialisers, a member's: then the body follows.
        const std::size_t next = body.find_first_not_of(" \n", i);
        const bool goes_on = next != body.npos && (body[next] == ',' || body[next] == '{');
        if (!goes_on) declaration.clear();
      } else if (starts_with_word(text, "struct") || starts_with_word(text, "class") ||
                 starts_with_word(text, "enum") || starts_with_word(text, "union")) {
        declaration = "T ";  // a nested type: what follows it, if anything, is a member of it
        const std::size_t next = body.find_first_not_of(" \n", i);
        if (next != body.npos && body[next] == ';') declaration.clear();
      } else {
        declaration += "{}";
      }
    } else {
      declaration += c;
      ++i;
    }
  }
  return members;
}

// Of " : public Program, private base::Part<int>": Program, Part.
std::vector<std::string> bases_of(const std::string& list) {
  static const std::regex kBase(R"((?:^ : |, )(?:(?:public|protected|private|virtual) )*(?:\w+::)*(\w+))");
  std::vector<std::string> bases;
  const std::string plain = without_arguments(list);
  for (std::sregex_iterator m(plain.begin(), plain.end(), kBase), end; m != end; ++m) bases.push_back((*m)[1]);
  return bases;
}

}  // namespace

std::vector<ClassMembers> data_members(std::string_view source) {
  static const std::regex kDefinition(
      R"((enum )?\b(?:class|struct) (?:\[\[\w+\]\] )?([\w:]+)(?: final)?( : [^;{]*)? \{)");
  const std::string code = code_only(source);
  std::vector<ClassMembers> classes;
  for (std::sregex_iterator m(code.begin(), code.end(), kDefinition), end; m != end; ++m) {
    if ((*m)[1].matched) continue;
    const auto begin = static_cast<std::size_t>(m->position() + m->length());
    const std::size_t after = after_closing(code, begin, '{', '}');
    classes.push_back(
        {(*m)[2], members_of(std::string_view(code).substr(begin, after - 1 - begin)), bases_of((*m)[3])});
  }
  return classes;
}

}  // namespace picklock::style
