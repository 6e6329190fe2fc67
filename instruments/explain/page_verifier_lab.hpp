// Verifies the places that an explained run's page links to, from the page's text, its data, and the explanation's document.
#pragma once

#include <string>
#include <vector>

namespace picklock {

// Every link of a sentence that leads elsewhere than the document says, a line each, beginning with "places:".
std::vector<std::string> wrong_places(const std::string& explanation_json, const std::string& page);

}  // namespace picklock
