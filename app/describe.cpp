#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "app/command.hpp"
#include "app/command_tables.hpp"
#include "app/completion.hpp"
#include "app/list_page.hpp"

namespace picklock {
namespace {

constexpr const char* kDescribeExamples = R"(
Examples:
  picklock describe man > picklock.1
  source <(picklock describe bash)                  completes commands, options, scenarios and locks
  picklock describe fish > ~/.config/fish/completions/picklock.fish
  picklock describe markdown                        all commands and options, as a page

The Debian package installs the manual page and the completions.)";

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

// Examples, exit status, environment: as the help has them.
std::string footer_text(const CLI::App& app, std::string_view before) {
  const std::string footer = trimmed(app.get_footer());
  return footer.empty() ? "" : fmt::format("{}\n.nf\n{}\n.fi\n", before, roff(footer));
}

std::string options_as_table(const CLI::App& app) {
  std::string rows;
  for (const CLI::Option* o : options_of(app))
    rows += fmt::format("| `{}` | {} |\n", cell(called(*o)), cell(o->get_description()));
  return rows.empty() ? "" : fmt::format("| option | meaning |\n|---|---|\n{}\n", rows);
}

std::string footer_as_code(const CLI::App& app) {
  const std::string footer = trimmed(app.get_footer());
  return footer.empty() ? "" : fmt::format("```text\n{}\n```\n\n", footer);
}

std::string command_page(const CLI::App& app) {
  std::string text = fmt::format(
      "# Commands\n\n<!-- Output of `picklock describe markdown`; scripts/update-reference writes it anew. -->\n\n"
      "`picklock COMMAND --help` prints the same.\n\n{}{}",
      options_as_table(app), footer_as_code(app));
  for (const CLI::App* c : subcommands_of(app)) {
    text += fmt::format("## `picklock {}`\n\nIt {}.\n\n", c->get_name(), c->get_description()) + options_as_table(*c) +
            footer_as_code(*c);
  }
  text.pop_back();  // a page ends without an empty line
  return text;
}

std::string manual_page(const CLI::App& app) {
  std::string text = ".TH PICKLOCK 1\n.SH NAME\n" + roff(app.get_name()) + " \\- play and judge distributed locks\n";
  text +=
      ".SH SYNOPSIS\n.B picklock\n.I command\n.RI [ options ]\n.SH DESCRIPTION\n" + roff(app.get_description()) + "\n";
  text += ".SH COMMANDS\n";
  for (const CLI::App* c : subcommands_of(app))
    text += fmt::format(".TP\n.B {}\n{}\n", roff(c->get_name()), roff(c->get_description()));
  text += ".SH OPTIONS\n" + options_text(app) + footer_text(app, ".SH EXAMPLES, EXIT STATUS, ENVIRONMENT");
  for (const CLI::App* c : subcommands_of(app)) {
    text += fmt::format(".SH PICKLOCK {}\n{}\n{}", roff(c->get_name()), roff(c->get_description()), options_text(*c)) +
            footer_text(*c, ".PP");
  }
  return text;
}

struct Form {
  std::string_view name;
  std::string (*describe)(const CLI::App& app);
};
constexpr Form kForms[] = {{"man", manual_page},
                           {"markdown", command_page},
                           {"bash", bash_completion},
                           {"zsh", zsh_completion},
                           {"fish", fish_completion}};

int describe(std::string_view form) {
  for (const Form& f : kForms) {
    if (f.name == form) fmt::print("{}", f.describe(*app_to_describe()));
  }
  return kAsExpected;
}

}  // namespace

CommandBody state_describe(CLI::App& app) {
  const auto form = std::make_shared<std::string>();
  app.footer(kDescribeExamples);
  std::vector<std::string> names;
  for (const Form& f : kForms) names.emplace_back(f.name);
  app.add_option("form", *form, "man, markdown, bash, zsh or fish")->required()->check(CLI::IsMember(names));
  return [form] { return describe(*form); };
}

}  // namespace picklock
