// One errand of a program: its work on behalf of one call, and what it sends meanwhile.
//
// Requests of a program are sent by tasks that the call has spawned: so they belong to the operation of that call, for the names
// of draws, for triggers, and for the judge of grants.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "bridge/program_servers.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {

struct Errand {
  struct Job {  // a request or a connection, done by one of its tasks
    std::uint32_t socket = 0;
    bool opens = false;  // the connection, instead of sending a request
    ProgramRequest request;
  };
  Errand(const Host& host, std::int64_t of_hold, std::string of_lock)
      : hold(of_hold),
        lock(std::move(of_lock)),
        over(host, "an answer of the program"),
        news(host, "a request of the program") {}

  std::int64_t hold;  // 0: none
  std::string lock;   // its name
  std::string value;  // the service's name of the hold, once it is told
  std::set<std::string>
      words;          // words of its requests: among them those that it chose, such as its value before that is told
  bool asked = true;  // its answer has not come
  bool held = false;  // its hold has been granted, and is not given back
  nlohmann::json answer;
  Event over, news;
  std::deque<Job> jobs;
  std::size_t idle_tasks = 0, tasks = 0;
};

// Remembers the words of a request that certainly is this errand's.
void remember_words(const ProgramRequest& request, Errand& errand);

// Which of several errands a request serves, as far as that shows. A program may work on several at once: with threads, with a
// renewal beside a wait, or with requests that wait until its connection is ready. `cause`: what its turn was about, which counts
// while it is at work; null: a timer, which may be any errand's.
Errand* served_by(const ProgramRequest& request, Errand* cause, const std::deque<std::unique_ptr<Errand>>& errands);

}  // namespace picklock
