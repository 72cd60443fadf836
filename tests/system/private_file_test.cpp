#include "daemon/system/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/system/temp_folder.h"

TEST_CASE("a file made private is closed to other users and to children") {
  const clusterd::test::TempFolder folder;
  std::FILE* file = std::fopen((folder / "log").c_str(), "a");
  REQUIRE(file != nullptr);
  REQUIRE(::fchmod(::fileno(file), 0666) == 0);
  clusterd::make_private(file);
  struct stat status{};
  CHECK(::fstat(::fileno(file), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(::fcntl(::fileno(file), F_GETFD) == FD_CLOEXEC);
  std::fclose(file);
}
