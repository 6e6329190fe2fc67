// For tests: which models are compared, with which owners.
#pragma once

#include "checker/models/random_history_lab.hpp"

namespace picklock {

struct LockUnderTest {
  const char* model;
  Owners owners;
  const char* owners_name;
  bool doubts;  // true: the verdict may be undecided
};

inline constexpr LockUnderTest kLocksUnderTest[] = {
    {"mutex", Owners::processes, "processes", false},
    {"mutex", Owners::outliving, "outliving processes", false},
    {"mutex", Owners::named, "shared names", false},
    {"mutex", Owners::holds, "named holds", false},
    {"mutex-ownerless", Owners::processes, "processes", false},
    {"mutex-ownerless", Owners::outliving, "outliving processes", false},
    {"try-mutex", Owners::processes, "processes", false},
    {"try-mutex", Owners::outliving, "outliving processes", true},
    {"reentrant-mutex:2", Owners::processes, "processes", false},
    {"reentrant-mutex:2", Owners::outliving, "outliving processes", false},
    {"reentrant-mutex:2", Owners::named, "shared names", false},
    {"fenced-mutex", Owners::processes, "processes", false},
    {"fenced-mutex", Owners::outliving, "outliving processes", false},
    {"fenced-mutex", Owners::named, "shared names", false},
    {"reentrant-fenced-mutex:2", Owners::processes, "processes", false},
    {"reentrant-fenced-mutex:2", Owners::outliving, "outliving processes", false},
    {"reentrant-fenced-mutex:2", Owners::named, "shared names", false},
    {"fencing-tokens", Owners::processes, "processes", false},
    {"fencing-tokens", Owners::outliving, "outliving processes", false},
    {"rw-mutex", Owners::processes, "processes", false},
    {"rw-mutex", Owners::outliving, "outliving processes", false},
    {"rw-mutex", Owners::named, "shared names", false},
    {"semaphore:2", Owners::processes, "processes", false},
    {"semaphore:2", Owners::outliving, "outliving processes", false},
    {"semaphore:2", Owners::named, "shared names", false},
    {"semaphore:3", Owners::holds, "named holds", false},
    {"semaphore-ownerless:2", Owners::processes, "processes", false},
    {"semaphore:3@2", Owners::processes, "processes", false},
    {"semaphore:3@2", Owners::named, "shared names", false},
    {"semaphore-ownerless:2@0", Owners::processes, "processes", false},
    {"semaphore-ownerless:2@1", Owners::outliving, "outliving processes", false},
    {"lease-mutex", Owners::processes, "processes", false},
    {"lease-mutex", Owners::outliving, "outliving processes", true},
    {"lease-mutex", Owners::holds, "named holds", true},
    {"try-lease-mutex", Owners::processes, "processes", false},
    {"try-lease-mutex", Owners::outliving, "outliving processes", true},
    {"try-lease-mutex", Owners::holds, "named holds", true},
    {"logged-lease-mutex", Owners::processes, "processes", false},
    {"logged-lease-mutex", Owners::named, "shared names", false},
    {"logged-lease-mutex", Owners::holds, "named holds", false},
};

}  // namespace picklock
