#include "checker/io/record_text.hpp"

#include "checker/io/edn_records.hpp"
#include "checker/io/json_records.hpp"

namespace picklock {

std::unique_ptr<RecordText> record_text(const History& history, Format format) {
  if (format == Format::json) return std::make_unique<JsonRecords>(history);
  return std::make_unique<EdnRecords>(history);
}

}  // namespace picklock
