#include "common/error_code.h"

#include <catch2/catch.hpp>
#include <set>

using namespace clusterd;

TEST_CASE("every error code has its own word and exit status, and none means success") {
  std::set<ExitStatus> statuses;
  for (int i = 0; i <= static_cast<int>(ErrorCode::protocol); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    CHECK(error_code_from_word(error_code_word(code)) == code);
    statuses.insert(exit_status_of(code));
  }
  CHECK(statuses.size() == static_cast<std::size_t>(ErrorCode::protocol) + 1);
  CHECK_FALSE(statuses.contains(ExitStatus::success));
  CHECK_FALSE(error_code_from_word("no_such_word"));
}
