#include "bridge/program_lock.hpp"

#include <algorithm>

#include "bridge/raised_errors.hpp"

namespace picklock {

ProgramLock::ProgramLock(const LockContext& context, const LuaLockOptions& options, const ProgramFile& file)
    : Lock(context.host),
      file_(file),
      loses_(options.file->loses),
      name_(context.name),
      thread_(context.thread),
      process_(
          &context.process->get<ProgramProcess>(context.host, file.command, file.service, options.values, context)),
      lost_(context.host, "loss of the lock") {}

bool ProgramLock::is_refusal(const Json& answer) const {
  if (answer.contains("no")) return true;
  Json classes = answer.value("is", Json::array());
  classes.push_back(answer.value("raise", Json()));
  const bool refused = std::any_of(classes.begin(), classes.end(), [&](const Json& name) {
    return std::find(file_.refused.begin(), file_.refused.end(), name) != file_.refused.end();
  });
  if (!refused) note_raised_error(file_.command, answer);
  return refused;
}

// A library tells a deadline by its wall clock, in milliseconds.
std::optional<MonoTime> ProgramLock::deadline_in(const Json& answer) const {
  const auto found = answer.find("deadline");
  if (found == answer.end() || !found->is_number()) return std::nullopt;
  return process_->monotonic_of(static_cast<std::int64_t>(found->get<double>() * 1e6));
}

Task<Acquired> ProgramLock::acquire(Patience patience) {
  lost_.clear();
  const std::int64_t number = process_->new_hold();
  process_->watch(number, &lost_);
  Json request = {{"op", "acquire"}, {"lock", name_}, {"thread", thread_}};
  const Duration left = patience.remaining();
  request["patience"] = left == kForever ? Json(nullptr) : Json(left.ns / 1'000'000);
  Task<Json> task = process_->call(number, name_, std::move(request));
  const Json answer = co_await task;
  if (!answer.contains("ok")) {
    co_return is_refusal(answer) ? Acquired::refusal() : Acquired::unknown_because(Why::timed_out);
  }
  const Json& ok = answer["ok"];
  current_ = Hold(ok.is_object() && ok.value("value", Json()).is_string() ? ok["value"].get<std::string>()
                                                                          : "hold " + std::to_string(number));
  if (ok.is_object() && ok.value("token", Json()).is_number_integer()) current_.token = ok["token"].get<std::int64_t>();
  current_.deadline = ok.is_object() ? deadline_in(ok) : std::nullopt;
  current_number_ = number;
  process_->granted(number, ok.value("value", ""));
  if (current_.deadline) host_.announce_deadline(DeadlineKind::lease, *current_.deadline);
  co_return Acquired::of(current_);
}

Task<Outcome<>> ProgramLock::release(Hold) {
  Json request = {{"op", "release"}, {"lock", name_}, {"thread", thread_}};
  Task<Json> task = process_->call(current_number_, name_, std::move(request));
  const Json answer = co_await task;
  process_->given_back(current_number_);
  if (answer.contains("ok")) co_return Outcome<>::of({});
  co_return is_refusal(answer) ? Outcome<>::refusal() : Outcome<>::unknown_because(Why::timed_out);
}

Task<Outcome<MonoTime>> ProgramLock::extend(Hold) {
  Json request = {{"op", "extend"}, {"lock", name_}, {"thread", thread_}};
  Task<Json> task = process_->call(current_number_, name_, std::move(request));
  const Json answer = co_await task;
  if (!answer.contains("ok")) {
    co_return is_refusal(answer) ? Outcome<MonoTime>::refusal() : Outcome<MonoTime>::unknown_because(Why::timed_out);
  }
  const std::optional<MonoTime> due = answer["ok"].is_object() ? deadline_in(answer["ok"]) : std::nullopt;
  if (due) current_.deadline = due;
  co_return Outcome<MonoTime>::of(due.value_or(host_.monotonic_now()));
}

std::optional<MonoTime> ProgramLock::deadline(const Hold& hold) const {
  return hold.value == current_.value ? current_.deadline : hold.deadline;
}

}  // namespace picklock
