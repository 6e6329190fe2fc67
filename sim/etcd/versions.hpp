// Versions of keys, as etcd's stores keep them: values that never change, shared by all that hold them.
//
// The members of a cluster make the same versions, one shortly after the other, and share the last few.  They are
// compared, so it does not matter which member makes one first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.hpp"
#include "sim/task/etcd_values.hpp"

namespace picklock {

// "door/7" lies in "door", and so does "door/"; "door" is a directory of its own.
constexpr std::string_view etcd_directory(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? key : key.substr(0, slash);
}

// Names of a key in records: hash_of(key) and hash_of(etcd_directory(key)).
struct EtcdKeyName {
  std::uint64_t key = 0, directory = 0;
  bool in_directory = false;  // false: it has no '/'
};
inline EtcdKeyName etcd_name_of(std::string_view key) {
  const std::string_view directory = etcd_directory(key);
  return {remembered_hash_of(key), remembered_hash_of(directory), directory.size() != key.size()};
}

struct EtcdVersion {
  // The parts of one that may exist already.
  struct Parts {
    std::string_view key = {}, value = {};
    EtcdRevision create_revision = 0, mod_revision = 0;
    std::int64_t version = 0;
    EtcdLeaseId lease = 0;
    const EtcdKeyName* name = nullptr;  // null if it is not known

    bool are_of(const EtcdKeyValue& it) const {
      return mod_revision == it.mod_revision && create_revision == it.create_revision && version == it.version &&
             lease == it.lease && key == it.key && value == it.value;
    }
  };
  explicit EtcdVersion(const Parts& p)
      : kv{std::string(p.key), std::string(p.value), p.create_revision, p.mod_revision, p.version, p.lease},
        name(p.name != nullptr ? *p.name : etcd_name_of(p.key)) {}
  explicit EtcdVersion(EtcdKeyValue it) : kv(std::move(it)), name(etcd_name_of(kv.key)) {}

  EtcdKeyValue kv;
  EtcdKeyName name;
};

class EtcdVersions {
 public:
  using Shared = std::shared_ptr<const EtcdVersion>;

  Shared share(const EtcdVersion::Parts& parts) {
    Shared& known = known_[static_cast<std::uint64_t>(parts.mod_revision) % known_.size()];
    if (known == nullptr || !parts.are_of(known->kv)) known = std::make_shared<const EtcdVersion>(parts);
    return known;
  }

 private:
  std::array<Shared, 16> known_;
};

}  // namespace picklock
