// Paths as text: joining and taking apart, without asking the file system.
//
// Pure, on purpose: a `current -> release-7` link must stay in the path so that it is followed again at each
// start. Nothing is resolved except "." and "..", and those only as far as it is harmless to look at.
#pragma once

#include <string>
#include <string_view>

namespace clusterd {

inline bool is_absolute(std::string_view path) { return path.starts_with('/'); }

// `path` itself when absolute, else below `base`; "." components and doubled slashes vanish. ".." stays:
// behind a symbolic link it means another folder than text could tell.
std::string join_path(std::string_view base, std::string_view path);

// "~/x" and "~" against `user_home`; everything else, "~other/x" included, unchanged.
std::string expand_home(std::string_view path, std::string_view user_home);

// "server.js" of "/srv/server.js"; "" of "/".
std::string_view base_name(std::string_view path);

// ".js" of "/srv/server.js"; "" without one, and of ".profile".
std::string_view extension(std::string_view path);

// "server" of "/srv/server.js"; ".profile" of ".profile".
std::string_view stem(std::string_view path);

}  // namespace clusterd
