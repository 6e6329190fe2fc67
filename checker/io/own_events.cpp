// The events that only our own writer adds: beliefs, grants, effects and the like.
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "checker/io/event_decoder.hpp"

namespace picklock {
namespace {

using Kind = Field::Kind;

}  // namespace

template <typename Enum, std::size_t n>
Enum EventDecoder::enumerator(Key key, const std::array<std::string_view, n>& words) const {
  const Field* const field = get(key);
  if (field != nullptr && field->is_name()) {
    if (const auto found = from_word<Enum>(words, field->text)) return *found;
  }
  fail(key, fmt::format("one of {}", fmt::join(words, ", ")));
}

std::uint64_t EventDecoder::unsigned_number(Key key) const {
  const Field* const field = get(key);
  if (field == nullptr) return 0;
  if (field->kind == Kind::integer && field->number >= 0) {
    return static_cast<std::uint64_t>(field->number);
  }
  std::uint64_t number = 0;
  const char* const end = field->text.data() + field->text.size();
  const auto [stop, error] = std::from_chars(field->text.data(), end, number);
  if (field->kind != Kind::other || error != std::errc{} || stop != end) {
    fail(field, "an unsigned integer of 64 bits");
  }
  return number;
}

HoldId EventDecoder::hold_id(Key key) const {
  const std::int64_t id = number(key, kNoHold);
  if (id < 0 || id > holds_) fail(key, fmt::format("the id of a hold, at most {}", holds_));
  return static_cast<HoldId>(id);
}

bool EventDecoder::flag(Key key) const {
  const Field* const field = get(key);
  if (field == nullptr) return false;
  if (field->kind != Kind::boolean) fail(field, "true or false");
  return field->number != 0;
}

void EventDecoder::hold_record(EventSink& sink) {
  if (!options_.fields.owner.empty()) {
    throw SyntaxError{record_->begin, "a record that numbers a hold", "none, where a field is said to name the owner"};
  }
  const std::int64_t id = number(kHold, 0);
  if (id != static_cast<std::int64_t>(holds_) + 1) {
    fail(kHold, fmt::format("the next hold, {}", holds_ + 1));
  }
  HoldInfo info;
  info.lock = name(kLock);
  info.client = name(kClient);
  if (get(kHolder) != nullptr) info.process = process_in(*get(kHolder));
  info.token = number(kToken, kNoToken);
  if (get(kMode) != nullptr) info.mode = enumerator<HoldMode>(kMode, kModeWords);
  ++holds_;
  sink.hold(holds_, info);
}

void EventDecoder::own_event(OwnProcess kind, EventSink& sink) {
  if (type() != OperationType::info) fail(kType, ":type info for such a :process");
  switch (kind) {
    case OwnProcess::picklock:
      if (flag(kOmniscient)) sink.omniscient();
      return;
    case OwnProcess::hold:
      hold_record(sink);
      return;
    case OwnProcess::belief: {
      BeliefEvent event{time(), index(), hold_id(kHold), BeliefEnd::none};
      event.end = enumerator<BeliefEnd>(kF, kBeliefWords);
      sink.belief(event);
      return;
    }
    case OwnProcess::grant: {
      GrantEvent event{time(), kNoTime, index(), hold_id(kHold), hold_id(kBy), GrantChange::begin};
      const Field* const until = get(kUntil);
      const bool forever = until != nullptr && until->is_name() && until->text == "forever";
      event.until = forever ? std::numeric_limits<std::int64_t>::max() : number(kUntil, kNoTime);
      event.change = enumerator<GrantChange>(kF, kGrantWords);
      if (get(kCause) != nullptr) event.cause = enumerator<GrantEnd>(kCause, kGrantEndWords);
      if (get(kDecidedBy) != nullptr) event.server = name(kDecidedBy);
      sink.grant(event);
      return;
    }
    case OwnProcess::effect: {
      EffectEvent event;
      event.time = time();
      event.index = index();
      event.token = number(kToken, kNoToken);
      event.version = unsigned_number(kVersion);
      event.read_version = unsigned_number(kReadVersion);
      event.hold = hold_id(kHold);
      event.resource = name(kResource);
      event.kind = enumerator<EffectKind>(kF, kEffectWords);
      event.acknowledged = flag(kAcknowledged);
      event.depends_on_read = flag(kDependsOnRead);
      sink.effect(event);
      return;
    }
    case OwnProcess::process:
      sink.process({time(), index(), name(kClient), enumerator<ProcessChange>(kF, kProcessWords)});
      return;
    case OwnProcess::phase:
      sink.phase({time(), index(), enumerator<Phase>(kF, kPhaseWords)});
      return;
  }
}

}  // namespace picklock
