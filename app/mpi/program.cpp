// The command as a program of MPI: mpirun picklock-mpi sweep …, one rank a machine or more.
//
// Rank 0 does what the command says; for a sweep it hands out chunks to the others (campaigns/ranks/lead.hpp). Any other command is
// rank 0's alone. Open MPI ends a job when a rank is killed, unless it was started with --enable-recovery; then the other
// ranks go on, and no rank may wait in MPI_Finalize for a dead one.

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "app/main.hpp"
#include "campaigns/ranks/messages.hpp"
#include "campaigns/ranks/ranks.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLastPatience{5};  // patience with ranks that do not end

// Tags of messages: a sweep's, and those with which all ranks come to their end.
enum Tag { kWork = 1, kEnded, kFinalize, kExit };

class MpiRanks : public picklock::Ranks {
 public:
  MpiRanks(int* argc, char*** argv) {
    int provided = 0, rank = 0, size = 1;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  void send(std::size_t to, const std::string& message) override { send(to, kWork, message); }
  void send(std::size_t to, Tag tag, const std::string& message = {}) {
    Sending& one = sending_.emplace_back(Sending{message, MPI_REQUEST_NULL});
    MPI_Isend(one.text.data(), static_cast<int>(one.text.size()), MPI_BYTE, static_cast<int>(to), tag, MPI_COMM_WORLD,
              &one.request);
    forget_sent();
  }

  std::optional<Received> receive() override { return receive(kWork); }
  std::optional<Received> receive(Tag tag) {
    forget_sent();
    int found = 0, bytes = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
    if (found == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    Received received{static_cast<std::size_t>(status.MPI_SOURCE), std::string(static_cast<std::size_t>(bytes), '\0')};
    MPI_Recv(received.message.data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return received;
  }

 private:
  // A message must stay where it is until MPI has taken it.
  struct Sending {
    std::string text;
    MPI_Request request;
  };
  void forget_sent() {
    for (auto one = sending_.begin(); one != sending_.end();) {
      int done = 0;
      MPI_Test(&one->request, &done, MPI_STATUS_IGNORE);
      one = done != 0 ? sending_.erase(one) : std::next(one);
    }
  }

  std::size_t rank_ = 0, size_ = 1;
  std::list<Sending> sending_;
};

// Whether all ranks are there to end together.
bool leader_sees_all_end(MpiRanks& ranks) {
  using picklock::RankMessage;
  const std::string stop = packed(RankMessage{.kind = RankMessage::Kind::stop, .wanted = 0, .played = {}});
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, stop);
  std::size_t ended = 1;
  for (Clock::time_point last = Clock::now(); ended < ranks.size() && Clock::now() - last < kLastPatience;) {
    while (ranks.receive()) continue;
    if (!ranks.receive(kEnded)) {
      std::this_thread::sleep_for(picklock::kBetweenLooks);
      continue;
    }
    ++ended;
    last = Clock::now();
  }
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, ended == ranks.size() ? kFinalize : kExit);
  return ended == ranks.size();
}

bool follower_is_told_that_all_end(MpiRanks& ranks) {
  ranks.send(0, kEnded);
  for (const Clock::time_point begin = Clock::now(); Clock::now() - begin < 10 * kLastPatience;) {
    while (ranks.receive()) continue;
    if (ranks.receive(kFinalize)) return true;
    if (ranks.receive(kExit)) return false;
    std::this_thread::sleep_for(picklock::kBetweenLooks);
  }
  return false;
}

// mpirun --enable-recovery ends with status 0 in any case, so that a script needs another way to learn rank 0's.
void leave_status(int status) {
  const char* const path = std::getenv("PICKLOCK_STATUS_FILE");
  if (path == nullptr) return;
  if (std::FILE* const file = std::fopen(path, "w")) {
    std::fprintf(file, "%d\n", status);
    std::fclose(file);
  }
}

// Rank 0 speaks for all: the others read the same command, and would say the same of it.
void fall_silent() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

}  // namespace

int main(int argc, char** argv) {
  MpiRanks ranks(&argc, &argv);
  if (ranks.size() > 1) picklock::set_ranks_of_this_process(&ranks);
  const bool leads = ranks.rank() == 0, shares = argc > 1 && std::string(argv[1]) == "sweep";
  if (!leads) fall_silent();
  const int status = leads || shares ? picklock::main(argc, argv) : 0;
  std::fflush(stdout);
  if (leads) leave_status(status);
  if (leads ? leader_sees_all_end(ranks) : follower_is_told_that_all_end(ranks)) {
    MPI_Finalize();
    return leads ? status : 0;
  }
  ::_exit(leads ? status : 0);
}
