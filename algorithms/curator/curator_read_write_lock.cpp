#include "algorithms/curator/curator_read_write_lock.hpp"

#include <map>
#include <utility>

namespace picklock {
namespace {

// Equally long: the sorting depends on it.
constexpr std::string_view kRead = "__READ__", kWrite = "__WRIT__";
constexpr std::size_t kDigits = 10;

// The write locks of a process: a reader asks whether its own thread holds one.
struct CuratorWriters {
  std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<CuratorLockData>> of;
};

}  // namespace

void CuratorReadWriteOptions::fields(FieldVisitor& v) {
  mutex.fields(v);
  v.field({.name = "downgrade", .help = "place of a writer's read node in the queue"}, downgrade);
}

CuratorReadWriteLock::CuratorReadWriteLock(const LockContext& context, const CuratorReadWriteOptions& options)
    : CuratorMutex(context, options.mutex), reads_(context.sharing == Sharing::shared), downgrade_(options.downgrade) {
  auto& writer = context.process->get<CuratorWriters>().of[{path(), context.thread}];
  if (!writer) writer = std::make_shared<CuratorLockData>();
  writer_ = writer;
  if (!reads_) data_ = writer_;
}

std::string_view CuratorReadWriteLock::lock_name() const { return reads_ ? kRead : kWrite; }

Task<CuratorCreated> CuratorReadWriteLock::create() {
  if (!reads_ || writer_->count == 0 || downgrade_ == CuratorDowngrade::own_number) return CuratorMutex::create();
  const std::string number = writer_->path.substr(writer_->path.size() - kDigits);
  return client().create_protected(path(), std::string(kRead) + number, ZooMode::ephemeral, &creating_);
}

CuratorMutex::Place CuratorReadWriteLock::place(const std::vector<std::string>& sorted, const std::string& mine) const {
  if (!reads_) return CuratorMutex::place(sorted, mine);
  if (writer_->count > 0) return {true, true, {}};
  const std::string* first_writer = nullptr;
  for (const std::string& child : sorted) {
    if (child.find(kWrite) != std::string::npos) {
      if (first_writer == nullptr) first_writer = &child;
    } else if (child.starts_with(mine)) {
      if (first_writer == nullptr) return {true, true, {}};
      return {true, false, *first_writer};
    }
  }
  return {};
}

std::string CuratorReadWriteLock::sort_key(const std::string& child) const {
  std::string key = child;
  for (const std::string_view name : {kRead, kWrite}) {
    const std::size_t at = key.rfind(name);
    if (at != std::string::npos) key = key.substr(at + name.size());
  }
  return key;
}

}  // namespace picklock
