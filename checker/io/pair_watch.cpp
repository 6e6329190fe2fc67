#include "checker/io/pair_watch.hpp"

#include "checker/io/edn_path.hpp"

namespace picklock {

void PairWatch::see(const Field* value, OperationType type, std::string_view function) {
  if (!fits_) return;
  const bool invokes = type == OperationType::invoke;
  if (value == nullptr || value->kind == Field::Kind::nil) {
    fits_ = !invokes;
    return;
  }
  const auto pair = value->kind == Field::Kind::other ? pair_in(value->text) : std::nullopt;
  const bool key =
      pair && pair->first != "nil" && std::string_view("[({#").find(pair->first[0]) == std::string_view::npos;
  fits_ = key && (function != "cas" || pair_in(pair->second).has_value());
  told_ = told_ || (fits_ && invokes && (pair->second == "nil" || function == "cas"));
}

}  // namespace picklock
