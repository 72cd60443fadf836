#include "cli/config_program.h"

#include <algorithm>
#include <array>

#include "cli/child_run.h"
#include "cli/local_files.h"
#include "common/path_text.h"

namespace clusterd::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array kEndings{".config.js"sv, ".config.cjs"sv, ".config.mjs"sv, ".config.ts"sv};
constexpr int kResultFd = 3;
constexpr int kBadNodeOption = 9;  // "Invalid Argument" in Node's list of exit codes

// JSON has no regular expressions and no big numbers: their text is what PM2's keys take in their place.
constexpr const char* kLoader = R"js(
const fs = require("fs");
(async () => {
  const module_ = await import(require("url").pathToFileURL(process.argv[1]).href);
  let value = "default" in module_ ? module_.default : module_;
  if (value && value.__esModule && value.default) value = value.default;
  if (typeof value === "function") value = await value();
  const text = JSON.stringify(value, (key, item) =>
    item instanceof RegExp ? item.source : typeof item === "bigint" ? String(item) : item);
  if (text === undefined) throw new Error("it exports nothing that is an app");
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(3, bytes, at);
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
)js";

}  // namespace

bool is_config_program(std::string_view path) {
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return path.ends_with(ending); });
}

Result<ConfigProgram> run_config_program(const std::string& path, const std::string& shown_name,
                                         const Caller& caller) {
  const auto node = find_on_path("node", variable(caller, "PATH"));
  if (!node) {
    return fail(ErrorCode::config,
                shown_name +
                    " is a program for Node, and there is no `node` on PATH; where there is one, convert it "
                    "once:\n  node -p 'JSON.stringify(require(\"./" +
                    std::string(base_name(path)) + "\"), null, 2)' > ecosystem.json");
  }
  ChildRun run;
  run.words = {*node};
  const bool is_typescript = path.ends_with(".ts");
  if (is_typescript) run.words.emplace_back("--experimental-strip-types");
  run.words.insert(run.words.end(), {"-e", kLoader, "--", path});
  run.captured_fd = kResultFd;
  run.bytes_max = kConfigFileBytesMax;
  run.limit = kConfigProgramLimit;
  auto outcome = run_child(run);
  if (!outcome) return fail(ErrorCode::config, shown_name + ": " + outcome.error().message);
  if (is_typescript && outcome->status == kBadNodeOption) {
    return fail(ErrorCode::config,
                shown_name + ": " + *node + " does not read TypeScript; Node 22.6 or newer does");
  }
  if (outcome->status != 0) {
    return fail(ErrorCode::config, shown_name + ": node ended with status " +
                                       std::to_string(outcome->status) + "; what it said stands above");
  }
  auto document = parse_jsonc(outcome->output, shown_name);
  if (!document) return fail(document.error());
  document->lines.clear();  // lines of the text between us, not of the file
  return ConfigProgram{std::move(*document), *node};
}

}  // namespace clusterd::cli
