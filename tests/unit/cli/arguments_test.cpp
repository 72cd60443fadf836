#include "cli/arguments.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "cli/foreign_verbs.h"
#include "cli/help.h"
#include "cli/option_table.h"

using namespace clusterd;
using namespace clusterd::cli;

namespace {

Arguments parse(const std::vector<std::string>& words) {
  auto parsed = parse_arguments(words);
  INFO((parsed ? std::string() : parsed.error().message));
  REQUIRE(parsed);
  return *parsed;
}

std::string usage_message(const std::vector<std::string>& words) {
  auto parsed = parse_arguments(words);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == ErrorCode::usage);
  return parsed.error().message;
}

std::vector<std::string> setting(const Arguments& arguments, const std::string& key) {
  for (const AppSetting& candidate : arguments.app_settings) {
    if (candidate.key == key) return candidate.values;
  }
  return {"(absent)"};
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("options may stand before or after the verb") {
  for (const Words& words : {Words{"start", "./server", "-i", "4", "--name", "web"},
                             Words{"-i", "4", "start", "--name", "web", "./server"},
                             Words{"--name=web", "-i4", "start", "./server"}}) {
    Arguments arguments = parse(words);
    CHECK(arguments.verb == Verb::start);
    CHECK(arguments.targets == Words{"./server"});
    CHECK(setting(arguments, "instances") == Words{"4"});
    CHECK(setting(arguments, "name") == Words{"web"});
  }
}

TEST_CASE("words after -- reach the app byte by byte") {
  Words odd{"--t=a b", "", "x\"y'", "--", "-i", "[1,2]", "\xff\xfe", "--help"};
  Words words{"start", "a.js", "--"};
  words.insert(words.end(), odd.begin(), odd.end());
  Arguments arguments = parse(words);
  CHECK(arguments.app_args == odd);
  CHECK(arguments.targets == Words{"a.js"});
}

TEST_CASE("targets are taken over byte by byte, in order") {
  Words odd{"[a,b]", "x y", "тест", "a=b", "{}"};
  Words words{"stop"};
  words.insert(words.end(), odd.begin(), odd.end());
  CHECK(parse(words).targets == odd);
}

TEST_CASE("a number with a minus is a value, not an option") {
  CHECK(parse({"scale", "web", "-1"}).targets == Words{"web", "-1"});
  CHECK(setting(parse({"start", "a", "-i", "-1"}), "instances") == Words{"-1"});
}

TEST_CASE("repeatable options do not swallow the script") {
  Arguments arguments = parse({"start", "--listen", "3000", "--listen", "[::1]:80", "./server", "x"});
  CHECK(setting(arguments, "listen") == Words{"3000", "[::1]:80"});
  CHECK(arguments.targets == Words{"./server", "x"});
}

TEST_CASE("of an option given twice the last one counts") {
  CHECK(setting(parse({"start", "a", "-n", "x", "-n", "y"}), "name") == Words{"y"});
}

TEST_CASE("an option's value may look like an option") {
  CHECK(setting(parse({"start", "a.js", "--node-args", "--inspect"}), "interpreter_args") ==
        Words{"--inspect"});
}

TEST_CASE("the aliases of PM2 are understood") {
  CHECK(parse({"ls"}).verb == Verb::list);
  CHECK(parse({"ps"}).verb == Verb::list);
  CHECK(parse({"del", "web"}).verb == Verb::remove);
  CHECK(parse({"show", "web"}).verb == Verb::describe);
  CHECK(parse({"dump"}).verb == Verb::save);
  CHECK(parse({"gracefulReload", "web"}).verb == Verb::reload);
  CHECK(parse({"startOrGracefulReload", "e.json"}).verb == Verb::start_or_reload);
  CHECK(parse({"ecosystem"}).verb == Verb::init);
  CHECK(parse({"sysinfos"}).verb == Verb::slist);
}

TEST_CASE("a mistyped verb or option gets a suggestion") {
  CHECK(usage_message({"strat", "x"}).find("did you mean 'start'?") != std::string::npos);
  CHECK(usage_message({"start", "x", "--instnces", "3"}).find("did you mean '--instances'?") !=
        std::string::npos);
}

TEST_CASE("a verb only PM2 has is a sentence, and docs/from-pm2.md has it") {
  std::ifstream file(CLUSTERD_SOURCE_DIR "/docs/from-pm2.md");
  std::stringstream content;
  content << file.rdbuf();
  for (const ForeignVerb& verb : foreign_verbs()) {
    INFO(verb.name);
    CHECK(find_verb(verb.name) == nullptr);
    const std::string message = usage_message({std::string(verb.name), "a", "--b"});
    CHECK(message.starts_with(std::string(verb.name) + ": "));
    CHECK(message.find('\n') == std::string::npos);
    CHECK(content.str().find("`" + std::string(verb.name) + "`") != std::string::npos);
  }
  CHECK(usage_message({"module:update"}).starts_with("module:update: "));
}

TEST_CASE("settings stand behind restart and reload, too") {
  CHECK(setting(parse({"restart", "web", "-i", "4"}), "instances") == Words{"4"});
  CHECK(setting(parse({"reload", "web", "--kill-timeout", "5s"}), "kill_timeout") == Words{"5s"});
  CHECK(parse({"start", "x", "--no-vizion"}).ignores_options);
}

TEST_CASE("--sort takes a column and a direction") {
  CHECK(parse({"list", "--sort", "cpu"}).sort_field == "cpu");
  CHECK(parse({"list", "--sort", "cpu:desc"}).sort_descending);
  CHECK_FALSE(parse({"list", "--sort", "cpu:asc"}).sort_descending);
  CHECK(usage_message({"list", "--sort", "cpus"}).find("did you mean 'cpu'?") != std::string::npos);
  usage_message({"list", "--sort", "cpu:up"});
}

TEST_CASE("an option of the app without -- is explained") {
  CHECK(usage_message({"start", "app.js", "--port", "3000"}).find("stand after --") != std::string::npos);
}

TEST_CASE("usage errors name what is missing or too much") {
  CHECK(usage_message({}).find("no verb") != std::string::npos);
  CHECK(usage_message({"stop"}).find("TARGET") != std::string::npos);
  CHECK(usage_message({"scale", "web"}).find("COUNT") != std::string::npos);
  CHECK(usage_message({"ping", "x"}).find("'x'") != std::string::npos);
  CHECK(usage_message({"start", "x", "--name="}).find("has no value") != std::string::npos);
  CHECK(usage_message({"start", "x", "--name"}).size() > 10);
  CHECK(usage_message({"stop", "web", "-i", "3"}).find("'-i'") != std::string::npos);
}

TEST_CASE("--lines accepts 0 and refuses what is no number of lines") {
  CHECK(parse({"logs", "--lines", "0"}).logs.lines == 0);
  for (const char* text : {"-1", "x", "1.5", "99999999999", "", "1000001"}) {
    usage_message({"logs", "--lines", text});
  }
}

TEST_CASE("--out and --err choose a stream, both together mean both") {
  CHECK(parse({"logs", "--out"}).logs.streams == LogStreams::out);
  CHECK(parse({"logs", "--err"}).logs.streams == LogStreams::err);
  CHECK(parse({"logs", "--err", "--out"}).logs.streams == LogStreams::both);
  CHECK_FALSE(parse({"logs", "--nostream"}).logs.follow);
}

TEST_CASE("--timestamp and --format have a value of their own, or the next word if it looks like one") {
  CHECK(parse({"logs", "--timestamp", "web"}).logs.timestamp == "YYYY-MM-DD HH:mm:ss.SSS");
  CHECK(parse({"logs", "--timestamp", "web"}).targets == std::vector<std::string>{"web"});
  CHECK(parse({"logs", "--timestamp=HH:mm", "web"}).logs.timestamp == "HH:mm");
  CHECK(parse({"logs", "--timestamp", "HH:mm", "web"}).logs.timestamp == "HH:mm");
  CHECK(parse({"--timestamp", "logs", "web"}).targets == std::vector<std::string>{"web"});
  CHECK(parse({"logs", "--format", "{app} {message}"}).logs.format);
  CHECK(parse({"logs", "--format"}).logs.format);
  CHECK(usage_message({"logs", "--format", "{what}"}).find("no field {what}") != std::string::npos);
  CHECK(usage_message({"logs", "--grep", "("}).find("no regular expression") != std::string::npos);
  CHECK(usage_message({"logs", "--since", "yesterday"}).find("--since") != std::string::npos);
  CHECK(parse({"why", "web.3", "--lines", "2"}).logs.lines == 2);
}

TEST_CASE("--help of a verb is help even if its operands are missing") {
  Arguments arguments = parse({"scale", "--help"});
  CHECK(arguments.verb == Verb::help);
  CHECK(arguments.targets == Words{"scale"});
  CHECK(parse({"--help"}).targets.empty());
}

TEST_CASE("--version stays offline, the verb may ask the daemon") {
  CHECK(parse({"--version"}).offline);
  CHECK_FALSE(parse({"version"}).offline);
}

TEST_CASE("the daemon's own options are passed on in order, --home is ours") {
  Arguments arguments = parse({"daemon", "--home", "/h", "--verbose", "--x", "y"});
  CHECK(arguments.home == "/h");
  CHECK(arguments.daemon_options == Words{"--verbose", "--x", "y"});
}

TEST_CASE("--only splits at commas and blanks and adds up") {
  CHECK(parse({"start", "e.json", "--only", "a, b", "--only", "c"}).only == Words{"a", "b", "c"});
  usage_message({"start", "e.json", "--only", ","});
}

TEST_CASE("every verb has an example and its help lists all options it accepts") {
  for (const VerbRow& row : verb_table()) {
    std::string help = verb_help_text(row);
    CHECK(row.example.starts_with("clusterd "));
    CHECK(help.find(row.example) != std::string::npos);
    for (const OptionRow& option : option_table()) {
      INFO(row.name << " " << option.names);
      bool shown = help.find(names_of(option).back()) != std::string::npos;
      if (applies_to(option, row.verb)) CHECK(shown);
    }
    CHECK(overview_text().find(row.summary) != std::string::npos);
  }
}

TEST_CASE("docs/cli.md describes every verb, alias and option") {
  std::ifstream file(CLUSTERD_SOURCE_DIR "/docs/cli.md");
  std::stringstream content;
  content << file.rdbuf();
  std::string docs = content.str();
  for (const VerbRow& row : verb_table()) {
    INFO(row.name);
    CHECK(docs.find("### " + std::string(row.name) + "\n") != std::string::npos);
    CHECK(docs.find(row.example) != std::string::npos);
    for (std::string_view alias : row.aliases)
      CHECK(docs.find("`" + std::string(alias) + "`") != std::string::npos);
  }
  for (const OptionRow& option : option_table()) {
    for (std::string_view name : names_of(option)) {
      INFO(name);
      CHECK(docs.find("`" + std::string(name)) != std::string::npos);
    }
  }
}
