// Unix sockets opened for the user of an app by a daemon of root.
#include "daemon/system/file_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "daemon/system/listening_socket.h"
#include "daemon/system/socket_file.h"
#include "temp_folder.h"

namespace clusterd::test {
namespace {

constexpr uid_t kNobody = 65'534;

ListenAddress unix_address(std::string path) {
  return {.family = AddressFamily::unix_stream, .path = std::move(path)};
}

TEST_CASE("files are made and paths walked with the rights of another user, and with our own again") {
  if (geteuid() != 0) return;
  const TempFolder folder;
  std::filesystem::create_directory(folder / "theirs");
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  REQUIRE(chown((folder / "theirs").c_str(), kNobody, kNobody) == 0);
  {
    const Identity nobody{kNobody, kNobody, {kNobody}};
    const FileIdentity identity(&nobody);
    CHECK(open_listening_socket(unix_address(folder / "ours.sock")).error().code == ErrorCode::denied);
    CHECK(open_listening_socket(unix_address(folder / "theirs/a.sock")));
  }
  struct stat about;
  REQUIRE(stat((folder / "theirs/a.sock").c_str(), &about) == 0);
  CHECK(about.st_uid == kNobody);
  CHECK(about.st_gid == kNobody);
  CHECK(open_listening_socket(unix_address(folder / "ours.sock")));
  CHECK(geteuid() == 0);
}

TEST_CASE("a socket's file is known again, and another one in its place is left alone") {
  const TempFolder folder;
  const std::string path = folder / "a.sock";
  auto socket = open_listening_socket(unix_address(path));
  REQUIRE(socket);
  const SocketFile file = SocketFile::at(path);
  CHECK(file.in_place());
  file.add_mode(0222);
  CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::others_write) !=
        std::filesystem::perms::none);

  std::filesystem::rename(path, folder / "old.sock");
  CHECK_FALSE(file.in_place());
  auto other = open_listening_socket(unix_address(path));
  REQUIRE(other);
  CHECK_FALSE(file.in_place());
  file.remove();
  CHECK(SocketFile::at(path).in_place());
  SocketFile::at(path).remove();
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(SocketFile::at("@abstract").in_place());
}

}  // namespace
}  // namespace clusterd::test
