#include "scenarios/file/write.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "scenarios/file/head_comment.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

struct KeyValue {
  std::string key, value;
};

std::string value_text(const FieldText& f) {
  if (f.type == ValueType::list) {
    std::vector<std::string> names = parse_list(f.text);
    for (std::string& name : names) name = toml_string(name);
    return fmt::format("[{}]", fmt::join(names, ", "));
  }
  return f.type == ValueType::boolean || f.type == ValueType::integer ? f.text : toml_string(f.text);
}

// Keys and values that have to be written for a part.
std::vector<KeyValue> said(const ScenarioPart& part) {
  FieldLister is, would_be;
  part.fields.fields(is);
  part.defaults.fields(would_be);
  std::vector<KeyValue> all;
  const auto required = part.info.required;
  for (const FieldText& f : is.fields) {
    const bool needed = std::find(required.begin(), required.end(), f.name) != required.end();
    const bool usual = std::find(would_be.fields.begin(), would_be.fields.end(), f) != would_be.fields.end();
    if (needed || !usual) all.push_back({f.name, value_text(f)});
  }
  return all;
}

std::string inline_table(const std::vector<KeyValue>& all) {
  std::string text = "{";
  for (const KeyValue& kv : all) text += fmt::format("{} {} = {}", text.size() > 1 ? "," : "", kv.key, kv.value);
  return text + " }";
}

// One line for one key, the signs of equality below one another.
std::string lines(const std::vector<KeyValue>& all) {
  std::size_t width = 0;
  for (const KeyValue& kv : all) width = std::max(width, kv.key.size());
  std::string text;
  for (const KeyValue& kv : all) text += fmt::format("{:<{}} = {}\n", kv.key, width, kv.value);
  return text;
}

std::string expectation_text(const Expectation& e) {
  if (e.seeds == Seeds::every) return toml_string(name(e.verdict));
  if (e == Expectation{decltype(e.verdict){}, Seeds::any}) return toml_string("any");
  return fmt::format("{{ verdict = {}, seeds = {} }}", toml_string(name(e.verdict)), toml_string(name(e.seeds)));
}

class Writer {
 public:
  std::string write(Scenario s) {
    for_each_part(s, [&](const ScenarioPart& part) { take(part); });
    if (reseeds_.size() == 1) top_.push_back({"reseed", reseeds_.front()});
    if (reseeds_.size() > 1) top_.push_back({"reseed", fmt::format("[\n  {},\n]", fmt::join(reseeds_, ",\n  "))});
    if (!s.sometimes.empty()) {
      std::vector<std::string> names;
      for (const std::string& n : s.sometimes) names.push_back(toml_string(n));
      top_.push_back({"sometimes", fmt::format("[{}]", fmt::join(names, ", "))});
    }
    if (!clients_.empty()) top_.push_back({"clients", fmt::format("[\n{}]", clients_)});
    if (!s.expect.empty()) {
      std::vector<KeyValue> all;
      for (const auto& [property, e] : s.expect) all.push_back({property, expectation_text(e)});
      tables_ += fmt::format("\n[expect]\n{}", lines(all));
    }
    return to_head_comment(s.description) + lines(top_) + tables_;
  }

 private:
  void take(const ScenarioPart& part) {
    const std::vector<KeyValue> all = said(part);
    const std::string_view path = part.info.path;
    if (path.empty()) {
      top_.insert(top_.end(), all.begin(), all.end());
    } else if (path == "reseed") {
      reseeds_.push_back(inline_table(all));
    } else if (path == "lock") {
      top_.push_back({std::string(path), inline_table(all)});
    } else if (path == "workload") {
      const bool usual = all.size() == 1 && all[0].value == toml_string(WorkloadSpec{}.kind);
      if (!usual) top_.push_back({std::string(path), all.size() == 1 ? all[0].value : inline_table(all)});
    } else if (path == "clients") {
      clients_ += fmt::format("  {},\n", inline_table(all));
    } else if (part.info.array) {
      tables_ += fmt::format("\n[[{}]]\n{}", path, lines(all));
    } else if (path != "expect" && !all.empty()) {
      tables_ += fmt::format("\n[{}]\n{}", path, lines(all));
    }
  }

  std::vector<KeyValue> top_;
  std::vector<std::string> reseeds_;
  std::string clients_, tables_;
};

}  // namespace

std::string toml_string(std::string_view text) {
  const bool readable = valid_utf8(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += byte >= 0x80 && !readable ? '?' : c;
    }
  }
  return out + '"';
}

std::string write_scenario(const Scenario& scenario) { return Writer().write(scenario); }

}  // namespace picklock
