// Puts violations of a lock into words, and follows the holds of a witness to their ends.
#pragma once

#include <span>
#include <string>

#include "checker/models/model.hpp"
#include "checker/models/models.hpp"

namespace picklock {

// The last of `holds` was acquired although the others left no room for it.  The first may have a
// release that failed: then `holds.front().release_ended` is set.  `permits`: how many there are.
ModelResult overlap_witness(const ModelContext& context, std::vector<WitnessHold> holds, std::int64_t permits);

// A release (or another command, `verb`) succeeded although its owner held nothing.  `holder`: who
// did hold, if anyone.
ModelResult unowned_witness(const ModelContext& context, std::string_view verb, const OperationEvent& invoke,
                            const OperationEvent& end, const WitnessHold* holder);

// Two grants in the wrong order of tokens.
ModelResult token_witness(const ModelContext& context, const WitnessHold& earlier, const WitnessHold& later);

// A grant without a valid token.
ModelResult invalid_token_witness(const ModelContext& context, const WitnessHold& hold);

// Any other violation: the events, and a sentence about them.
ModelResult violation(std::vector<WitnessHold> holds, std::vector<OperationEvent> events, std::string explanation);

// "process 3 (token 7)", and as the first words of a sentence.
std::string who_with_token(const ModelContext& context, const OperationEvent& acquired);
std::string subject_with_token(const ModelContext& context, const OperationEvent& acquired);

// An event after the violation: notes how the holds of the witness went on.  `release` says that
// the function gives back.
void follow(ModelResult& result, const OperationEvent& event, bool release);

void sort_by_index(std::vector<OperationEvent>& events);

}  // namespace picklock
