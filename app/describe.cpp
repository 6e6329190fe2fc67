#include "app/describe.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace picklock {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option*) { return true; });
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

// Each character of `special` behind a backslash, and line breaks as blanks.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != special.npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// For a shell's single quotes.
std::string in_single_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c == '\n' ? ' ' : c);
  return out;
}

// Lines that begin with '.' or '\'' are orders to roff, and so is what follows a backslash.
std::string roff(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins = c == '\n';
  }
  return out;
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.front() == '\n') text.erase(0, 1);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// "--seed TEXT", "scenario"
std::string called(const CLI::Option& option) {
  std::string name = option.get_name(true, true);
  if (!option.get_positional() && takes_value(option)) name += " " + option.get_type_name();
  return name;
}

std::string options_text(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* o : options_of(app)) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(called(*o)), roff(o->get_description()));
  }
  return text;
}

std::string long_options(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* o : options_of(app)) {
    for (const std::string& name : o->get_lnames()) words += (words.empty() ? "--" : " --") + name;
  }
  return words;
}

// Examples, exit status, environment: as the help has them.
std::string footer_text(const CLI::App& app, std::string_view before) {
  const std::string footer = trimmed(app.get_footer());
  return footer.empty() ? "" : fmt::format("{}\n.nf\n{}\n.fi\n", before, roff(footer));
}

std::string command_names(const CLI::App& app) {
  std::string words;
  for (const CLI::App* c : commands_of(app)) words += (words.empty() ? "" : " ") + c->get_name();
  return words;
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string text = ".TH PICKLOCK 1\n.SH NAME\n" + roff(app.get_name()) + " \\- play and judge distributed locks\n";
  text +=
      ".SH SYNOPSIS\n.B picklock\n.I command\n.RI [ options ]\n.SH DESCRIPTION\n" + roff(app.get_description()) + "\n";
  text += ".SH COMMANDS\n";
  for (const CLI::App* c : commands_of(app))
    text += fmt::format(".TP\n.B {}\n{}\n", roff(c->get_name()), roff(c->get_description()));
  text += ".SH OPTIONS\n" + options_text(app) + footer_text(app, ".SH EXAMPLES, EXIT STATUS, ENVIRONMENT");
  for (const CLI::App* c : commands_of(app)) {
    text += fmt::format(".SH PICKLOCK {}\n{}\n{}", roff(c->get_name()), roff(c->get_description()), options_text(*c)) +
            footer_text(*c, ".PP");
  }
  return text;
}

std::string bash_completion(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* c : commands_of(app))
    cases += fmt::format("    {}) options=\"{}\" ;;\n", c->get_name(), long_options(*c));
  return fmt::format(R"(# bash completion for picklock
_picklock() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} options="" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} {}" -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
  esac
  if [ "$previous" = --lock ]; then
    words=$(picklock list locks 2>/dev/null | grep -o '^[a-z][a-z0-9-]*')
  else
    case ${{COMP_WORDS[1]}} in
      run | tell | explain | compare | sweep | estimate | hunt)
        words=$(picklock list scenarios 2>/dev/null | grep -o '^[a-z][a-z0-9_/]*') ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -F _picklock picklock
)",
                     command_names(app), long_options(app), cases);
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* c : commands_of(app)) {
    commands += fmt::format("    '{}:{}'\n", c->get_name(), in_single_quotes(escaped(c->get_description(), ":\\")));
    cases += fmt::format("    {})\n      _arguments '*:file:_files'", c->get_name());
    for (const CLI::Option* o : options_of(*c)) {
      for (const std::string& name : o->get_lnames()) {
        cases +=
            fmt::format(" \\\n        '*--{}[{}]{}'", name, in_single_quotes(escaped(o->get_description(), "[]:\\")),
                        takes_value(*o) ? ":value:_files" : "");
      }
    }
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef picklock
local -a commands
commands=(
{})
if (( CURRENT == 2 )); then
  _describe command commands
else
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
fi
)",
                     commands, cases);
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# fish completion for picklock\n";
  for (const CLI::App* c : commands_of(app)) {
    text += fmt::format("complete -c picklock -f -n __fish_use_subcommand -a {} -d '{}'\n", c->get_name(),
                        escaped(c->get_description(), "'\\"));
  }
  for (const CLI::App* c : commands_of(app)) {
    for (const CLI::Option* o : options_of(*c)) {
      for (const std::string& name : o->get_lnames()) {
        text += fmt::format("complete -c picklock -n '__fish_seen_subcommand_from {}' -l {} {}-d '{}'\n", c->get_name(),
                            name, takes_value(*o) ? "-r " : "", escaped(o->get_description(), "'\\"));
      }
    }
  }
  return text;
}

}  // namespace picklock
