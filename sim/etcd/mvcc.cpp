#include "sim/etcd/mvcc.hpp"

#include <algorithm>
#include <tuple>

#include "base/check.hpp"

namespace picklock {
namespace {

constexpr std::size_t kUsualChanges = 64;

bool agrees(EtcdRelation relation, auto order) {
  switch (relation) {
    case EtcdRelation::equal:
      return order == 0;
    case EtcdRelation::greater:
      return order > 0;
    case EtcdRelation::less:
      return order < 0;
    case EtcdRelation::not_equal:
      return order != 0;
  }
  return false;
}

bool agrees(const EtcdCompare& c, const EtcdKeyValue& kv) {
  switch (c.target) {
    case EtcdTarget::version:
      return agrees(c.relation, kv.version <=> c.number);
    case EtcdTarget::create:
      return agrees(c.relation, kv.create_revision <=> c.number);
    case EtcdTarget::mod:
      return agrees(c.relation, kv.mod_revision <=> c.number);
    case EtcdTarget::lease:
      return agrees(c.relation, kv.lease <=> c.number);
    case EtcdTarget::value:
      return agrees(c.relation, kv.value <=> c.value);
  }
  return false;
}

bool passes(const EtcdRange& r, const EtcdKeyValue& kv) {
  const auto within = [](EtcdRevision x, EtcdRevision least, EtcdRevision most) {
    return (least == 0 || x >= least) && (most == 0 || x <= most);
  };
  return within(kv.create_revision, r.min_create, r.max_create) && within(kv.mod_revision, r.min_mod, r.max_mod);
}

bool before(EtcdSort sort, const EtcdKeyValue& a, const EtcdKeyValue& b) {
  switch (sort) {
    case EtcdSort::key:
      return a.key < b.key;
    case EtcdSort::version:
      return a.version < b.version;
    case EtcdSort::create:
      return a.create_revision < b.create_revision;
    case EtcdSort::mod:
      return a.mod_revision < b.mod_revision;
    case EtcdSort::value:
      return a.value < b.value;
  }
  return false;
}

EtcdRevision revision_of(const EtcdChange& c) { return c.revision(); }
bool is_older(EtcdRevision r, const EtcdChange::Shared& kv) { return r < kv->kv.mod_revision; }

}  // namespace

const EtcdKeyValue* EtcdMvcc::at(const Versions& versions, EtcdRevision revision) {
  auto it = versions.end();
  if (versions.back()->kv.mod_revision > revision) it = std::upper_bound(versions.begin(), it, revision, is_older);
  return it == versions.begin() || (*--it)->kv.version == 0 ? nullptr : &(*it)->kv;
}

template <class Keys, class F>
void EtcdMvcc::each_place(Keys& all, const EtcdInterval& keys, F f) {
  if (keys.end.empty()) {
    if (const auto found = all.find(keys.key); found != all.end()) f(*found);
    return;
  }
  for (auto it = all.lower_bound(keys.key); it != all.end() && keys.ends_after(it->first); ++it) f(*it);
}

template <class F>
void EtcdMvcc::each_in(const EtcdInterval& keys, EtcdRevision revision, F f) const {
  each_place(keys_, keys, [&](const auto& place) {
    if (const EtcdKeyValue* const kv = at(place.second, revision)) f(*kv);
  });
}

std::size_t EtcdMvcc::keys() const {
  return static_cast<std::size_t>(
      std::count_if(keys_.begin(), keys_.end(), [](const auto& place) { return exists(place.second); }));
}

const EtcdKeyValue* EtcdMvcc::find(std::string_view key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() || !exists(found->second) ? nullptr : &found->second.back()->kv;
}

EtcdError EtcdMvcc::readable(EtcdRevision revision) const {
  if (revision <= 0) return EtcdError::none;
  if (revision > revision_) return EtcdError::future_revision;
  return revision < compacted_ ? EtcdError::compacted : EtcdError::none;
}

EtcdError EtcdMvcc::range(const EtcdRange& r, EtcdRangeReply& reply) const {
  if (const EtcdError e = readable(r.revision); e != EtcdError::none) return e;
  // Uncommitted changes bear the next revision.
  const EtcdRevision as_of = r.revision > 0 ? r.revision : revision_ + 1;
  const auto copy = [&](const EtcdKeyValue& kv) {
    EtcdKeyValue& copied = reply.kvs.emplace_back(kv);
    if (r.keys_only) copied.value.clear();
  };
  const auto comes_first = [&](const EtcdKeyValue* a, const EtcdKeyValue* b) {
    if (before(r.sort, *a, *b)) return !r.descending;
    if (before(r.sort, *b, *a)) return r.descending;
    return a->key < b->key;
  };
  const bool in_order = r.sort == EtcdSort::key && !r.descending;
  const auto most = r.limit > 0 ? static_cast<std::size_t>(r.limit) : SIZE_MAX;
  std::size_t passed = 0;
  const EtcdKeyValue* first = nullptr;
  std::vector<const EtcdKeyValue*> found;  // used only to sort, if more than one is wanted
  reply.count = 0;
  each_in(r.keys, as_of, [&](const EtcdKeyValue& kv) {
    ++reply.count;
    if (r.count_only || !passes(r, kv)) return;
    ++passed;
    if (in_order) {
      if (passed <= most) copy(kv);
    } else if (most > 1) {
      found.push_back(&kv);
    } else if (first == nullptr || comes_first(&kv, first)) {
      first = &kv;
    }
  });
  reply.more = passed > most;
  std::sort(found.begin(), found.end(), comes_first);
  if (found.size() > most) found.resize(most);
  if (first != nullptr) copy(*first);
  for (const EtcdKeyValue* kv : found) copy(*kv);
  return EtcdError::none;
}

// A key that does not exist has only zeros for numbers, and no value, not even the empty one.
bool EtcdMvcc::holds(const EtcdCompare& c) const {
  bool any = false, all = true;
  each_in(c.keys, revision_ + 1, [&](const EtcdKeyValue& kv) {
    any = true;
    all = all && agrees(c, kv);
  });
  if (any) return all;
  return c.target != EtcdTarget::value && agrees(c, EtcdKeyValue{});
}

std::span<const EtcdChange> EtcdMvcc::changes_since(EtcdRevision revision) const {
  const auto begin = changes_.begin(), end = begin + static_cast<std::ptrdiff_t>(committed_);
  const auto first =
      std::lower_bound(begin, end, revision, [](const EtcdChange& c, EtcdRevision r) { return revision_of(c) < r; });
  return {first, end};
}

const EtcdChange& EtcdMvcc::change(Versions& versions, EtcdVersion::Parts after) {
  if (!versions.empty()) after.name = &versions.back()->name;
  EtcdChange::Shared now = shared_ != nullptr ? shared_->share(after) : std::make_shared<const EtcdVersion>(after);
  EtcdChange::Shared before = !versions.empty() && exists(versions) ? versions.back() : nullptr;
  versions.push_back(now);
  if (changes_.capacity() == 0) changes_.reserve(kUsualChanges);
  return changes_.emplace_back(std::move(before), std::move(now));
}

const EtcdChange& EtcdMvcc::put(std::string_view key, std::string_view value, EtcdLeaseId lease) {
  auto found = keys_.find(key);
  if (found == keys_.end()) found = keys_.emplace(key, Versions()).first;
  Versions& versions = found->second;
  const EtcdRevision now = revision_ + 1;
  const EtcdKeyValue* const was = !versions.empty() && exists(versions) ? &versions.back()->kv : nullptr;
  return change(versions, {.key = key,
                           .value = value,
                           .create_revision = was != nullptr ? was->create_revision : now,
                           .mod_revision = now,
                           .version = was != nullptr ? was->version + 1 : 1,
                           .lease = lease});
}

std::span<const EtcdChange> EtcdMvcc::erase(const EtcdInterval& keys) {
  const std::size_t first = changes_.size();
  each_place(keys_, keys, [&](auto& place) {
    if (exists(place.second)) change(place.second, {.key = place.first, .mod_revision = revision_ + 1});
  });
  return std::span<const EtcdChange>(changes_).subspan(first);
}

std::span<const EtcdChange> EtcdMvcc::commit() {
  const auto done = std::span<const EtcdChange>(changes_).subspan(committed_);
  if (!done.empty()) ++revision_;
  for (const EtcdChange& c : done) {
    PICKLOCK_CHECK(c.revision() == revision_);
    PICKLOCK_CHECK(c.deleted() || c.after().version == c.before().version + 1);
  }
  committed_ = changes_.size();
  return done;
}

EtcdError EtcdMvcc::compact(EtcdRevision revision) {
  if (revision <= compacted_) return EtcdError::compacted;
  if (revision > revision_) return EtcdError::future_revision;
  compacted_ = revision;
  for (auto it = keys_.begin(); it != keys_.end();) {
    Versions& versions = it->second;
    auto keep = std::upper_bound(versions.begin(), versions.end(), revision, is_older);
    if (keep != versions.begin() && (*std::prev(keep))->kv.version != 0) --keep;  // the state at `revision` stays
    versions.erase(versions.begin(), keep);
    it = versions.empty() ? keys_.erase(it) : std::next(it);
  }
  const auto old = changes_since(revision).data() - changes_.data();
  changes_.erase(changes_.begin(), changes_.begin() + old);
  committed_ = changes_.size();
  return EtcdError::none;
}

// --- snapshots ---------------------------------------------------------------------------------------

namespace {

void save(Packer& to, const EtcdKeyValue& kv) {
  to.text(kv.key), to.text(kv.value);
  to.integer(kv.create_revision), to.integer(kv.mod_revision), to.integer(kv.version), to.integer(kv.lease);
}
EtcdChange::Shared load_one(Unpacker& from) {
  EtcdKeyValue kv;
  kv.key = from.text(), kv.value = from.text();
  kv.create_revision = from.integer(), kv.mod_revision = from.integer();
  kv.version = from.integer(), kv.lease = from.integer();
  return std::make_shared<const EtcdVersion>(std::move(kv));
}

}  // namespace

void EtcdMvcc::save(Packer& to) const {
  to.integer(revision_), to.integer(compacted_);
  to.number(keys_.size());
  for (const auto& [key, versions] : keys_) {
    to.number(versions.size());
    for (const EtcdChange::Shared& kv : versions) picklock::save(to, kv->kv);
  }
  to.number(committed_);
  for (std::size_t i = 0; i < committed_; ++i) {
    picklock::save(to, changes_[i].before()), picklock::save(to, changes_[i].after());
  }
}

bool EtcdMvcc::load(Unpacker& from) {
  *this = EtcdMvcc(shared_);
  revision_ = from.integer(), compacted_ = from.integer();
  for (std::uint64_t n = from.number(); n > 0 && from.good(); --n) {
    Versions versions;
    for (std::uint64_t v = from.number(); v > 0 && from.good(); --v) versions.push_back(load_one(from));
    if (versions.empty()) from.fail();
    if (!from.good()) break;
    std::string key = versions.front()->kv.key;
    keys_.emplace(std::move(key), std::move(versions));
  }
  for (std::uint64_t n = from.number(); n > 0 && from.good(); --n) {
    EtcdChange::Shared before = load_one(from);
    changes_.emplace_back(std::move(before), load_one(from));
  }
  committed_ = changes_.size();
  if (!from.good()) *this = EtcdMvcc(shared_);
  return from.good();
}

}  // namespace picklock
