// Words for events in explanations.
#pragma once

#include <cstdint>
#include <string>

#include "checker/history.hpp"
#include "checker/models/model.hpp"
#include "checker/naming.hpp"

namespace picklock {

// "process 3", or the name of the client: "api-7f".
std::string process_name(const Naming& naming, std::int32_t process);

// "hold 7", or "owner order-42".
std::string hold_name(const Naming& naming, HoldId hold);

// "process 3", "hold 7 of process 3", "api-7f", "owner order-42 of api-7f".
std::string who(const Naming& naming, const OperationEvent& event);

// Begins a sentence: "Process 3", but "api-7f".
std::string subject(const Naming& naming, const OperationEvent& event);

// "index 1109 (line 1110, 29.421 s)", and of times of day "index 3 (line 5, 370.000 ms, 2024-05-01T12:00:00.49Z)"
std::string when(const Naming& naming, const OperationEvent& event);

// "Times count from the first event, 2024-05-01T12:00:00.12Z."; empty where they are as recorded.
std::string beginning_of_times(const Naming& naming);

// "the lock", or "lock 'seats'".
std::string lock_name(const History& tables, NameId lock);

// "Parts: 3 valid, 1 INVALID (key 7), 2 not tested (key 8, key 9)."
std::string in_words(const PartCounts& parts);

std::string capitalised(std::string text);  // takes picklock's own text only: names keep their letters

}  // namespace picklock
