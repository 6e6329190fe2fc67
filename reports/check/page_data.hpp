// The operations of a history as the page's script reads them.
#pragma once

#include <string>

#include "checker/models/check_file.hpp"

namespace picklock {

// A JSON object. Columns of one length, a row per operation: lane, f, from, to (-1: open), end (0 none, 1 ok, 2 fail,
// 3 info), invoked, ended (indices; -1: none), value, answer, token, object (places in `texts`; -1: none), hold.
// Times count from `base`: 0, or the least if some lie before it, in ns from Naming::origin, or in indices where a record
// has no time ("unit").
// Beside them `lanes`, `functions`, `holds` ([lane, from, to or -1, index of the invoke]) and, of the explanation,
// `witness`, `placed`, `stuck`, as indices of records.
std::string page_data(const CheckResult& result, const History& history);

}  // namespace picklock
