#include "cli/redaction.h"

#include <catch2/catch.hpp>

using namespace clusterd::cli;

using Words = std::vector<std::string>;

TEST_CASE("values behind secret words go, others stay") {
  CHECK(redacted("password=x port=3000") == "password=*** port=3000");
  CHECK(redacted("DB_PASSWORD: \"a b\", next") == "DB_PASSWORD: ***, next");
  CHECK(redacted("{\"apiToken\": \"x y\", \"b\": 1}") == "{\"apiToken\": ***, \"b\": 1}");
  CHECK(redacted("Authorization: Bearer abc.def") == "Authorization: ***");
  CHECK(redacted("sent Bearer abc.def ok") == "sent Bearer *** ok");
  CHECK(redacted("MY-SECRET-KEY=x&y=1") == "MY-SECRET-KEY=***&y=1");
  CHECK(redacted("password='open") == "password=***");
  CHECK(redacted("the password is gone") == "the password is gone");
  CHECK(redacted("password=") == "password=");
}

TEST_CASE("users of URLs go, the rest of the URL stays") {
  CHECK(redacted("postgres://u:p@host:5432/db") == "postgres://***@host:5432/db");
  CHECK(redacted("https://token@h/") == "https://***@h/");
  CHECK(redacted("http://host/a@b") == "http://host/a@b");
}

TEST_CASE("the argument behind a secret option goes") {
  CHECK(redacted_arguments({"--password", "x", "--port", "1"}) == Words{"--password", "***", "--port", "1"});
  CHECK(redacted_arguments({"--token=x", "y"}) == Words{"--token=***", "y"});
  CHECK(redacted_arguments({"--secret", "--flag"}) == Words{"--secret", "--flag"});
}

TEST_CASE("every cut of a text is handled") {
  const std::string text = "a://u:p@h password: \"x\" Bearer y token='z' secret=\"";
  for (std::size_t size = 0; size <= text.size(); ++size) (void)redacted(text.substr(0, size));
}
