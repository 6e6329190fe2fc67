#include "campaigns/ranks/messages.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace picklock {
namespace {

constexpr std::string_view kKinds = "rdfbwps";

std::uint64_t take_number(std::string_view& text) {
  if (!text.starts_with(' ')) throw std::runtime_error("a message between ranks has another form");
  text.remove_prefix(1);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc()) throw std::runtime_error("a message between ranks has another form");
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return value;
}

}  // namespace

std::string packed(const RankMessage& m) {
  const WorkItem& i = m.played.item;
  return fmt::format("{} {} {} {} {} {} {}\n{}", static_cast<char>(m.kind), m.wanted, i.cell, i.chunk.index,
                     i.chunk.seeds.first, i.chunk.seeds.last, m.played.behaviour, m.played.text);
}

RankMessage unpacked(const std::string& message) {
  std::string_view text = message;
  if (text.empty() || kKinds.find(text.front()) == std::string_view::npos)
    throw std::runtime_error("a message between ranks is of no known kind");
  RankMessage m;
  m.kind = static_cast<RankMessage::Kind>(text.front());
  text.remove_prefix(1);
  WorkItem& i = m.played.item;
  for (std::uint64_t* const number :
       {&m.wanted, &i.cell, &i.chunk.index, &i.chunk.seeds.first, &i.chunk.seeds.last, &m.played.behaviour})
    *number = take_number(text);
  if (!text.starts_with('\n')) throw std::runtime_error("a message between ranks has another form");
  m.played.text = text.substr(1);
  return m;
}

}  // namespace picklock
