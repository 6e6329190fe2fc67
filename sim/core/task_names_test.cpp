#include "sim/core/task_names.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace task_names_test {

TEST(TaskNames, GiveEachNameOneNumber) {
  TaskNames names;
  EXPECT_EQ(names.id_of("main"), 0u);
  const std::uint32_t renewal = names.id_of("renewal"), watch = names.id_of("watch");
  EXPECT_EQ(renewal, 1u);
  EXPECT_EQ(watch, 2u);
  EXPECT_EQ(names.id_of("renewal"), renewal);
  EXPECT_EQ(names.text(watch), "watch");
  EXPECT_EQ(names.hash(watch), hash_of("watch"));
}

// The place of a name's letters is no name: it may hold others by the next time.
TEST(TaskNames, LookAtTheLettersAndNotAtTheirPlaceAlone) {
  TaskNames names;
  std::string letters = "one";
  const std::uint32_t one = names.id_of(letters);
  letters = "two";
  const std::uint32_t two = names.id_of(letters);
  EXPECT_NE(one, two);
  EXPECT_EQ(names.id_of("one"), one);
  EXPECT_EQ(names.id_of(std::string_view(letters)), two);
}

}  // namespace task_names_test
}  // namespace picklock
