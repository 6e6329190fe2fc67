#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(printable("api-7f"), "api-7f");
  EXPECT_EQ(printable("a\x1b[31mb\r\n\tc"), "a\\x1b[31mb\\x0d\\n\\x09c");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "CSI as one character";
  EXPECT_EQ(printable("\xc2\xa0\xc3\xa9\xf0\x9f\x94\x92"), "\xc2\xa0\xc3\xa9\xf0\x9f\x94\x92");
  EXPECT_EQ(printable("\x9b\xff"), "\\x9b\\xff") << "no UTF-8";
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, KeepsLineBreaksOfAText) { EXPECT_EQ(printable_lines("a\n\x1b\n"), "a\n\\x1b\n"); }

}  // namespace
}  // namespace picklock
