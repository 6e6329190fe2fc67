// RedisConfig keeps the options of a server: as the run began, as its configuration file says them now, and as it runs.
#pragma once

#include <optional>
#include <string_view>

#include "sim/core/network.hpp"
#include "sim/redis/call.hpp"
#include "sim/redis/options.hpp"

namespace picklock {

// Mistakes that a server could make, for tests that must notice them.
struct RedisFlaws {
  bool acks_before_applying = false;  // the next cron of replication applies
  bool keeps_data_on_resync = false;  // a snapshot is added to what is there
  bool relative_expiry = false;       // deadlines travel as time left, as before 7.0
  bool operator==(const RedisFlaws&) const = default;
};

class RedisConfig {
 public:
  struct File {
    RedisOptions options;
    NodeId master = 0;           // 0: the server is a master
    bool link_in_place = false;  // its first synchronization does not wait for repl-diskless-sync-delay
  };

  explicit RedisConfig(const RedisOptions& options) : given_{options, 0, false}, file_(given_) {}

  // Sets the file's options at the begin; call it before a run.
  void give(const RedisOptions& options) { given_.options = file_.options = options; }
  void give_master(NodeId master, bool in_place) {
    given_.master = file_.master = master;
    given_.link_in_place = file_.link_in_place = in_place;
  }
  void give_flaws(const RedisFlaws& flaws) { flaws_ = flaws; }

  void begin_run() { file_ = given_; }
  void boot() { running_ = file_.options; }  // reads the file

  const File& file() const { return file_; }
  const RedisOptions& options() const { return running_; }
  const RedisFlaws& flaws() const { return flaws_; }

  void rewrite(NodeId master) { file_ = {running_, master, false}; }  // CONFIG REWRITE
  void store_master(NodeId master) {
    file_.master = master;
    file_.link_in_place = false;
  }

  RedisReply get(std::string_view pattern) const;        // CONFIG GET
  std::optional<RedisReply> set(const RedisCall& call);  // CONFIG SET: the error, and then nothing has changed

 private:
  File given_, file_;
  RedisOptions running_;
  RedisFlaws flaws_;
};

}  // namespace picklock
