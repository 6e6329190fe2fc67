// Text in HTML (https://html.spec.whatwg.org, "Writing HTML documents").
#pragma once

#include <string>
#include <string_view>

namespace picklock {

// For an element's text and for a quoted attribute. Bytes that are not UTF-8 become U+FFFD, as do
// the control characters that HTML does not allow.
std::string html_text(std::string_view text);

// JSON for the inside of a <script>: no '<' is left in it, so no tag or comment can begin there.
std::string json_for_script(std::string_view json);

}  // namespace picklock
