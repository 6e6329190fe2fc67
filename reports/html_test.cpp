#include "reports/html.hpp"

#include <gtest/gtest.h>

#include "reports/check/check_page.hpp"
#include "reports/check/page_data.hpp"

namespace picklock {
namespace {

TEST(HtmlText, NothingInItIsMarkup) {
  EXPECT_EQ(html_text("</script><b a=\"x\" c='y'>&amp;"),
            "&lt;/script&gt;&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(html_text("Größe → 7\n\t"), "Größe → 7\n\t");
}

TEST(HtmlText, WhatIsNoUtf8IsReplacedByteByByte) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(html_text("a\xff"
                      "b"),
            "a" + bad + "b");
  EXPECT_EQ(html_text("\xc0\xaf"), bad + bad) << "an overlong slash";
  EXPECT_EQ(html_text("\xe2\x82"), bad + bad) << "cut off";
  EXPECT_EQ(html_text("\xed\xa0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(html_text("\xf4\x90\x80\x80"), bad + bad + bad + bad) << "beyond Unicode";
  EXPECT_EQ(html_text(std::string("\0\x7f", 2)), bad + bad);
}

TEST(JsonForScript, NoTagBeginsInIt) {
  EXPECT_EQ(json_for_script(R"(["</script><!--"])"), R"(["\u003c/script>\u003c!--"])");
}

// A history of which nothing is known is a page all the same.
TEST(CheckPage, OfAnEmptyHistory) {
  CheckResult r;
  r.model = "mutex";
  const std::string page = check_page("nothing.edn", r, History());
  EXPECT_NE(page.find("undecided as mutex"), std::string::npos);
  EXPECT_NE(page_data(r, History()).find("\"lanes\":[]"), std::string::npos);
}

TEST(PageData, TimesCountFromZeroAndOpenEndsAreMarked) {
  History h;
  h.functions = {h.names.intern("acquire")};
  OperationEvent e;
  e.time = 5000;
  e.index = 7;
  e.process = 2;
  h.operations.push_back(e);
  e.time = 6000;
  e.index = 8;
  e.type = OperationType::info;
  h.operations.push_back(e);
  const std::string data = page_data(CheckResult(), h);
  for (const char* const part : {"\"base\":0", "\"end\":6000", "\"from\":[5000]", "\"to\":[-1]", "\"invoked\":[7]",
                                 "\"ended\":[8]", "\"unit\":\"ns\"", "\"lanes\":[\"process 2\"]"}) {
    EXPECT_NE(data.find(part), std::string::npos) << part << " in " << data;
  }
}

}  // namespace
}  // namespace picklock
