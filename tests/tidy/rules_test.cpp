// The rules themselves: each must catch what it is for, and nothing else.

#include "tests/tidy/rules.h"

#include <catch2/catch.hpp>

#include "tests/tidy/function_length.h"

using namespace clusterd::tidy;

namespace {

std::string lines(int count) {
  std::string text;
  while (count-- > 0) text += "f();\n";
  return text;
}

std::vector<int> lengths(std::string_view text) {
  std::vector<int> found;
  for (const auto& function : function_lengths(code_only(text))) found.push_back(function.lines);
  return found;
}

}  // namespace

TEST_CASE("code_only blanks comments, literals and directives and keeps every line") {
  CHECK(code_only("a /* { */ b\n") == "a         b\n");
  CHECK(code_only("a // {\nb") == "a     \nb");
  CHECK(code_only("f(\"{\\\"\", '{', 1'000)") == "f(     ,    , 1'000)");
  CHECK(code_only("R\"x({\n)\"})x\" }") == "     \n       }");
  CHECK(code_only("#define A { \\\n {\nb") == "             \n  \nb");
}

TEST_CASE("functions are measured with their braces, whatever stands in them") {
  CHECK(lengths("void f() {\n  if (x) {\n  }\n}\n") == std::vector<int>{4});
  CHECK(lengths("namespace a {\nclass B {\n  int f() const { return 1; }\n  int g() {\n  }\n};\n}\n") ==
        std::vector<int>{1, 2});
  CHECK(lengths("template <class T>\nauto f(T t) -> int\n{\n\n}\n") == std::vector<int>{3});
  CHECK(lengths("struct stat f(int a,\n int b) noexcept {\n}\n") == std::vector<int>{2});
  CHECK(lengths("B::B(int a) : a_(a), b_(2) {\n}\n") == std::vector<int>{2});
  CHECK(lengths("B::B(int a)\n : a_{a}, b_{{2}} {\n\n}\n") == std::vector<int>{3});
  CHECK(lengths("TEST_CASE(\"{\") {\n\n}\n") == std::vector<int>{3});
}

TEST_CASE("what is no function is not measured") {
  CHECK(lengths("constexpr int kTable[] = {\n1,\n2,\n};\n").empty());
  CHECK(lengths("enum class A {\n b,\n};\n").empty());
  CHECK(lengths("struct A : B {\n  int c{1};\n};\n").empty());
  CHECK(lengths("extern \"C\" {\nint f();\n}\n").empty());
}

TEST_CASE("files and functions are caught one line above the limit") {
  CHECK(check_file_length({"a.cpp", lines(kFileLinesMax)}).empty());
  CHECK(check_file_length({"a.cpp", lines(kFileLinesMax + 1)}).size() == 1);
  CHECK(check_function_length({"a.cpp", "void f() {\n" + lines(kFunctionLinesMax - 2) + "}\n"}).empty());
  CHECK(check_function_length({"a.cpp", "\nvoid f() {\n" + lines(kFunctionLinesMax - 1) + "}\n"}) ==
        Violations{"a.cpp:2: a function of 71 lines, the limit is 70"});
}

TEST_CASE("includes that point up a floor are caught") {
  const auto count = [](const char* path, const char* include) {
    return check_floors({path, "#include \"" + std::string(include) + "\"\n#include <vector>\n"}).size();
  };
  CHECK(count("common/a.h", "common/b.h") == 0);
  CHECK(count("common/a.h", "config/b.h") == 1);
  CHECK(count("config/a.cpp", "daemon/core/b.h") == 1);
  CHECK(count("daemon/core/a.cpp", "daemon/system/b.h") == 1);
  CHECK(count("daemon/core/a.cpp", "daemon/app.h") == 1);
  CHECK(count("daemon/system/a.cpp", "daemon/core/b.h") == 1);
  CHECK(count("daemon/system/a.cpp", "daemon/launcher/launch_wire.h") == 0);
  CHECK(count("daemon/system/a.cpp", "daemon/launcher/other.h") == 1);
  CHECK(count("daemon/a.cpp", "daemon/core/b.h") == 0);
  CHECK(count("daemon/a.cpp", "cli/b.h") == 1);
  CHECK(count("cli/a.cpp", "daemon/system/b.h") == 1);
  CHECK(count("tests/unit/a.cpp", "daemon/system/b.h") == 0);
}

TEST_CASE("a core that touches the outside is caught") {
  const auto count = [](const char* text) { return check_core_is_pure({"daemon/core/a.cpp", text}).size(); };
  CHECK(count("// now()\nint know(int now);\n#include <map>\n") == 0);
  CHECK(count("auto t = std::chrono::steady_clock::now();\n") == 1);
  CHECK(count("#include <unistd.h>\n#include <sys/stat.h>\n#include <boost/asio.hpp>\n#include "
              "<spdlog/spdlog.h>\n") == 4);
  CHECK(check_core_is_pure({"daemon/a.cpp", "#include <unistd.h>\n"}).empty());
}

TEST_CASE("a header without an opening comment or without a guard is caught") {
  CHECK(check_header_opening({"a.h", "// A: b.\n//\n// c\n#pragma once\n"}).empty());
  CHECK(check_header_opening({"a.h", "// A\n#pragma once\n"}).size() == 1);
  CHECK(check_header_opening({"a.h", "#pragma once\n// A\n// b\n"}).size() == 1);
  CHECK(check_header_opening({"a.h", "// A\n// b\n"}).size() == 1);
  CHECK(check_header_opening({"a.cpp", ""}).empty());
}

TEST_CASE("a unit test that sleeps is caught, one that talks about it is not") {
  const auto count = [](const char* path, const char* text) { return check_no_sleep({path, text}).size(); };
  CHECK(count("tests/unit/a_test.cpp", "std::this_thread::sleep_for(1s);\n") == 1);
  CHECK(count("tests/search/a_test.cpp", "usleep (5);\nsleep(1);\n") == 2);
  CHECK(count("tests/unit/a_test.cpp", "run(\"sleep(5)\");  // sleep(1)\nasleep(1);\n") == 0);
  CHECK(count("tests/programs/a.cpp", "sleep(1);\n") == 0);
}

TEST_CASE("marks of unfinished work are caught as words") {
  for (const std::string mark : {"TO"
                                 "DO",
                                 "FIX"
                                 "ME",
                                 "XX"
                                 "X"}) {
    CHECK(check_no_leftovers({"a.py", "x\n# " + mark + ": later\n"}).size() == 1);
    CHECK(check_no_leftovers({"a.py", "a" + mark + "X\n"}).empty());
  }
}

TEST_CASE("a document has one title, and code in it has none") {
  CHECK(check_markdown_title({"docs/a.md", "# A\n```sh\n# comment\n```\n## B\n"}).empty());
  CHECK(check_markdown_title({"docs/a.md", "# A\n# B\n"}).size() == 1);
  CHECK(check_markdown_title({"docs/a.md", "text\n"}).size() == 1);
}

TEST_CASE("opening namespace std is caught, opening its literals is not") {
  CHECK(check_no_using_std({"a.cpp", "using namespace std;\n"}).size() == 1);
  CHECK(check_no_using_std({"a.cpp", "using namespace std::chrono_literals;\n"}).empty());
}
