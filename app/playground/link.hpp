// A link of the playground: what its page shows, in the fragment of its address.
//
//   …/playground/index.html#run=q1YqU7IyMtRRKk4tSk…
//
// Behind `#run=` stands JSON, deflated without a header (RFC 1951) and written as base64url without padding:
//
//   {"v": 1, "runs": [{"name", "toml", "variant", "set": […], "without": […], "lock", "locks": {…},
//             "seed"}], "view": {…}}
//
// `name` is of the library; with `toml` the scenario is that text, and `variant` one of its variants. `locks` has the texts of
// locks in Lua, by the names that scenario and edits give them; without any it is absent. app/playground/page/link.js
// is the same in the page. A link comes from strangers: its length and what it unpacks to are bounded, members of other types
// are as if absent, and a name cannot lead out of the library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "scenarios/file/edits.hpp"

namespace picklock {

struct PlayLink {
  std::string name;     // library name, "paused_holder/fenced"; with `toml` what it was edited from
  std::string toml;     // scenario as TOML; empty: the library's
  std::string variant;  // variant of the scenario in `toml`
  ScenarioEdits edits;
  std::map<std::string, std::string> locks;  // Lua locks: text by name
  std::uint64_t seed = 1;
  bool operator==(const PlayLink&) const = default;
};

inline constexpr std::size_t kMostLinkLocks = 4;
// A page or a mail program may cut longer links off.
inline constexpr std::size_t kLongLink = 8192;
// The greatest seed that the page's numbers keep exactly.
inline constexpr std::uint64_t kMostLinkSeed = (std::uint64_t{1} << 53) - 1;

// Whether a user who writes this means a link: an address with such a fragment, or the fragment.
bool is_link(std::string_view text);
// "#run=…"
std::string link_fragment(const PlayLink& link);
// The first run of the link, or what is wrong with it.
std::variant<PlayLink, std::string> read_link(std::string_view text);

}  // namespace picklock
