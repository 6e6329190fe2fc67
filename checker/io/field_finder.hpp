// Finds in records what ForeignFields names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/history.hpp"
#include "checker/io/event_sink.hpp"
#include "checker/io/foreign_fields.hpp"
#include "checker/io/syntax.hpp"
#include "checker/naming.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {

class FieldFinder {
 public:
  // Tables and naming must outlive the finder; clients and owners are numbered in naming.  `paired`: records come in the order of their events, so that a completion
  // belongs to the lock and the owner that its invoke names; otherwise `pair` is to be called when they do.
  FieldFinder(const ForeignFields& fields, History& tables, Naming& naming, bool paired);

  // Gives the keys of a record the names that they have here.
  void rename(Record& record);

  // The client process that the record names; nothing if no field was asked for, or none is there.
  std::optional<std::int32_t> process(const Record& record);

  // Fills lock, owner and token of an operation, and makes a refused one a failure.  An owner seen
  // for the first time is handed to `sink` as a hold.  Throws SyntaxError.  `value` is set to what the lock leaves of it,
  // which is valid until the next call.
  void fill(const Record& record, OperationEvent& event, EventSink& sink, const Field*& value);

  // Gives a completion the lock and the owner that its invoke names.
  void pair(OperationEvent& event);

  struct Missing {
    std::string field;
    std::vector<std::string> seen;
  };
  // A field that was asked for, and that no record has had so far; nothing before the first record.
  [[nodiscard]] std::optional<Missing> missing() const;

 private:
  struct Wanted {
    std::string_view name;
    bool found = false;
  };
  struct Invoked {
    NameId lock = kNoName;
    HoldId owner = kNoHold;
  };

  const Field* find(const Record& record, std::string_view name);
  const Field* descend(const Field& from, std::string_view path);
  const Field* want(const Record& record, Wanted& wanted);
  void note_keys(const Record& record);
  HoldId owner_id(const Field& field, EventSink& sink);
  void name_lock_and_owner(const Record& record, OperationEvent& event, EventSink& sink);
  [[nodiscard]] std::string_view lock_path(const Record& record) const;
  void take_lock_out(const Record& record, const OperationEvent& event, const Field*& value);
  [[noreturn]] void refuse_value(const Record& record, const Field* value, std::string expected) const;

  const ForeignFields& fields_;
  History& tables_;
  Naming& naming_;
  bool paired_;
  Wanted process_, owner_, lock_, token_;
  Record nested_;  // holds the field that was found inside a value
  Record rest_;    // holds the value without the lock
  std::vector<std::string> seen_;
  std::vector<bool> renamed_;  // index: place in ForeignFields::keys; true: some record has the key
  bool any_ = false;
  SparseMap<std::int32_t, Invoked> invoked_;
  SparseMap<std::int32_t, NameId> asked_;  // lock found in the value of a client's last invoke; key: process
};

}  // namespace picklock
