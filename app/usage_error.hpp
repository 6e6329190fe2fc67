// Answers to words that no command understands.
#pragma once

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace picklock {

// Prints the error, names the nearest command or option to what was mistyped, and gives the exit status.
int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace picklock
