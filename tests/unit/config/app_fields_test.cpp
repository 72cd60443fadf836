#include "config/app_fields.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "config/field_lists.h"
#include "config/foreign_keys.h"
#include "tests/unit/config/app_file_fixture.h"

using namespace clusterd;
using nlohmann::json;

namespace {

json read_schema() {
  std::ifstream file(CLUSTERD_SOURCE_DIR "/config/ecosystem.schema.json");
  return json::parse(file);
}

// Every way to write the key of a field.
std::set<std::string> spellings(const AppField& field) {
  std::set<std::string> keys{std::string(field.name), camel_case(field.name)};
  for (const std::string_view alias : field.aliases) {
    if (!alias.empty()) keys.insert({std::string(alias), camel_case(alias)});
  }
  return keys;
}

json app_with_value(const std::string& key, const json& value) {
  json app{{"name", "x"}, {"script", "/x.js"}};
  const AppField* field = find_app_field(key);
  if (field && (field->name == "name" || field->name == "script")) app.erase(std::string(field->name));
  app[key] = value;
  return app;
}

}  // namespace

TEST_CASE("no key means two fields") {
  std::map<std::string, std::string_view> owner;
  for (const AppField& field : app_fields()) {
    CHECK_FALSE(field.doc.empty());
    for (const std::string& key : spellings(field)) {
      INFO(key);
      CHECK(owner.emplace(key, field.name).second);
      CHECK(find_app_field(key) == &field);
      CHECK(find_foreign_key(key) == nullptr);
      CHECK_FALSE(env_profile_of_key(key));
    }
  }
}

TEST_CASE("the schema has every key of the table with its type and help") {
  const json schema = read_schema();
  const json& properties = schema["$defs"]["app"]["properties"];
  for (const AppField& field : app_fields()) {
    CHECK(schema["$defs"].contains(std::string(field.type)));
    CHECK(properties[std::string(field.name)].value("description", "") == field.doc);
    for (const std::string& key : spellings(field)) {
      INFO(key);
      REQUIRE(properties.contains(key));
      CHECK(properties[key]["$ref"] == "#/$defs/" + std::string(field.type));
    }
  }
}

TEST_CASE("the limits in the schema are the parser's") {
  const json schema = read_schema();
  CHECK(schema["$defs"]["listen"]["anyOf"][1]["maxItems"] == kListenAddressesMax);
  CHECK(schema["$defs"]["instances"]["anyOf"][1]["maximum"] == kInstancesMax);
  CHECK(schema["$defs"]["instances"]["anyOf"][1]["minimum"] == -kInstancesMax);
}

TEST_CASE("the schema has no key the parser does not know") {
  const json schema = read_schema();
  const json& app = schema["$defs"]["app"];
  CHECK(app["additionalProperties"] == false);
  CHECK(app["patternProperties"].size() == 1);
  for (const auto& [key, property] : app["properties"].items()) {
    INFO(key);
    const bool is_unsupported = property.value("$ref", "") == "#/$defs/unsupported";
    CHECK(is_unsupported == (find_foreign_key(key) != nullptr));
    CHECK((key == "$schema" || is_unsupported || find_app_field(key) != nullptr));
  }
  for (const ForeignKey& key : foreign_keys()) {
    CHECK(app["properties"].contains(std::string(key.name)));
    CHECK_FALSE(key.why.empty());
  }
}

TEST_CASE_METHOD(AppFileFixture,
                 "the parser takes every example of the schema, under every spelling of the key") {
  const json schema = read_schema();
  int tried = 0;
  for (const AppField& field : app_fields()) {
    const json& examples = schema["$defs"][std::string(field.type)]["examples"];
    CHECK_FALSE(examples.empty());
    for (const std::string& key : spellings(field)) {
      for (const json& example : examples) {
        INFO(app_with_value(key, example).dump());
        const auto result = parse_app_object(app_with_value(key, example), context);
        CHECK(result.errors == std::vector<std::string>{});
        CHECK(result.apps.size() == 1);
        ++tried;
      }
    }
  }
  CHECK(tried > 100);
}

TEST_CASE("profiles are env_ and a name") {
  CHECK(env_profile_of_key("env_production") == "production");
  CHECK_FALSE(env_profile_of_key("env_"));
  CHECK_FALSE(env_profile_of_key("env"));
  CHECK_FALSE(env_profile_of_key("environment"));
}

TEST_CASE("camelCase joins at underscores") {
  CHECK(camel_case("exp_backoff_restart_delay") == "expBackoffRestartDelay");
  CHECK(camel_case("name") == "name");
  CHECK(camel_case("a_") == "a_");
}
