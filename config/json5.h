// JSON5 (https://spec.json5.org) as it is found in .json5 files: rewritten as the JSON of config/jsonc, line
// by line.
//
// Pure; used by config/app_file. On top of comments and trailing commas: keys without quotes, single quotes,
// lines that go on in strings, hexadecimal numbers, a leading + or a dot without digits. Lines stay what they
// are, so messages are right; columns may be off by the quotes that were added. Infinity and NaN are refused:
// no key has use for them.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "common/result.h"
#include "config/jsonc.h"
#include "config/jsonc_syntax.h"

namespace clusterd {

std::expected<std::string, SyntaxFault> json5_to_jsonc(std::string_view text);

// As parse_jsonc().
Result<JsoncDocument> parse_json5(std::string_view text, std::string_view file_name);

}  // namespace clusterd
