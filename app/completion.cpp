#include "app/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string_view>
#include <vector>

#include "app/command_tables.hpp"
#include "base/command_name.hpp"

namespace picklock {
namespace {

// --- what may stand for an argument

struct ArgumentNames {
  std::string_view argument, listing;  // the words of `picklock list`; empty: none
  bool files = false;                  // may be meant as well
};
constexpr std::array<ArgumentNames, 16> kListed = {{{"--lock", "locks", true},
                                                    {"--against", "scenarios", true},
                                                    {"--property", "properties"},
                                                    {"--slice-of", "properties"},
                                                    {"--beyond", "assumptions"},
                                                    {"--faults", "faults"},
                                                    {"--tag", "tags"},
                                                    {"--model", "models"},
                                                    {"--seeds", {}},
                                                    {"--set", {}},
                                                    {"--without", {}},
                                                    {"scenario", "scenarios", true},
                                                    {"scenarios", "scenarios", true},
                                                    {"locks", "locks", true},
                                                    {"listing", "all"},
                                                    {"chapter", {}}}};

struct Words {
  std::string choices = {};       // all of them, with blanks between
  std::string_view listing = {};  // the listing that has the names meant here
  bool files = false;
};

Words words_of(const CLI::Option& option, std::string_view name) {
  const std::string type = option.get_type_name();  // "TEXT:{text,json}"
  const std::size_t open = type.find('{');
  if (open != type.npos) {
    std::string choices = type.substr(open + 1, type.find('}') - open - 1);
    std::replace(choices.begin(), choices.end(), ',', ' ');
    return {.choices = std::move(choices)};
  }
  Words words{.files = takes_value(option) && type.starts_with("TEXT")};
  const auto* const listed =
      std::find_if(kListed.begin(), kListed.end(), [&](const ArgumentNames& l) { return l.argument == name; });
  if (listed == kListed.end()) return words;
  return {.listing = listed->listing, .files = listed->files};
}

// Words for the nameless operands of the command: those of its first one.
Words operands_of(const CLI::App& command) {
  for (const CLI::Option* o : options_of(command)) {
    if (o->get_positional()) return words_of(*o, o->get_name(true));
  }
  return {};
}

using SeeOption = std::function<void(const CLI::Option& option, const std::string& name, const Words& words)>;
void for_each_option(const CLI::App& command, const SeeOption& see) {
  for (const CLI::Option* o : options_of(command)) {
    for (const std::string& name : o->get_lnames()) see(*o, name, words_of(*o, "--" + name));
  }
}

std::string long_options(const CLI::App& app) {
  std::string words;
  for_each_option(app, [&](const CLI::Option&, const std::string& name, const Words&) {
    words += (words.empty() ? "--" : " --") + name;
  });
  return words;
}

std::string command_names(const CLI::App& app) {
  std::string words;
  for (const CLI::App* c : subcommands_of(app)) words += (words.empty() ? "" : " ") + c->get_name();
  return words;
}

// --- spelling

// Each character of `special` behind a backslash, and line breaks as blanks.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != special.npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Quotes the text for a shell's single quotes.
std::string in_single_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c == '\n' ? ' ' : c);
  return out;
}

// The program as a shell looks it up: the last part of its path.
std::string program() {
  const std::string& name = program_name();
  return name.substr(name.rfind('/') + 1);
}

std::string as_function(std::string name) {
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

std::string assignments(const Words& words) {
  std::string text;
  if (!words.choices.empty()) text += fmt::format(" words=\"{}\"", words.choices);
  if (!words.listing.empty()) text += fmt::format(" list={}", words.listing);
  if (words.files) text += " files=yes";
  return text.empty() ? " :" : text;
}

std::string zsh_action(const Words& words, const std::string& function) {
  if (!words.choices.empty()) return fmt::format("({})", words.choices);
  if (!words.listing.empty())
    return fmt::format(" _{}_names {}{}", function, words.listing, words.files ? " files" : "");
  return words.files ? "_files" : " ";
}

std::string fish_values(const Words& words, const std::string& function) {
  if (!words.choices.empty()) return fmt::format("-x -a '{}'", words.choices);
  if (words.listing.empty()) return words.files ? "-r -F" : "-x";
  return fmt::format("{} -a '(__{}_names {})'", words.files ? "-r -F" : "-x", function, words.listing);
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string values, operands, options;
  for (const CLI::App* c : subcommands_of(app)) {
    options += fmt::format("    {}) words=\"{}\" ;;\n", c->get_name(), long_options(*c));
    operands += fmt::format("        {}){} ;;\n", c->get_name(), assignments(operands_of(*c)));
    for_each_option(*c, [&](const CLI::Option& option, const std::string& name, const Words& words) {
      if (takes_value(option))
        values += fmt::format("    \"{} --{}\"){} ;;\n", c->get_name(), name, assignments(words));
    });
  }
  return fmt::format(R"sh(# bash completion for {0}
_{1}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words="" list="" files="" before=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{2} {3}" -- "$current"))
    return
  fi
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  case $current in -*) case ${{COMP_WORDS[1]}} in
{6}    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return ;;
  esac
  case "${{COMP_WORDS[1]}} $previous" in
{4}    *)
      case ${{COMP_WORDS[1]}} in
{5}      esac ;;
  esac
  [ -z "$list" ] || words=$("${{COMP_WORDS[0]}}" list "$list" --format names 2>/dev/null)
  COMPREPLY=()
  [ -z "$files" ] || COMPREPLY=($(compgen -f -- "$current"))
  case $current in *,*) before=${{current%,*}}, current=${{current##*,}} ;; esac
  COMPREPLY+=($(compgen -P "$before" -W "$words" -- "$current"))
}}
complete -F _{1} {0}
)sh",
                     program(), as_function(program()), command_names(app), long_options(app), values, operands,
                     options);
}

std::string zsh_completion(const CLI::App& app) {
  const std::string function = as_function(program());
  std::string commands, cases;
  for (const CLI::App* c : subcommands_of(app)) {
    commands += fmt::format("    '{}:{}'\n", c->get_name(), in_single_quotes(escaped(c->get_description(), ":\\")));
    cases +=
        fmt::format("    {})\n      _arguments '*:operand:{}'", c->get_name(), zsh_action(operands_of(*c), function));
    for_each_option(*c, [&](const CLI::Option& option, const std::string& name, const Words& words) {
      cases +=
          fmt::format(" \\\n        '*--{}[{}]{}'", name, in_single_quotes(escaped(option.get_description(), "[]:\\")),
                      takes_value(option) ? ":value:" + zsh_action(words, function) : "");
    });
    cases += " ;;\n";
  }
  return fmt::format(R"sh(#compdef {0}
_{1}_names() {{  # the names of a listing; and files
  local -a names
  local status_of=1
  names=(${{(f)"$($program list $1 --format names 2>/dev/null)"}})
  if [[ $2 == files ]]; then _files && status_of=0; fi
  compset -P '*,'
  compadd -a names && status_of=0
  return status_of
}}
_{1}() {{
  local -a commands
  local program=${{(Q)words[1]}}
  commands=(
{2})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{3}  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _{1} "$@"
else
  compdef _{1} {0}
fi
)sh",
                     program(), function, commands, cases);
}

std::string fish_completion(const CLI::App& app) {
  const std::string name = program(), function = as_function(name);
  std::string text = fmt::format(R"sh(# fish completion for {}
function __{}_names
  set -l words (commandline -opc)
  set -l before (string match -r '.*,' -- (commandline -ct))
  $words[1] list $argv[1] --format names 2>/dev/null | string replace -r '^' -- "$before"
end
)sh",
                                 name, function);
  for (const CLI::App* c : subcommands_of(app)) {
    text += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d '{}'\n", name, c->get_name(),
                        escaped(c->get_description(), "'\\"));
  }
  for (const CLI::App* c : subcommands_of(app)) {
    const std::string here = fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", name, c->get_name());
    const Words operands = operands_of(*c);
    if (!operands.files) text += here + " -f\n";
    if (!operands.choices.empty()) text += fmt::format("{} -a '{}'\n", here, operands.choices);
    if (!operands.listing.empty()) text += fmt::format("{} -a '(__{}_names {})'\n", here, function, operands.listing);
    for_each_option(*c, [&](const CLI::Option& option, const std::string& option_name, const Words& words) {
      text += fmt::format("{} -l {} {}-d '{}'\n", here, option_name,
                          takes_value(option) ? fish_values(words, function) + " " : "",
                          escaped(option.get_description(), "'\\"));
    });
  }
  return text;
}

}  // namespace picklock
