# What checker/properties is made of, relative to this folder.
set(PICKLOCK_PROPERTY_SOURCES
  assumptions.cpp deadlock.cpp double_grant.cpp expectation.cpp fencing_monotonicity.cpp final_read.cpp
  late_write.cpp lost_update.cpp lost_wake_up.cpp mutual_exclusion.cpp never_free_again.cpp overtaking.cpp
  properties.cpp scratch.cpp sold_twice.cpp sometimes.cpp stale_write.cpp starvation.cpp
  statistics.cpp finding.cpp words.cpp wrong_command.cpp wrong_release.cpp wrong_renewal.cpp)
set(PICKLOCK_PROPERTY_HEADERS
  assumptions.hpp deadlock.hpp double_grant.hpp expectation.hpp fencing_monotonicity.hpp final_read.hpp
  late_write.hpp lost_update.hpp lost_wake_up.hpp mutual_exclusion.hpp never_free_again.hpp options.hpp
  overtaking.hpp properties.hpp property.hpp scratch.hpp sold_twice.hpp sometimes.hpp
  stale_write.hpp starvation.hpp statistics.hpp finding.hpp words.hpp workspace.hpp
  wrong_command.hpp wrong_release.hpp wrong_renewal.hpp)
set(PICKLOCK_PROPERTY_TESTS
  assumptions_test.cpp broken_twins_test.cpp deadlock_test.cpp double_grant_test.cpp effects_test.cpp
  expectation_test.cpp fast_against_slow_test.cpp fencing_monotonicity_test.cpp
  final_read_test.cpp history_lab.cpp kept_hold_test.cpp large_history_test.cpp liveness_test.cpp
  mutual_exclusion_test.cpp properties_test.cpp reference.cpp reference/deadlocks.cpp
  reference/effects.cpp reference/exclusion.cpp reference/fencing.cpp reference/happenings.cpp
  reference/observer.cpp reference/releases.cpp reference/waiting.cpp sometimes_test.cpp
  statistics_test.cpp words_test.cpp workspace_test.cpp)
