#include "checker/io/json_records.hpp"

#include "base/utf8.hpp"
#include "checker/io/edn.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/io/json_value.hpp"

namespace picklock {

void JsonRecords::begin() { record_ = Json::object(); }

// A record's keys differ from each other, so none is looked for.
void JsonRecords::put(std::string_view key, Json value) {
  record_.get_ref<Json::object_t&>().emplace_back(std::string(key), std::move(value));
}

void JsonRecords::name(std::string_view key, NameId id) {
  std::optional<Json>& known = names_.at(id);
  if (!known) {
    const std::string_view name = history_.names.view(id);
    if (!valid_utf8(name)) throw WriteError("a name that is not UTF-8 cannot be written");
    std::string literal;
    append_edn_string(literal, name);
    known = json_of(literal);
  }
  put(key, *known);
}

void JsonRecords::value(std::string_view key, Value value) {
  if (value.is_nil()) return put(key, nullptr);
  if (value.is_integer()) return put(key, value.number());
  std::optional<Json>& known = texts_.at(value.id());
  if (!known) known = json_of(history_.values.text(value));
  put(key, *known);
}

void JsonRecords::end() {
  out += first_ ? "[\n" : ",\n";
  first_ = false;
  try {
    out += record_.dump();
  } catch (const Json::type_error&) {
    throw WriteError("a text that is not UTF-8 cannot be written as JSON");
  }
}

void JsonRecords::finish() { out += first_ ? "[]\n" : "\n]\n"; }

}  // namespace picklock
