#include "campaigns/ranks/ranks.hpp"

namespace picklock {
namespace {

Ranks* of_this_process = nullptr;

}  // namespace

Ranks* ranks_of_this_process() { return of_this_process; }
void set_ranks_of_this_process(Ranks* ranks) { of_this_process = ranks; }

}  // namespace picklock
