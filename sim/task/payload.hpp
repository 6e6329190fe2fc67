// The payload of a message: a value of its service, or a text, in a world's arena.
//
//   Payload asked = Payload::of(arena, EtcdPing{});      // moved from sender to receiver as it is
//   if (auto* const ping = asked.get<EtcdPing>()) …      // null: a text, or a value of another type
//   Payload text(arena, "PING");
//   text.view()                                          // empty: a value
//   asked.bytes()                                        // bytes for digests and pictures, made on demand
//
// A type of values has a function `void encode(const T&, std::string& to)` beside it, which appends its bytes.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/hash.hpp"
#include "base/small_bytes.hpp"
#include "sim/task/arena.hpp"

namespace picklock {

class Payload {
 public:
  Payload() = default;
  Payload(Arena& arena, std::string_view text) : Payload(arena, text.size()) {
    if (!text.empty()) copy_short(data_, text.data(), text.size());
  }
  // A text of unspecified content, for the caller to fill.
  Payload(Arena& arena, std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<char*>(arena.allocate(size))),
        size_(static_cast<std::uint32_t>(size)) {}
  template <class T>
  static Payload of(Arena& arena, T&& value) {
    return make<std::remove_cvref_t<T>>(arena, std::forward<T>(value));
  }
  // Makes the value in place, from these arguments.
  template <class T, class... Args>
  static Payload make(Arena& arena, Args&&... args) {
    static_assert(alignof(T) <= alignof(Box));
    Payload payload(arena, sizeof(Boxed<T>));
    new (payload.data_) Boxed<T>(std::forward<Args>(args)...);
    payload.is_value_ = true;
    return payload;
  }

  Payload(Payload&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), is_value_(other.is_value_) {}
  Payload& operator=(Payload&& other) noexcept {  // the other gets the old content, which is mostly empty
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(is_value_, other.is_value_);
    return *this;
  }
  [[gnu::always_inline]] ~Payload() { reset(); }

  [[gnu::always_inline]] void reset() noexcept {
    if (data_ != nullptr) {
      if (is_value_) type().destroy(data_);
      Arena::release(std::exchange(data_, nullptr), size_);
    }
    size_ = 0;
  }
  Payload copy(Arena& arena) const {
    if (data_ == nullptr || !is_value_) return Payload(arena, view());
    return type().copy(data_, arena);
  }
  bool empty() const { return data_ == nullptr; }

  // Null if it has another type, or is a text.
  template <class T>
  T* get() {
    if (data_ == nullptr || !is_value_) return nullptr;
    return type().tag == &kTag<T> ? reinterpret_cast<T*>(data_ + sizeof(Box)) : nullptr;
  }
  template <class T>
  const T* get() const {
    return const_cast<Payload*>(this)->get<T>();
  }

  // A text; empty: a value.
  std::string_view view() const { return is_value_ ? std::string_view() : std::string_view(data_, size_); }
  char* data() { return data_; }
  // Its bytes, for a digest, a picture or a file.
  std::string bytes() const {
    if (data_ == nullptr || !is_value_) return std::string(view());
    std::string to;
    type().encode(data_, to);
    return to;
  }
  std::uint64_t hash() const { return data_ == nullptr || !is_value_ ? hash_bytes(view()) : hash_bytes(bytes()); }

 private:
  template <class T>
  static constexpr char kTag = 0;  // its address stands for the type
  struct Type {
    const char* tag;
    void (*destroy)(void* boxed) noexcept;
    Payload (*copy)(const void* boxed, Arena& arena);
    void (*encode)(const void* boxed, std::string& to);
  };
  struct alignas(8) Box {
    const Type* type;
  };
  template <class T>
  struct Boxed : Box {
    template <class... Args>
    explicit Boxed(Args&&... args) : Box{&kType<T>}, value(std::forward<Args>(args)...) {}
    T value;

    static const T& in(const void* boxed) { return static_cast<const Boxed*>(boxed)->value; }
  };
  // Only the sender needs it; a receiver knows the tag.
  template <class T>
  static constexpr Type kType = {
      &kTag<T>, [](void* boxed) noexcept { static_cast<Boxed<T>*>(boxed)->~Boxed<T>(); },
      [](const void* boxed, Arena& arena) { return Payload::of(arena, Boxed<T>::in(boxed)); },
      [](const void* boxed, std::string& to) { encode(Boxed<T>::in(boxed), to); }};
  const Type& type() const { return **reinterpret_cast<const Type* const*>(data_); }

  char* data_ = nullptr;
  std::uint32_t size_ = 0;  // size of the text, or of the value in its box
  bool is_value_ = false;
};

}  // namespace picklock
