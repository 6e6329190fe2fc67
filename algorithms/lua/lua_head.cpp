#include "algorithms/lua/lua_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/nearest.hpp"

namespace picklock {
namespace {

struct ClaimName {
  std::string_view name;
  bool Claims::*claim;
};
constexpr std::array<ClaimName, 11> kClaims = {{{"mutual_exclusion", &Claims::mutual_exclusion},
                                                {"token", &Claims::token},
                                                {"reentrant", &Claims::reentrant},
                                                {"fair", &Claims::fair},
                                                {"renewing", &Claims::renewing},
                                                {"loss_notification", &Claims::loss_notification},
                                                {"frees_after_crash", &Claims::frees_after_crash},
                                                {"releases_only_own", &Claims::releases_only_own},
                                                {"renews_only_own", &Claims::renews_only_own},
                                                {"serves_waiters", &Claims::serves_waiters},
                                                {"shared", &Claims::shared}}};

constexpr std::array<std::string_view, 16> kKeys = {
    "name",    "summary", "source",  "service",    "ownership",   "key",     "claims",         "lease",
    "options", "servers", "permits", "subscribes", "assumptions", "on_loss", "waits_for_dead", "lease_data"};

// Lines of the text where words first stand.
class Places {
 public:
  Places(const std::string& file, const std::string& text) : file_(file), text_(text) {}
  std::string of(std::string_view word) const {
    const std::size_t at = word.empty() ? std::string::npos : text_.find(word);
    const auto end = at == std::string::npos ? text_.begin() : text_.begin() + static_cast<std::ptrdiff_t>(at);
    return fmt::format("{}:{}", file_, std::count(text_.begin(), end, '\n') + 1);
  }

 private:
  const std::string& file_;
  const std::string& text_;
};

class HeadReader {
 public:
  HeadReader(const Places& places, LuaHead& head) : places_(places), head_(head) {}

  std::string read(const LuaValue& table, LuaFile& file) {
    for (const LuaEntry& e : table.entries) {
      const std::string key = e.key.to_text();
      if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) return unknown(key, "a key of lock", kKeys);
    }
    head_.kind.summary = text_or(table, "summary", text_or(table, "name", "a lock in Lua"));
    head_.kind.source = text_or(table, "source", "its own file");
    head_.kind.service = text_or(table, "service", "redis");
    head_.kind.ownership = text_or(table, "ownership", usual_ownership());
    head_.kind.service_place = keep(places_.of("service"));
    head_.kind.ownership_place = keep(places_.of(table.at("ownership").is_nil() ? "service" : "ownership"));
    head_.kind.key = text_or(table, "key", kLockName);
    head_.kind.subscribes = table.at("subscribes").is_true();
    head_.kind.claims.releases_only_own = true;
    std::string wrong = check_key(table.at("key"));
    if (wrong.empty()) wrong = read_claims(table.at("claims"));
    if (wrong.empty()) wrong = read_options(table.at("options"), file);
    if (wrong.empty()) wrong = read_lease(table, file);
    if (wrong.empty()) wrong = read_option_name(table.at("waits_for_dead"), file, file.waits_for_dead);
    if (wrong.empty()) wrong = read_renews(table.at("claims").at("renewing"), file);
    if (wrong.empty()) wrong = read_count(table, {"servers", 99}, file, file.servers);
    if (wrong.empty()) wrong = read_count(table, {"permits", 1'000'000}, file, file.permits);
    if (wrong.empty()) wrong = read_data_lease(table.at("lease_data"), file);
    head_.kind.independent_servers = static_cast<std::uint32_t>(file.servers.usual);
    if (wrong.empty()) wrong = read_assumptions(table.at("assumptions"), file);
    head_.kind.claims.loss_notification |= file.watches;
    file.loses = head_.kind.claims.loss_notification;
    return wrong;
  }

 private:
  std::string_view keep(std::string text) {
    return *head_.texts.emplace_back(std::make_unique<const std::string>(std::move(text)));
  }
  std::string_view text_or(const LuaValue& table, std::string_view key, std::string_view other) {
    const LuaValue& value = table.at(key);
    return value.is_text() ? keep(value.text) : other;
  }
  std::string_view usual_ownership() const {
    if (head_.kind.service == "etcd") return "etcd-first";
    return head_.kind.service == "zookeeper" ? "znode-first" : "redis-key";
  }

  template <class Names>
  std::string unknown(const std::string& found, std::string_view what, const Names& names) const {
    const auto nearest = nearest_name(found, std::span<const std::string_view>(names));
    return fmt::format("{}: found '{}', expected {}{}", places_.of(found), found, what,
                       nearest ? fmt::format("; did you mean '{}'?", *nearest) : std::string());
  }

  std::string check_key(const LuaValue& key) const {
    if (key.is_nil() || (key.is_text() && key.text.find(kLockName) != std::string::npos)) return "";
    return fmt::format("{}: found {} for key, expected a text that has {} in it, such as \"lock:{}\"",
                       places_.of(key.is_text() ? key.text : "key"), key.to_text(), kLockName, kLockName);
  }

  std::string read_claims(const LuaValue& claims) {
    for (const LuaEntry& e : claims.entries) {
      const std::string name = e.key.to_text();
      const auto found =
          std::find_if(kClaims.begin(), kClaims.end(), [&](const ClaimName& c) { return c.name == name; });
      if (found == kClaims.end()) {
        std::vector<std::string_view> names;
        for (const ClaimName& c : kClaims) names.push_back(c.name);
        return unknown(name, "a claim", names);
      }
      if (found->claim == &Claims::renewing && e.value.is_text()) {
        head_.kind.claims.renewing = true;  // read_renews decides if that option says so
        continue;
      }
      if (e.value.kind != LuaValue::Kind::boolean) {
        return fmt::format("{}: found a {} for {}, expected true or false", places_.of(name), e.value.type(), name);
      }
      head_.kind.claims.*found->claim = e.value.boolean;
    }
    return "";
  }

  std::string read_options(const LuaValue& options, LuaFile& file) {
    auto all = std::make_shared<std::deque<LuaOption>>();
    const std::string wrong = read_lua_options(options, *all);
    file.options = all;
    const std::string option = wrong.substr(0, wrong.find(':'));
    return wrong.empty() ? "" : fmt::format("{}: option {}", places_.of(option), wrong);
  }

  // The option of this name, as scenarios call it; null: there is none.
  static const LuaOption* option_of(const LuaFile& file, std::string_view name) {
    for (const LuaOption& option : *file.options) {
      if (option.in_text == name) return &option;
    }
    return nullptr;
  }
  std::string unknown_option(const LuaFile& file, const std::string& name) const {
    std::vector<std::string_view> names;
    for (const LuaOption& option : *file.options) names.push_back(option.in_text);
    return unknown(name, "an option of this lock", names);
  }

  // `kept`: the option of that name, as scenarios call it.
  std::string read_option_name(const LuaValue& name, const LuaFile& file, std::string& kept) const {
    if (name.is_nil()) return "";
    const LuaOption* const option = name.is_text() ? option_of(file, name.text) : nullptr;
    if (option == nullptr) return unknown_option(file, name.to_text());
    kept = option->name;
    return "";
  }

  // renewing = "renewal": if that option is true, or not "none".
  std::string read_renews(const LuaValue& claim, LuaFile& file) const {
    return claim.is_text() ? read_option_name(claim, file, file.renews) : "";
  }

  std::string read_lease(const LuaValue& table, LuaFile& file) {
    std::string wrong = read_option_name(table.at("lease"), file, file.lease);
    if (!file.lease.empty()) head_.kind.terms = {.what = "lease of the lock", .option = file.lease};
    return wrong;
  }

  std::string read_data_lease(const LuaValue& table, LuaFile& file) const {
    if (table.is_nil()) return "";
    const std::string wrong = read_lua_data_lease(table, *file.options, file.data_lease.emplace());
    if (!wrong.empty()) {
      const std::size_t colon = wrong.find(':');
      return fmt::format("{}: {}", places_.of(wrong.substr(0, colon)), wrong.substr(colon + 2));
    }
    if (!file.data_lease->lease.begins || !file.lease.empty()) return "";
    return fmt::format(
        "{}: found a lease that says its begin, expected the option that says how long it lasts: lease = …",
        places_.of("lease_data"));
  }

  struct CountKey {
    std::string_view key;
    std::int64_t most;
  };
  // A number, or the option that says it.
  std::string read_count(const LuaValue& table, CountKey of, const LuaFile& file, LuaCount& count) const {
    const LuaValue& found = table.at(of.key);
    if (found.is_nil()) return "";
    if (found.is_number() && found.as_integer() >= 1 && found.as_integer() <= of.most) {
      count.usual = found.as_integer();
      return "";
    }
    const LuaOption* const option = found.is_text() ? option_of(file, found.text) : nullptr;
    if (option == nullptr || !std::holds_alternative<std::int64_t>(option->usual)) {
      return fmt::format("{}: found {} for {}, expected a number from 1 to {}, or an option that is one",
                         places_.of(of.key), found.to_text(), of.key, of.most);
    }
    count = {std::get<std::int64_t>(option->usual), option->name};
    return "";
  }

  // { "no-data-loss", ["pauses-shorter-than"] = "ttl", returns = { ["delays-shorter-than"] = "request_timeout/2" } }
  std::string read_assumptions(const LuaValue& all, const LuaFile& file, std::string_view needed_by = {}) {
    for (const LuaEntry& e : all.entries) {
      if (e.key.is_text() && e.value.is_table()) {
        const std::string wrong = read_assumptions(e.value, file, keep(e.key.text));
        if (!wrong.empty()) return wrong;
        continue;
      }
      AssumptionOf assumption{keep(e.key.is_text() ? e.key.text : e.value.to_text()), "", 1, needed_by};
      assumption.place = keep(places_.of(assumption.name));
      if (e.key.is_text()) {
        const std::string bound = e.value.to_text();
        const std::size_t slash = bound.find('/');
        const std::string name = bound.substr(0, slash);
        const LuaOption* const option = option_of(file, name);
        if (option == nullptr && name != "request_timeout") return unknown_option(file, name);
        assumption.parameter = option != nullptr ? std::string_view(option->name) : "request-timeout";
        if (slash != bound.npos) {
          const char* const end = bound.data() + bound.size();
          const auto parsed = std::from_chars(bound.data() + slash + 1, end, assumption.divisor);
          if (parsed.ec != std::errc() || parsed.ptr != end || assumption.divisor < 1) {
            return fmt::format("{}: found '{}', expected an option, and a divisor as in ttl/2", places_.of(bound),
                               bound);
          }
        }
      }
      head_.assumptions.push_back(assumption);
    }
    return "";
  }

  const Places& places_;
  LuaHead& head_;
};

}  // namespace

std::string read_lock_head(const std::string& name, const LuaValue& table, LuaHead& head) {
  auto file = std::make_shared<LuaFile>();
  file->name = name;
  head.file = file;
  head.texts.push_back(std::make_unique<const std::string>(name));
  head.kind.name = *head.texts.back();
  const std::string none;
  const Places places(name, none);
  return HeadReader(places, head).read(table, *file);
}

std::string read_lua_head(const std::string& path, const std::string& text, LuaHead& head) {
  auto file = std::make_shared<LuaFile>();
  file->name = path;
  head.file = file;
  head.texts.push_back(std::make_unique<const std::string>(path));
  head.kind.name = *head.texts.back();
  std::string error = file->read(text);
  if (!error.empty()) return error;
  const auto program = file->load(error);
  if (program == nullptr) return error;
  const Places places(path, text);
  const LuaValue table = program->global("lock");
  if (!table.is_table()) {
    return fmt::format("{}: found no head, expected lock = {{ name = \"…\", service = \"redis\", … }}", places.of(""));
  }
  for (const auto& [name, arguments] : {std::pair{"acquire", "ctx, patience"}, std::pair{"release", "ctx, hold"}}) {
    if (program->global(name).kind == LuaValue::Kind::kept) continue;
    return fmt::format("{}: found no function {}, expected function {}({})", places.of(name), name, name, arguments);
  }
  file->extends = program->global("extend").kind == LuaValue::Kind::kept;
  file->watches = program->global("lost").kind == LuaValue::Kind::kept;
  file->forces = program->global("force").kind == LuaValue::Kind::kept;
  return HeadReader(places, head).read(table, *file);
}

}  // namespace picklock
