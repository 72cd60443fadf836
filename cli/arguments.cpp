#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "cli/foreign_verbs.h"
#include "cli/option_table.h"
#include "common/suggest.h"

namespace clusterd::cli {
namespace {

using Words = std::vector<std::string>;

// A command line in three parts; options before the verb have been moved behind it.
struct Split {
  std::string verb;  // empty: none was given
  Words words;
  Words after_dashes;
  bool dashes = false;
};

bool looks_like_option(std::string_view word) {
  // "-" is a file name by convention and "-1" a number, as in `scale web -1`.
  return word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

bool takes_next_word(std::string_view word) {
  const OptionRow* row = find_option(word);
  return row != nullptr && takes_word(*row);
}

// PM2 takes the word behind such an option for its value. Here it may be a target, so it has to look like
// one: a pattern of a time, or a template.
bool looks_like_value(std::string_view word) {
  return word.find('{') != word.npos || word.find("HH") != word.npos || word.find("YYYY") != word.npos;
}

void join_optional_values(Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const OptionRow* row = find_option(words[i]);
    if (row == nullptr || !row->value_optional || !looks_like_value(words[i + 1])) continue;
    words[i] += "=" + words[i + 1];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

Split split(const Words& words) {
  Split result;
  auto dashes = std::ranges::find(words, "--");
  // `--` may also be the value of an option that stands before it, but no option of ours has use for that.
  if (dashes != words.end()) {
    result.dashes = true;
    result.after_dashes.assign(std::next(dashes), words.end());
  }
  auto word = words.begin();
  for (; word != dashes && looks_like_option(*word); ++word) {
    result.words.push_back(*word);
    if (takes_next_word(*word) && std::next(word) != dashes) result.words.push_back(*++word);
  }
  if (word == dashes) return result;
  result.verb = *word;
  result.words.insert(result.words.end(), std::next(word), dashes);
  return result;
}

bool contains_any(const Words& words, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return std::ranges::count(wanted, word) > 0; });
}

Error usage_error(Verb verb, std::string message) {
  message += "\nSee: clusterd help " + std::string(verb_row(verb).name);
  return {ErrorCode::usage, std::move(message)};
}

Error unknown_option(Verb verb, const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  std::vector<std::string_view> candidates;
  for (const OptionRow& row : option_table()) {
    if (applies_to(row, verb)) std::ranges::copy(names_of(row), std::back_inserter(candidates));
  }
  std::string message = "unknown option '" + name + "' of " + std::string(verb_row(verb).name);
  if (find_option(name) != nullptr) {
    message += "; it belongs to another verb";
  } else {
    message += did_you_mean(name, candidates);
  }
  if (verb == Verb::start || verb == Verb::prove) {
    message += "\nOptions of the program itself stand after --: clusterd " +
               std::string(verb_row(verb).name) + " app -- " + name;
  }
  return usage_error(verb, std::move(message));
}

// CLI11 would take the next word for the value of `--name=`.
Result<> refuse_empty_values(Verb verb, const Words& words) {
  for (const std::string& word : words) {
    if (word.starts_with("--") && word.ends_with('=') && takes_next_word(word.substr(0, word.size() - 1))) {
      return fail(usage_error(verb, "'" + word + "' has no value"));
    }
  }
  return {};
}

Result<> apply(const OptionRow& row, const Words& values, Arguments& arguments) {
  if (row.apply != nullptr) return row.apply(arguments, values);
  AppSetting setting{std::string(row.key), row.kind, {}};
  if (row.kind == AppSetting::Kind::text) setting.values = {values.back()};
  if (row.kind == AppSetting::Kind::list) setting.values = values;
  arguments.app_settings.push_back(std::move(setting));
  return {};
}

// Lets CLI11 sort options from other words; our own table says what the options mean.
Result<> parse_options(Words words, Arguments& arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::pair<const OptionRow*, CLI::Option*>> options;
  for (const OptionRow& row : option_table()) {
    if (!applies_to(row, arguments.verb)) continue;
    CLI::Option* option =
        takes_word(row) ? app.add_option(std::string(row.names)) : app.add_flag(std::string(row.names));
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    options.emplace_back(&row, option);
  }
  try {
    std::ranges::reverse(words);  // CLI11 takes the words from the back
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return fail(usage_error(arguments.verb, error.what()));
  }
  for (const auto& [row, option] : options) {
    if (option->count() == 0) continue;
    if (auto applied = apply(*row, option->results(), arguments); !applied) return applied;
  }
  for (std::string& word : arguments.targets = app.remaining()) {
    if (looks_like_option(word)) return fail(unknown_option(arguments.verb, word));
  }
  return {};
}

Result<> check_target_count(const Arguments& arguments) {
  const VerbRow& row = verb_row(arguments.verb);
  int count = static_cast<int>(std::min<std::size_t>(arguments.targets.size(), kTargetsMax + 1));
  std::string name(row.name);
  if (count < row.targets_min) {
    return fail(usage_error(row.verb, name + " needs " + std::string(row.operands) +
                                          "; for example: " + std::string(row.example)));
  }
  if (count > row.targets_max) {
    std::string surplus = arguments.targets[static_cast<std::size_t>(row.targets_max)];
    return fail(usage_error(row.verb, name + " does not know what to do with '" + surplus + "'"));
  }
  return {};
}

Result<Arguments> without_verb(const Split& parts) {
  Arguments arguments;
  if (contains_any(parts.words, {"--help", "-h"})) return arguments;
  if (contains_any(parts.words, {"--version", "-v", "-V"})) {
    arguments.verb = Verb::version;
    arguments.offline = true;
    return arguments;
  }
  return fail(ErrorCode::usage, "no verb given; try: clusterd list, clusterd start ./server, clusterd help");
}

// All but --home go to the daemon as they are; it knows its options itself.
Result<Arguments> parse_daemon(Arguments arguments, const Split& parts) {
  for (std::size_t i = 0; i < parts.words.size(); ++i) {
    const std::string& word = parts.words[i];
    if (word == "--home" && i + 1 < parts.words.size()) {
      arguments.home = parts.words[++i];
    } else if (word.starts_with("--home=")) {
      arguments.home = word.substr(7);
    } else {
      arguments.daemon_options.push_back(word);
    }
  }
  return arguments;
}

}  // namespace

Result<Arguments> parse_arguments(const std::vector<std::string>& words) {
  Split parts = split(words);
  if (parts.verb.empty()) return without_verb(parts);
  const VerbRow* row = find_verb(parts.verb);
  if (row == nullptr) {
    if (auto sentence = foreign_verb_sentence(parts.verb))
      return fail(ErrorCode::usage, std::move(*sentence));
    return fail(ErrorCode::usage,
                "unknown verb '" + parts.verb + "'" + did_you_mean_verb(parts.verb) + "\nSee: clusterd help");
  }
  join_optional_values(parts.words);
  Arguments arguments;
  arguments.verb = row->verb;
  if (contains_any(parts.words, {"--help", "-h"})) {
    arguments.verb = Verb::help;
    arguments.targets = {std::string(row->name)};
    return arguments;
  }
  if (row->verb == Verb::daemon) return parse_daemon(std::move(arguments), parts);
  if (auto checked = refuse_empty_values(row->verb, parts.words); !checked) return fail(checked.error());
  if (auto parsed = parse_options(std::move(parts.words), arguments); !parsed) return fail(parsed.error());
  bool runs_program = row->verb == Verb::start || row->verb == Verb::prove || row->verb == Verb::adopt;
  auto& rest = runs_program ? arguments.app_args : arguments.targets;
  rest.insert(rest.end(), parts.after_dashes.begin(), parts.after_dashes.end());
  if (auto checked = check_target_count(arguments); !checked) return fail(checked.error());
  return arguments;
}

}  // namespace clusterd::cli
