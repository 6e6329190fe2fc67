// Turns records into events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.hpp"
#include "checker/io/event_names.hpp"
#include "checker/io/event_sink.hpp"
#include "checker/io/field_finder.hpp"
#include "checker/io/history_reader.hpp"
#include "checker/io/pair_watch.hpp"
#include "checker/io/syntax.hpp"

namespace picklock {

class EventDecoder {
 public:
  EventDecoder(History& tables, const ReadOptions& options);

  // Gives the keys of `record` our names.  Throws SyntaxError with the place in the record.  `line`: of the record, to be
  // kept in the naming; 0: not to be kept.
  void decode(Record& record, EventSink& sink, std::uint64_t line = 0);

  // Takes events that were put in another order: see FieldFinder::pair.
  void pair(OperationEvent& event) { finder_.pair(event); }

  // See FieldFinder::missing.
  [[nodiscard]] std::optional<FieldFinder::Missing> missing() const { return finder_.missing(); }
  // See PairWatch::likely.
  [[nodiscard]] bool likely_pairs() const { return pairs_.likely(); }
  // Has there been a record of an operation?
  [[nodiscard]] bool any() const { return next_index_ > 0; }
  // A function, or a type, of `asked` that no record has had.
  [[nodiscard]] std::optional<FieldFinder::Missing> unused_function(const ForeignFields::Renames& asked) const;
  [[nodiscard]] std::optional<FieldFinder::Missing> unused_type(const ForeignFields::Renames& asked) const;

 private:
  enum Key : std::uint8_t {
    kType,
    kF,
    kProcess,
    kTime,
    kIndex,
    kValue,
    kLocalTime,
    kToken,
    kHold,
    kObject,
    kClient,
    kAnswer,
    kLock,
    kHolder,
    kMode,
    kUntil,
    kBy,
    kCause,
    kDecidedBy,
    kResource,
    kVersion,
    kReadVersion,
    kAcknowledged,
    kDependsOnRead,
    kOmniscient,
    kUnknown
  };
  struct Function {
    std::string text;
    std::uint8_t id;
  };

  static Key key_of(std::string_view name);

  void sort_fields(const Record& record);
  const Field* get(Key key) const { return known_[key]; }
  OperationType type();
  const InstantFunction* instant() const;
  std::optional<OperationType> end_of_whole();
  std::int64_t end_time();
  std::int64_t time_of(const Field& given) const;
  [[noreturn]] void refuse_untyped() const;
  std::uint8_t function();
  std::uint32_t index();
  std::int64_t time() const;
  std::int64_t operation_time() const;
  std::int64_t time_in(std::string_view text, const Field& field) const;
  std::int32_t process_in(const Field& field);
  std::optional<OwnProcess> own_process() const;
  Value value(const Field& field);

  void operation(EventSink& sink, std::optional<std::int32_t> process);
  void fill(OperationEvent& event, EventSink& sink, const Field*& value);
  void keep_extra(const Field& field, std::uint32_t index);
  void own_event(OwnProcess kind, EventSink& sink);
  void hold_record(EventSink& sink);

  template <typename Enum, std::size_t n>
  Enum enumerator(Key key, const std::array<std::string_view, n>& words) const;
  std::int64_t number(Key key, std::int64_t missing) const;
  std::uint64_t unsigned_number(Key key) const;
  HoldId hold_id(Key key) const;
  NameId name(Key key);
  bool flag(Key key) const;

  [[noreturn]] void fail(Key key, std::string expected) const;
  [[noreturn]] void fail(const Field* at, std::string expected) const;

  History& tables_;
  const ReadOptions& options_;
  Naming numbered_;  // names for a caller that keeps none
  FieldFinder finder_;
  PairWatch pairs_;
  const Record* record_ = nullptr;
  std::array<const Field*, kUnknown> known_{};
  std::vector<const Field*> unknown_;
  std::vector<ExtraField> extras_;
  std::vector<Function> functions_;  // functions as spelt in the file
  std::vector<std::string> types_;   // types as spelt in the file, where some are translated
  std::size_t last_function_ = 0;
  std::uint64_t next_index_ = 0;
  std::uint32_t holds_ = 0;
  std::uint64_t line_ = 0;  // line of the current record
};

}  // namespace picklock
