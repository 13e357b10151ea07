#include "base/strict_json.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the message `text` is refused with, or "accepted".
std::string refusal(std::string_view text) {
  return refusal_of([&] { parse_strict_json(text, "f.json"); });
}

TEST(StrictJson, ParsesAllKindsOfValues) {
  const nlohmann::json value =
      parse_strict_json(R"( {"a": [1, -2, 2.5, true, null, "x\u00e9\n", {}], "b": {"a": []}} )", "f");
  EXPECT_EQ(value.dump(), R"({"a":[1,-2,2.5,true,null,"xé\n",{}],"b":{"a":[]}})");
  EXPECT_TRUE(value["a"][0].is_number_unsigned());
  EXPECT_FALSE(value["a"][1].is_number_unsigned());
  EXPECT_TRUE(value["a"][2].is_number_float());
  EXPECT_EQ(parse_strict_json("18446744073709551615", "f")->get<std::uint64_t>(), 18446744073709551615u);
  EXPECT_TRUE(parse_strict_json("18446744073709551616", "f")->is_number_float());
  EXPECT_EQ(parse_strict_json("\"top\"", "f")->get<std::string>(), "top");
}

TEST(StrictJson, RefusesDoubleKeysWithTheirPlace) {
  const std::string message = refusal("{\n \"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}");
  EXPECT_TRUE(says(message, "f.json:3: column ")) << message;
  EXPECT_TRUE(says(message, "the key \"c\" appears twice")) << message;
  EXPECT_TRUE(says(refusal(R"({"a": 1, "a": 1})"), "twice"));
  EXPECT_TRUE(says(refusal(R"({"a": 1, "\u0061": 1})"), "twice")) << "equal after unescaping";
  EXPECT_EQ(refusal(R"([{"a": 1}, {"a": 1}])"), "accepted") << "in two objects";
  EXPECT_EQ(refusal(R"({"a": {"a": 1}})"), "accepted") << "in a nested object";
}

TEST(StrictJson, RefusesSyntaxErrorsWithLineAndColumn) {
  const std::string message = refusal("{\n  \"a\": 1,\n  \"b\" 2\n}");
  EXPECT_TRUE(says(message, "f.json:3: column 7: not valid JSON: syntax error")) << message;
  for (const char* bad :
       {"",    " ",     "{",          "}",       "[1,]",      "{\"a\":}", "{a: 1}", "01",      "+1",
        "1.",  ".5",    "nan",        "NaN",     "Infinity",  "'a'",      "\"a",    "\"\\x\"", "\"\\ud800\"",
        "tru", "[1 2]", "{\"a\":1,}", "// c\n1", "/* c */ 1", "\"a\nb\"", "1e999",  "-1e999"}) {
    EXPECT_TRUE(says(refusal(bad), "not valid JSON")) << bad << ": " << refusal(bad);
  }
}

TEST(StrictJson, RefusesWhatFollowsTheValue) {
  EXPECT_TRUE(says(refusal("{} x"), "not valid JSON"));
  EXPECT_TRUE(says(refusal("{}{}"), "not valid JSON"));
  EXPECT_TRUE(says(refusal(std::string_view("{}\0", 3)), "NUL")) << "nlohmann takes it for the end";
  EXPECT_TRUE(says(refusal(std::string_view("{}\0{}", 5)), "NUL"));
  EXPECT_EQ(refusal("{} \n\t\r "), "accepted");
}

TEST(StrictJson, RefusesInvalidUtf8WithItsPlace) {
  const std::string message = refusal("{\"a\":\n\"\xff\"}");
  EXPECT_TRUE(says(message, "f.json:2: column 2")) << message;
  EXPECT_TRUE(says(message, "\\xff")) << message;
  EXPECT_TRUE(says(refusal("\"\xc0\x80\""), "UTF-8"));
  EXPECT_TRUE(says(refusal("\"\xed\xa0\x80\""), "UTF-8"));
}

TEST(StrictJson, LimitsDepthToOneHundred) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(refusal(nested(100)), "accepted");
  EXPECT_TRUE(says(refusal(nested(101)), "deeper than 100"));
  EXPECT_TRUE(says(refusal(std::string(1000000, '[')), "deeper than 100"));
  std::string objects;
  for (int i = 0; i < 101; ++i) objects += "{\"a\":";
  EXPECT_TRUE(says(refusal(objects), "deeper than 100"));
}

TEST(StrictJson, LimitsTheNumberOfValues) {
  std::string zeros = "[0";
  for (int i = 1; i < 3999999; ++i) zeros += ",0";
  EXPECT_EQ(refusal(zeros + "]"), "accepted") << "4 million with the array";
  EXPECT_TRUE(says(refusal(zeros + ",0]"), "more than 4000000 values"));
}

TEST(StrictJson, CutsLongTokensInMessages) {
  const std::string message = refusal("\"" + std::string(1000000, 'x'));
  EXPECT_LT(message.size(), 400u);
  const std::string cut_character = refusal("{é");
  EXPECT_EQ(find_invalid_utf8(cut_character), std::string_view::npos) << cut_character;
  EXPECT_TRUE(says(cut_character, "\\xc3"));
}

TEST(StrictJson, ReadsFilesUpToTheLimit) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.json", "{\"a\": 1}");
  EXPECT_EQ(read_strict_json(folder / "a.json")->at("a"), 1);
  EXPECT_EQ(read_strict_json(folder / "a.json", 8)->at("a"), 1);
  EXPECT_THROW(read_strict_json(folder / "a.json", 7), InputError);
  EXPECT_THROW(read_strict_json(folder / "missing.json"), InputError);
}

}  // namespace
}  // namespace gausscse
