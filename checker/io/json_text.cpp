// Canonical EDN as JSON.
#include <algorithm>

#include "checker/io/edn.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {
namespace {

// Walks over canonical EDN; see edn.hpp for what that rules out.
class JsonText {
 public:
  JsonText(std::string& out, std::string_view edn) : out_(out), edn_(edn) {}

  void form() {
    const std::size_t begin = at_;
    const std::size_t written = out_.size();
    if (convert()) return;
    at_ = begin;
    skip();
    out_.resize(written);
    out_ += "{\"$edn\":";
    append_json_string(out_, edn_.substr(begin, at_ - begin));
    out_.push_back('}');
  }

 private:
  // False: JSON has no word for it.
  bool convert() {
    const char c = edn_[at_];
    if (c == '[') return array();
    if (c == '{') return object();
    if (c == '"') return string();
    if (c == '(' || c == '#' || c == '\\') return false;
    const std::string_view token = take_token();
    if (c == ':') {
      out_.push_back('"');
      out_ += token;
      out_.push_back('"');
      return is_keyword_name(token.substr(1));
    }
    const char first = c == '-' && token.size() > 1 ? token[1] : c;
    const bool number =
        first >= '0' && first <= '9' && token.find_first_not_of("0123456789.e+-") == std::string_view::npos;
    if (!number && token != "true" && token != "false" && token != "nil") return false;
    out_ += token == "nil" ? std::string_view("null") : token;
    return true;
  }

  bool string() {
    const std::size_t begin = at_;
    skip();
    std::string characters;
    append_characters(characters, edn_.substr(begin, at_ - begin));
    append_json_string(out_, characters);
    return characters.empty() || characters[0] != ':' || !is_keyword_name(characters.substr(1));
  }

  bool array() {
    ++at_;
    out_.push_back('[');
    for (bool first = true; edn_[at_] != ']'; first = false) {
      if (!first) separate();
      form();
      if (edn_[at_] == ' ') ++at_;
    }
    ++at_;
    out_.push_back(']');
    return true;
  }

  bool object() {
    ++at_;
    out_.push_back('{');
    int entries = 0;
    bool reserved = false;
    for (; edn_[at_] != '}'; ++entries) {
      if (entries > 0) separate();
      if (edn_[at_] != '"' && edn_[at_] != ':') return false;
      reserved = reserved || edn_.substr(at_, 7) == "\"$edn\" ";
      if (!convert()) return false;
      ++at_;
      out_.push_back(':');
      form();
      if (edn_[at_] == ' ') ++at_;
    }
    ++at_;
    out_.push_back('}');
    return !(reserved && entries == 1);
  }

  void separate() { out_.push_back(','); }

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

  std::string& out_;
  std::string_view edn_;
  std::size_t at_ = 0;
};

}  // namespace

void append_json_string(std::string& out, std::string_view characters) {
  constexpr char kDigits[] = "0123456789abcdef";
  out.push_back('"');
  for (const char c : characters) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (code < 0x20 || code == 0x7f) {
      out += "\\u00";
      out.push_back(kDigits[code >> 4]);
      out.push_back(kDigits[code & 15]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void append_json(std::string& out, std::string_view canonical_edn) { JsonText(out, canonical_edn).form(); }

}  // namespace picklock
