// The records of a history as text, piece by piece: EDN maps or JSON objects, each in a line of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "checker/history.hpp"
#include "checker/io/record_reader.hpp"

namespace picklock {

class RecordText {
 public:
  RecordText() = default;
  RecordText(const RecordText&) = delete;
  RecordText& operator=(const RecordText&) = delete;
  virtual ~RecordText() = default;

  virtual void begin() = 0;
  virtual void integer(std::string_view key, std::int64_t number) = 0;
  virtual void natural(std::string_view key, std::uint64_t number) = 0;
  virtual void truth(std::string_view key) = 0;
  virtual void word(std::string_view key, std::string_view text) = 0;  // writes a word that needs no escapes
  virtual void name(std::string_view key, NameId name) = 0;            // takes any name but kNoName
  virtual void value(std::string_view key, Value value) = 0;           // takes a key of a foreign history too
  virtual void end() = 0;
  virtual void finish() = 0;  // ends the text after the last record

  std::string out;  // whole records so far; the caller that writes them away clears it
};

// Writes a history that lives longer; format: json, or any other: as EDN.  Both throw WriteError.
std::unique_ptr<RecordText> record_text(const History& history, Format format);

}  // namespace picklock
