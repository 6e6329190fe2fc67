#include "algorithms/lua/lua_lock.hpp"

#include <fmt/format.h>

#include <utility>

#include "algorithms/lua/lua_hints.hpp"
#include "base/check.hpp"

namespace picklock {
namespace {

// Globals of every text, beside the language and the objects.
constexpr std::string_view kBuiltIn = R"lua(
yes = { yes = true }
no = { no = true, why = 'refused' }
unknown = { unknown = true, why = 'timed-out' }
-- The answer, but no if its value is not the expected one: of a script that answers 1 or 0.
function yes_if(answer, expected)
  if not answer.yes then return answer end
  if answer.value == expected then return yes end
  return no
end
)lua";

constexpr std::string_view kGlobals[] = {"host", "redis", "etcd", "zk"};
constexpr LuaMachine::Limits kLimits = {.bytes = std::size_t{16} << 20, .instructions = 2'000'000};

enum class Said : std::uint8_t { yes, no, unknown, else_ };

Said said(const LuaValue& returned) {
  if (!returned.is_table()) return Said::else_;
  if (returned.at("yes").is_true()) return Said::yes;
  if (returned.at("no").is_true()) return Said::no;
  return returned.at("unknown").is_true() ? Said::unknown : Said::else_;
}

Why why_of(const LuaValue& answer, Why usual) {
  const std::string& text = answer.at("why").text;
  if (text == "error") return Why::error;
  if (text == "not-connected") return Why::not_connected;
  return text == "disconnected" ? Why::disconnected : usual;
}

template <class T>
Outcome<T> not_yes(const LuaValue& answer) {
  if (answer.at("unknown").is_true()) return Outcome<T>::unknown_because(why_of(answer, Why::timed_out));
  const std::string& error = answer.at("error").text;
  return Outcome<T>::refusal(why_of(answer, Why::refused), error);
}

}  // namespace

std::string LuaFile::read(std::string of_file) {
  text = std::move(of_file);
  std::string error;
  code = LuaProgram::translate(name, text, error);
  return error;
}

std::shared_ptr<LuaProgram> LuaFile::load(std::string& error) const {
  static const std::string kBuiltInCode = [] {
    std::string none;
    return LuaProgram::translate("(built in)", kBuiltIn, none);
  }();
  return LuaProgram::load({.name = name,
                           .text = code,
                           .asks = lua_asks(),
                           .objects = kGlobals,
                           .before = kBuiltInCode,
                           .translated = true,
                           .limits = kLimits},
                          error);
}

// --- what the locks of a process share

LuaProcess::LuaProcess(const Host& host, const LuaFile& file) : host_(host) {
  std::string error;
  program_ = file.load(error);
  PICKLOCK_CHECK(program_ != nullptr);  // it was loaded before, and does the same each time
}

Event& LuaProcess::event(const std::string& name) {
  std::unique_ptr<Event>& event = events_[name];
  if (event == nullptr) event = std::make_unique<Event>(host_, "a signal");
  return *event;
}

LuaProcess::~LuaProcess() {
  for (const Pushes& p : pushes_) p.channel->notify_pushes(nullptr);
}

Event& LuaProcess::pushes(Channel& channel) {
  for (const Pushes& p : pushes_) {
    if (p.channel == &channel) return *p.event;
  }
  pushes_.push_back({&channel, std::make_unique<Event>(host_, "a message")});
  channel.notify_pushes(pushes_.back().event.get());
  return *pushes_.back().event;
}

// --- calls

const Host& LuaQuestion::host() const { return lock.host(); }

LuaLock::LuaLock(const LockContext& context, const LuaLockOptions& options)
    : Lock(context.host),
      context_(context),
      name_(context.name),
      file_(options.file),
      own_process_(context.process == nullptr ? std::make_unique<LuaProcess>(context.host, *options.file) : nullptr),
      process_(own_process_ ? own_process_.get() : &context.process->get<LuaProcess>(context.host, *options.file)),
      lost_(context.host, "loss of the lock"),
      watcher_(context.host, "an event of a watch") {
  LuaProgram& program = process_->program();
  functions_.acquire = program.global("acquire");
  functions_.release = program.global("release");
  if (file_->forces) functions_.force = program.global("force");
  if (file_->extends) functions_.extend = program.global("extend");
  if (file_->watches) functions_.lost = program.global("lost");
  LuaValue ctx = LuaValue::table();
  ctx.set("name", name_);
  ctx.set("thread", LuaValue::integer(context.thread));
  ctx.set("options", options.values.as_table());
  add_lua_servers(context, program, ctx);
  ctx_ = program.keep(ctx);
  patience_ = program.object("patience", 0);
}

Task<LuaValues> LuaLock::call(LuaValue function, std::string name, LuaValues arguments, Patience* patience,
                              std::uint64_t tenure) {
  LuaCall call(function, std::move(name));
  LuaStreams streams;
  LuaStep step = call.resume(arguments);
  while (step.kind == LuaStep::Kind::asks) {
    const LuaVerb& verb = lua_verbs()[step.ask];
    LuaQuestion question{*this, patience, step.number, std::move(step.values), &streams};
    LuaAnswer answer;
    if (verb.now != nullptr) {
      answer = verb.now(question);
    } else {
      Task<LuaAnswer> task = verb.later(std::move(question));
      LuaAnswer given = co_await task;
      answer = std::move(given);
    }
    if (tenure != 0 && tenure != tenure_) co_return LuaValues{};
    if (!answer.error.empty()) {
      step.kind = LuaStep::Kind::failed;
      step.error = call.failure(fmt::format("{}:{}: {}", verb.ask.object, verb.ask.name, answer.error));
    } else {
      step = call.resume(answer.values);
    }
  }
  if (step.kind == LuaStep::Kind::failed) {
    note_failure(with_lua_hint(std::move(step.error), *file_->options));
    co_await host_.panic("an error in Lua");
  }
  co_return std::move(step.values);
}

void LuaLock::note_failure(const std::string& why) {
  if (context_.failure != nullptr && context_.failure->empty()) *context_.failure = why;
}

void LuaLock::spawn(const std::string& name, const LuaValue& function) {
  host_.spawn(name, run_beside(function, name));
}

Task<void> LuaLock::run_beside(LuaValue function, std::string name) {
  LuaValues none;
  Task<LuaValues> task = call(std::move(function), std::move(name), std::move(none), nullptr);
  const LuaValues returned = co_await task;
  (void)returned;
}

Task<void> LuaLock::watch_for_loss(LuaValue hold, std::uint64_t tenure) {
  LuaValues arguments{ctx_, std::move(hold)};
  Task<LuaValues> task = call(functions_.lost, "lost", std::move(arguments), nullptr, tenure);
  const LuaValues returned = co_await task;
  const bool over = tenure != tenure_;
  const bool found_none = said(at(returned, 0)) == Said::no;
  if (!over && !found_none) lost_.set();
}

std::string LuaLock::wrong_return(const LuaValue& function, std::string_view name, const LuaValue& returned,
                                  std::string_view expected) {
  const std::string found = returned.is_table() ? "a table that is none of these" : std::string(returned.type());
  return fmt::format("{}: {} returned {}, expected {}", process_->program().place_of(function), name, found, expected);
}

// --- the lock

Task<Acquired> LuaLock::acquire(Patience patience) {
  lost_.clear();
  LuaValues arguments{ctx_, patience_};
  Task<LuaValues> task = call(functions_.acquire, "acquire", std::move(arguments), &patience);
  const LuaValues returned = co_await task;
  const LuaValue& answer = at(returned, 0);
  switch (said(answer)) {
    case Said::no:
    case Said::unknown:
      co_return not_yes<Hold>(answer);
    default:
      break;
  }
  const bool is_hold = answer.at("value").is_text() && said(answer) == Said::else_;
  if (!is_hold) {
    note_failure(
        wrong_return(functions_.acquire, "acquire", answer, "a hold such as { value = \"…\" }, no or unknown"));
    co_await host_.panic("a wrong answer in Lua");
  }
  co_return granted(answer);
}

Acquired LuaLock::granted(const LuaValue& hold) {
  current_ = Hold(hold.at("value").text);
  const LuaValue &token = hold.at("token"), &deadline = hold.at("deadline");
  if (token.is_number()) current_.token = token.as_integer();
  if (deadline.is_number()) current_.deadline = MonoTime{deadline.as_ns()};
  current_table_ = process_->program().keep(hold);
  if (current_.deadline) host_.announce_deadline(DeadlineKind::lease, *current_.deadline);
  ++tenure_;
  if (!functions_.lost.is_nil()) host_.spawn("lost", watch_for_loss(current_table_, tenure_));
  return Acquired::of(current_);
}

LuaValue LuaLock::as_table(const Hold& hold) const {
  if (hold.value == current_.value && !current_table_.is_nil()) return current_table_;
  LuaValue table = LuaValue::table();
  table.set("value", hold.value);
  if (hold.token) table.set("token", LuaValue::integer(*hold.token));
  if (hold.deadline) table.set("deadline", LuaValue::time(hold.deadline->ns));
  return table;
}

Task<Outcome<>> LuaLock::whether(LuaValue function, std::string name, LuaValues arguments) {
  Task<LuaValues> task = call(function, name, std::move(arguments), nullptr);
  const LuaValues returned = co_await task;
  const LuaValue& answer = at(returned, 0);
  if (said(answer) == Said::yes) co_return Outcome<>::of({});
  if (said(answer) == Said::else_) {
    note_failure(wrong_return(function, name, answer, "yes, no, unknown, or a server's answer"));
    co_await host_.panic("a wrong answer in Lua");
  }
  co_return not_yes<Nothing>(answer);
}

Task<Outcome<>> LuaLock::release(Hold hold) {
  ++tenure_;
  LuaValues arguments{ctx_, as_table(hold)};
  Task<Outcome<>> task = whether(functions_.release, "release", std::move(arguments));
  const Outcome<> released = co_await task;
  co_return released;
}

Task<Outcome<>> LuaLock::force_release() {
  if (functions_.force.is_nil()) co_return Outcome<>::refusal();
  LuaValues arguments{ctx_};
  Task<Outcome<>> task = whether(functions_.force, "force", std::move(arguments));
  const Outcome<> forced = co_await task;
  co_return forced;
}

Task<Outcome<MonoTime>> LuaLock::extend(Hold hold) {
  if (functions_.extend.is_nil()) co_return Outcome<MonoTime>::refusal();
  LuaValues arguments{ctx_, as_table(hold)};
  Task<LuaValues> task = call(functions_.extend, "extend", std::move(arguments), nullptr);
  const LuaValues returned = co_await task;
  const LuaValue& answer = at(returned, 0);
  if (answer.is_number()) {
    const MonoTime due{answer.as_ns()};
    prolong(hold.value, due);
    co_return Outcome<MonoTime>::of(due);
  }
  if (said(answer) == Said::else_ || said(answer) == Said::yes) {
    note_failure(wrong_return(functions_.extend, "extend", answer, "the new deadline, no or unknown"));
    co_await host_.panic("a wrong answer in Lua");
  }
  co_return not_yes<MonoTime>(answer);
}

std::optional<MonoTime> LuaLock::deadline(const Hold& hold) const {
  return hold.value == current_.value ? current_.deadline : hold.deadline;
}

void LuaLock::prolong(const std::string& value, MonoTime due) {
  host_.announce_deadline(DeadlineKind::lease, due);
  if (value == current_.value) current_.deadline = due;
}

Duration LuaLock::timeout(std::int64_t server) const {
  const auto found = timeouts_.find(server);
  return found == timeouts_.end() ? Duration{} : found->second;
}

}  // namespace picklock
