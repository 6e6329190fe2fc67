// The services that a lock can reach: at most one object of each type.
//
//   reach.put<Client>(client);            // the client of a service, by the side that has it
//   auto& client = reach.get<Client>();   // a lock of that service calls this
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "base/check.hpp"

namespace picklock {

class Reach {
 public:
  // `object` must outlive all copies.
  template <class T>
  void put(std::type_identity_t<T>& object) {
    PICKLOCK_CHECK(find<T>() == nullptr && size_ < entries_.size());
    entries_[size_++] = {&kTag<T>, &object};
  }
  // Null if nothing of this type was put here.
  template <class T>
  T* find() const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (entries_[i].type == &kTag<T>) return static_cast<T*>(entries_[i].object);
    }
    return nullptr;
  }
  template <class T>
  T& get() const {
    T* const found = find<T>();
    PICKLOCK_CHECK(found != nullptr);
    return *found;
  }

 private:
  struct Entry {
    const void* type;
    void* object;
  };
  template <class T>
  static constexpr char kTag = 0;
  std::array<Entry, 4> entries_ = {};
  std::size_t size_ = 0;
};

}  // namespace picklock
