// Text in HTML (https://html.spec.whatwg.org, "Writing HTML documents").
#pragma once

#include <string>
#include <string_view>

namespace picklock {

// Start of every page before its title: it loads nothing and sends nothing.
inline constexpr std::string_view kPageHead = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
)html";

// Escapes an element's text or a quoted attribute. Bytes that are not UTF-8 become U+FFFD, as do
// the control characters that HTML does not allow.
std::string html_text(std::string_view text);

// JSON for the inside of a <script>: no '<' is left in it, so no tag or comment can begin there.
std::string json_for_script(std::string_view json);

}  // namespace picklock
