// The state of a model as bytes, while its lock is not in use (Model::keep).
//
// A type says once, for both ways, what its state consists of:
//
//   template <typename Archive, typename Self>
//   static void state(Archive& archive, Self& self) { archive(self.held_, self.open_); }
//
// where the archive is a StateWriter or a StateReader, and Self is const for the writer. What is told: numbers, enumerations,
// calls and events of the lock, whatever has a `state` of its own, and the usual containers of these. Numbers take as many
// bytes as they need (the largest of 32 bits, which often stands for none, takes one), events what differs from the event
// before.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/packing.hpp"
#include "checker/block_vector.hpp"
#include "checker/models/model.hpp"
#include "checker/models/seen_call.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {

namespace state_of_event {
enum Flag : std::uint8_t { same_process = 1, same_function = 2, has_token = 4, has_value = 8, has_hold = 16 };
inline constexpr unsigned kTypeAt = 5;
}  // namespace state_of_event

class StateWriter {
 public:
  static constexpr bool kReads = false;

  explicit StateWriter(std::string& to) : to_(to) {}  // appends to the text

  template <typename... T>
  void operator()(const T&... fields) {
    (put(fields), ...);
  }
  void finish() { to_.finish(); }  // appends the gathered bits

 private:
  template <typename T>
  void put(const T& value) {
    if constexpr (requires { T::state(*this, value); }) {
      T::state(*this, value);
    } else if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (sizeof(T) == 1) {
      to_.byte(static_cast<std::uint8_t>(value));
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      to_.number(static_cast<std::uint32_t>(value + 1));
    } else if constexpr (std::unsigned_integral<T>) {
      to_.number(value);
    } else if constexpr (std::signed_integral<T>) {
      to_.integer(value);
    } else {
      to_.number(value.size());
      for (const auto& element : value) put(element);
    }
  }
  void put(const std::string& text) { to_.text(text); }
  template <typename A, typename B>
  void put(const std::pair<A, B>& both) {
    (*this)(both.first, both.second);
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    to_.byte(value ? 1 : 0);
    if (value) put(*value);
  }
  template <typename T>
  void put(const std::unique_ptr<T>& value) {
    to_.byte(value ? 1 : 0);
    if (value) put(*value);
  }
  template <typename T>
  void put(const BlockVector<T>& elements) {
    to_.number(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) put(elements[i]);
  }
  template <typename Key, typename T>
  void put(const SparseMap<Key, T>& map) {
    to_.number(map.size());
    map.for_each([&](const Key& key, const T& value) { (*this)(key, value); });
  }
  void put(const WitnessHold& h) { (*this)(h.acquire, h.acquired, h.release, h.release_ended); }
  void put(const SeenCall& call) {
    (*this)(static_cast<std::uint8_t>(call.role()), call.invoke(kNoName), call.end(kNoName));
  }
  void put(const OperationEvent& e) {
    using namespace state_of_event;
    to_.byte(static_cast<std::uint8_t>((e.process == last_.process ? same_process : 0) |
                                       (e.f == last_.f ? same_function : 0) | (e.token != kNoToken ? has_token : 0) |
                                       (e.value.is_nil() ? 0 : has_value) | (e.hold != kNoHold ? has_hold : 0) |
                                       static_cast<unsigned>(e.type) << kTypeAt));
    to_.integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(e.time) - static_cast<std::uint64_t>(last_.time)));
    to_.integer(std::int64_t{e.index} - last_.index);
    if (e.process != last_.process) to_.integer(e.process);
    if (e.f != last_.f) to_.byte(e.f);
    if (e.token != kNoToken) to_.integer(e.token);
    if (!e.value.is_nil()) to_.number(e.value.bits());
    if (e.hold != kNoHold) to_.number(e.hold);
    last_ = e;
  }

  Packer to_;
  OperationEvent last_;
};

class StateReader {
 public:
  static constexpr bool kReads = true;

  // Reads the bytes that a writer wrote for this lock.
  StateReader(std::string_view from, NameId lock) : from_(from), lock_(lock) {}

  template <typename... T>
  void operator()(T&... fields) {
    (take(fields), ...);
  }
  [[nodiscard]] bool finished() const { return from_.finished(); }

 private:
  template <typename T>
  T taken() {
    T value{};
    take(value);
    return value;
  }

  template <typename T>
  void take(T& value) {
    if constexpr (requires { T::state(*this, value); }) {
      T::state(*this, value);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(taken<std::underlying_type_t<T>>());
    } else if constexpr (sizeof(T) == 1) {
      value = static_cast<T>(from_.byte());
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      value = static_cast<std::uint32_t>(from_.number()) - 1;
    } else if constexpr (std::unsigned_integral<T>) {
      value = static_cast<T>(from_.number());
    } else if constexpr (std::signed_integral<T>) {
      value = static_cast<T>(from_.integer());
    } else {
      take_elements(value);
    }
  }
  template <typename Container>
  void take_elements(Container& elements) {
    for (std::uint64_t n = from_.number(); n > 0; --n) {
      if constexpr (requires { typename Container::mapped_type; }) {
        auto key = taken<typename Container::key_type>();
        elements.emplace_hint(elements.end(), std::move(key), taken<typename Container::mapped_type>());
      } else {
        elements.insert(elements.end(), taken<typename Container::value_type>());
      }
    }
  }
  void take(std::string& text) { text = from_.text(); }
  template <typename A, typename B>
  void take(std::pair<A, B>& both) {
    (*this)(both.first, both.second);
  }
  template <typename T>
  void take(std::optional<T>& value) {
    if (from_.byte() != 0) value = taken<T>();
  }
  template <typename T>
  void take(std::unique_ptr<T>& value) {
    if (from_.byte() == 0) return;
    value = std::make_unique<T>();
    take(*value);
  }
  template <typename T>
  void take(BlockVector<T>& elements) {
    for (std::uint64_t n = from_.number(); n > 0; --n) take(elements.push_back({}));
  }
  template <typename Key, typename T>
  void take(SparseMap<Key, T>& map) {
    for (std::uint64_t n = from_.number(); n > 0; --n) {
      const Key key = taken<Key>();
      take(map[key]);
    }
  }
  void take(WitnessHold& h) { (*this)(h.acquire, h.acquired, h.release, h.release_ended); }
  void take(SeenCall& call) {
    const std::uint8_t role = from_.byte();
    const auto invoke = taken<OperationEvent>();
    call = SeenCall(invoke, taken<OperationEvent>(), role);
  }
  void take(OperationEvent& e) {
    using namespace state_of_event;
    const std::uint8_t flags = from_.byte();
    e.object = lock_;
    e.type = static_cast<OperationType>(flags >> kTypeAt & 3U);
    e.time =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(last_.time) + static_cast<std::uint64_t>(from_.integer()));
    e.index = static_cast<std::uint32_t>(last_.index + from_.integer());
    e.process = (flags & same_process) != 0 ? last_.process : from_.small();
    e.f = (flags & same_function) != 0 ? last_.f : from_.byte();
    if ((flags & has_token) != 0) e.token = from_.integer();
    if ((flags & has_value) != 0) e.value = value_of(from_.number());
    if ((flags & has_hold) != 0) e.hold = static_cast<HoldId>(from_.number());
    last_ = e;
  }
  static Value value_of(std::uint64_t bits) {
    return (bits & 3U) == static_cast<std::uint64_t>(Value::Kind::text)
               ? Value::text(static_cast<std::uint32_t>(bits >> 2))
               : Value::integer(static_cast<std::int64_t>(bits) >> 2);
  }

  Unpacker from_;
  NameId lock_;
  OperationEvent last_;
};

}  // namespace picklock
