// Operations in few bytes, for what has to be remembered of many.
#pragma once

#include <cstddef>
#include <cstdint>

#include "checker/history.hpp"

namespace picklock {

// Fields of an event that its operation does not know already; not its local time.
struct PackedEvent {
  PackedEvent() = default;
  explicit PackedEvent(const OperationEvent& e)
      : time(e.time), token(e.token), value(e.value), index(e.index), hold(e.hold) {}

  [[nodiscard]] OperationEvent event(std::int32_t process, std::uint8_t f, OperationType type, NameId object) const {
    OperationEvent e;
    e.time = time;
    e.token = token;
    e.value = value;
    e.index = index;
    e.hold = hold;
    e.process = process;
    e.f = f;
    e.type = type;
    e.object = object;
    return e;
  }

  std::int64_t time = 0, token = kNoToken;
  Value value;
  std::uint32_t index = 0;
  HoldId hold = kNoHold;
};

// A call that a model has seen, from its invoke to its end if that has come.
class SeenCall {
 public:
  SeenCall() = default;
  SeenCall(const OperationEvent& invoke, const OperationEvent& end, std::size_t role)
      : invoke_(invoke),
        end_(end),
        process_(invoke.process),
        f_(invoke.f),
        role_(static_cast<std::uint8_t>(role)),
        type_(end.type) {}

  // One that is open.
  SeenCall(const OperationEvent& invoke, std::size_t role) : SeenCall(invoke, invoke, role) {}

  [[nodiscard]] OperationEvent invoke(NameId object) const {
    return invoke_.event(process_, f_, OperationType::invoke, object);
  }
  [[nodiscard]] OperationEvent end(NameId object) const { return end_.event(process_, f_, type_, object); }
  [[nodiscard]] bool open() const { return type_ == OperationType::invoke; }
  [[nodiscard]] std::size_t role() const { return role_; }
  [[nodiscard]] std::uint32_t invoked_at() const { return invoke_.index; }
  [[nodiscard]] std::uint32_t ended_at() const { return end_.index; }
  [[nodiscard]] std::int32_t process() const { return process_; }
  [[nodiscard]] std::int64_t token() const { return end_.token; }
  void set_token(std::int64_t token) { end_.token = token; }

 private:
  PackedEvent invoke_, end_;
  std::int32_t process_ = 0;
  std::uint8_t f_ = 0, role_ = 0;
  OperationType type_ = OperationType::ok;
};
static_assert(sizeof(SeenCall) <= 72);

}  // namespace picklock
