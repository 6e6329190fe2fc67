#include "bridge/program_process.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "bridge/program_pool.hpp"
#include "bridge/values.hpp"

namespace picklock {
ProgramProcess::ProgramProcess(const Host& host, const std::string& command, std::string_view service,
                               const LuaOptions& options, const LockContext& context)
    : host_(host),
      command_(command),
      servers_(servers_of(service, host, context.reach)),
      failure_(context.failure),
      news_(host, "something for the program") {
  try {
    program_ = take_program(command_, servers_->known());
    program_->begin_run();
    program_->play(host, news_);
    begin_errand(0, "").asked = false;
    Chunk begin;
    begin.cause = errands_.front().get();
    begin.line = {{"id", 0},
                  {"op", "run"},
                  {"seed", host.random(Purpose::lock_value) >> 12},
                  {"options", json_of(options.as_table())}};
    servers_->tell(program_->servers(), begin.line);
    give(std::move(begin));
  } catch (const std::runtime_error& error) {
    fail(error.what());
    program_ = nullptr;
  }
  host_.spawn("program", live());
}

ProgramProcess::~ProgramProcess() {
  if (program_ != nullptr) give_back(std::move(program_));
}

void ProgramProcess::give(Chunk chunk) {
  inbox_.push_back(std::move(chunk));
  news_.notify();
}

MonoTime ProgramProcess::monotonic_of(std::int64_t wall_of_program_ns) const {
  const std::int64_t wall = program_ == nullptr ? wall_of_program_ns : program_->wall_of_machine(wall_of_program_ns);
  return MonoTime{host_.monotonic_now().ns + (wall - host_.wall_now().ns)};
}

void ProgramProcess::fail(const std::string& why) {
  if (failure_ != nullptr && failure_->empty()) *failure_ = why;
}

Errand& ProgramProcess::begin_errand(std::int64_t hold, std::string lock) {
  errands_.push_back(std::make_unique<Errand>(host_, hold, std::move(lock)));
  spawn_task_of(*errands_.back());
  return *errands_.back();
}

// Tasks of one name and one operation would share their draws: each has a name of its own.
void ProgramProcess::spawn_task_of(Errand& errand) {
  ++errand.tasks;
  host_.spawn(errand.tasks == 1 ? "request" : fmt::format("request {}", errand.tasks), serve(&errand));
}

Task<ProgramProcess::Json> ProgramProcess::call(std::int64_t hold, std::string lock, Json request) {
  const std::int64_t id = ++asked_;
  request["id"] = id;
  request["hold"] = hold;
  Errand& errand = begin_errand(hold, std::move(lock));
  calls_[id] = &errand;
  Chunk chunk;
  chunk.cause = &errand;
  chunk.line = std::move(request);
  give(std::move(chunk));
  co_await errand.over.wait();
  co_return errand.answer;
}

void ProgramProcess::granted(std::int64_t hold, const std::string& value) {
  for (auto& errand : errands_) {
    if (errand->hold == hold) errand->held = true, errand->value = value;
  }
}
void ProgramProcess::given_back(std::int64_t hold) {
  for (auto& errand : errands_) {
    if (errand->hold == hold) errand->held = false;
  }
}

// There is always one task that waits, to take the next request while the others wait for their answers.
Task<void> ProgramProcess::serve(Errand* errand) {
  while (true) {
    ++errand->idle_tasks;
    while (errand->jobs.empty()) co_await errand->news.wait();
    Errand::Job job = std::move(errand->jobs.front());
    errand->jobs.pop_front();
    if (--errand->idle_tasks == 0) spawn_task_of(*errand);
    co_await ask(errand, std::move(job));
  }
}

namespace {

Task<bool> wait_for(Host, Event& event) {
  co_await event.wait();
  co_return true;
}

}  // namespace

Task<void> ProgramProcess::live() {
  if (program_ == nullptr) co_await host_.panic("the program did not start");
  while (true) {
    if (inbox_.empty()) {
      const std::optional<std::int64_t> due = program_->next_deadline();
      if (!due) {
        co_await news_.wait();
      } else if (*due > host_.monotonic_now().ns) {
        const Duration left{*due - host_.monotonic_now().ns};
        auto waiting = with_timeout(host_, wait_for(host_, news_), left);
        const std::optional<bool> came = co_await waiting;
        (void)came;
      }
    }
    look_at_connections();
    const bool failed = !take_turn();
    if (failed) co_await host_.panic("the program failed");
    co_await host_.sleep(Duration{});  // its requests leave now, in their order
  }
}

bool ProgramProcess::take_turn() {
  if (!program_->runs_freely()) cause_ = nullptr;  // else it may still be at work for the last one
  if (!inbox_.empty()) {
    const Chunk chunk = std::move(inbox_.front());
    inbox_.pop_front();
    cause_ = chunk.cause;
    if (!chunk.line.is_null()) program_->give_line(chunk.line);
    if (!chunk.bytes.empty()) program_->give_bytes(chunk.socket, chunk.bytes);
    if (chunk.change == Chunk::Connection::opened) program_->open(chunk.socket);
    if (chunk.change == Chunk::Connection::refused) program_->refuse(chunk.socket);
    if (chunk.change == Chunk::Connection::ended) program_->close(chunk.socket);
  }
  try {
    hear(program_->take_turn(host_.monotonic_now().ns, host_.wall_now().ns));
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return failure_ == nullptr || failure_->empty();
}

void ProgramProcess::hear(const ProgramHost::Turn& turn) {
  for (const Json& line : turn.lines) hear(line);
  for (const ProgramHost::Turn::Wish& wish : turn.wishes) hear(wish);
  for (const ProgramHost::Turn::Bytes& bytes : turn.bytes) hear(bytes);
}

void ProgramProcess::hear(const Json& line) {
  if (line.contains("log")) return;  // a line that people read
  if (line.contains("lost")) {
    const auto found =
        line["lost"].is_number_integer() ? losses_.find(line["lost"].get<std::int64_t>()) : losses_.end();
    if (found == losses_.end())
      return fail(fmt::format("{}: it lost hold {}, which it never had", command_, line["lost"].dump()));
    if (found->second != nullptr) found->second->set();
    return;
  }
  const Json id = line.value("id", Json());
  if (id == 0) return;  // the answer to the run's beginning
  const auto found = id.is_number_integer() ? calls_.find(id.get<std::int64_t>()) : calls_.end();
  if (found == calls_.end())
    return fail(fmt::format("{}: found the answer {}, which answers no open call", command_, line.dump()));
  Errand& errand = *found->second;
  calls_.erase(found);
  errand.asked = false;
  errand.answer = line;
  errand.over.set();
}

void ProgramProcess::hear(const ProgramHost::Turn::Wish& wish) {
  if (wish.dropped) return forget(wish.socket);
  Connection& connection = connections_[wish.socket];
  connection.wire = servers_->connection_to(wish.server);
  connection.last = cause_;
  Errand& errand = *served_by({}, cause_, errands_);
  Errand::Job job;
  job.socket = wish.socket;
  job.opens = true;
  give_job(errand, std::move(job));
}

void ProgramProcess::hear(const ProgramHost::Turn::Bytes& bytes) {
  const auto found = connections_.find(bytes.socket);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  connection.wire->feed(bytes.bytes);
  while (auto request = connection.wire->next()) {
    Errand& errand = *served_by(*request, cause_, errands_);
    if (&errand == cause_ && errand.asked) remember_words(*request, errand);
    connection.last = &errand;
    Errand::Job job;
    job.socket = bytes.socket;
    job.request = std::move(*request);
    give_job(errand, std::move(job));
  }
  give_answers(bytes.socket);
  if (is_in_use(bytes.socket) && bytes.ended) forget(bytes.socket);
}

void ProgramProcess::give_job(Errand& errand, Errand::Job job) {
  errand.jobs.push_back(std::move(job));
  errand.news.notify();
}

Task<void> ProgramProcess::ask(Errand* errand, Errand::Job job) {
  if (!is_in_use(job.socket)) co_return;
  Connection& connection = connections_.at(job.socket);
  if (job.opens) {
    connection.wire->open(news_);
    connection.begun = true;
    co_return;
  }
  if (!connection.open) co_return;
  auto asking = connection.wire->ask(std::move(job.request), errand);
  co_await asking;
  if (is_in_use(job.socket)) give_answers(job.socket);
}

void ProgramProcess::give_answers(std::uint32_t socket) {
  Connection& connection = connections_.at(socket);
  while (auto piece = connection.wire->take()) {
    Chunk chunk;
    chunk.socket = socket;
    chunk.bytes = std::move(piece->bytes);
    chunk.cause = piece->errand != nullptr ? piece->errand : connection.last;
    give(std::move(chunk));
  }
  if (connection.wire->over()) end(socket);
}

void ProgramProcess::end(std::uint32_t socket) {
  Chunk end;
  end.socket = socket;
  end.change = Chunk::Connection::ended;
  give(std::move(end));
  forget(socket);
}

// Takes what servers sent unasked, and tells the program which connections have opened or ended.
void ProgramProcess::look_at_connections() {
  for (auto at = connections_.begin(); at != connections_.end();) {
    const std::uint32_t socket = at->first;
    Connection& connection = at++->second;
    if (!connection.begun) continue;
    give_answers(socket);
    if (!is_in_use(socket)) continue;
    const auto state = connection.wire->state();
    Chunk chunk;
    chunk.socket = socket;
    chunk.cause = connection.last;
    using State = ProgramConnection::State;
    if (state == State::opening || (state == State::open && connection.open)) continue;
    if (state == State::open) {
      connection.open = true;
      chunk.change = Chunk::Connection::opened;
    } else {
      chunk.change = connection.open ? Chunk::Connection::ended : Chunk::Connection::refused;
      forget(socket);
    }
    inbox_.push_back(std::move(chunk));
  }
}

void ProgramProcess::forget(std::uint32_t socket) {
  const auto found = connections_.find(socket);
  if (found == connections_.end()) return;
  found->second.wire->close();
  forgotten_.push_back(std::move(found->second.wire));
  connections_.erase(found);
}

}  // namespace picklock
