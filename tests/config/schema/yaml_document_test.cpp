#include "config/schema/yaml_document.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

YamlNode parse(std::string_view yaml) {
  return parse_yaml_document(yaml, std::make_shared<const std::string>("t.yaml"));
}

std::string refusal(std::string_view yaml) {
  try {
    parse(yaml);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(YamlDocument, KeepsTextQuotesOrderAndPlaces) {
  const YamlNode root = parse("a: 1\nb:\n  - \"x\"\n  - ~\n  - {c: d}\n");
  ASSERT_EQ(root.kind, YamlNode::Kind::map);
  ASSERT_EQ(root.entries.size(), 2u);
  EXPECT_EQ(root.entries[0].key, "a");
  EXPECT_EQ(root.entries[0].value.text, "1");
  EXPECT_FALSE(root.entries[0].value.quoted);
  const YamlNode& list = root.entries[1].value;
  ASSERT_EQ(list.kind, YamlNode::Kind::sequence);
  ASSERT_EQ(list.items.size(), 3u);
  EXPECT_EQ(list.items[0].text, "x");
  EXPECT_TRUE(list.items[0].quoted);
  EXPECT_EQ(to_string(list.items[0].position), "t.yaml:3:5");
  EXPECT_EQ(list.items[1].kind, YamlNode::Kind::null);
  EXPECT_EQ(list.items[2].entries[0].value.text, "d");
  EXPECT_EQ(to_string(root.entries[1].position), "t.yaml:2:1");
  EXPECT_EQ(parse("").kind, YamlNode::Kind::null);
  EXPECT_EQ(parse("# nothing\n").kind, YamlNode::Kind::null);
}

TEST(YamlDocument, RefusesWhatATrialNeverNeeds) {
  struct Case {
    std::string yaml, message;
  };
  const Case cases[] = {
      {"a: 1\nb: 2\na: 3\n", "t.yaml:3:1: the key \"a\" is given twice, first at t.yaml:1:1"},
      {"x: {a: 1, a: 1}", "t.yaml:1:11: the key \"a\" is given twice"},
      {"a: 1\n\"a\": 1\n", "given twice"},
      {"a: &x 1\n", "t.yaml:1:4: an anchor (&name) is not allowed"},
      {"a: 1\nb: *a\n", "not valid YAML: the referenced anchor is not defined"},
      {"a: &x [1]\nb: *x\n", "an anchor (&name) is not allowed"},
      {"a: !!int 3\n", "the tag \"tag:yaml.org,2002:int\" is not allowed"},
      {"a: !x [1]\n", "the tag \"!x\" is not allowed"},
      {"a: 1\n---\nb: 1\n", "holds more than one YAML document"},
      {"a: 1\n...\n}\n", "not valid YAML"},
      {"[a]: 1\n", "a key must be a word"},
      {"{a: 1}: 1\n", "a key must be a word"},
      {": 1\n", "a key is missing before the colon"},
      {"~: 1\n", "a key is missing before the colon"},
      {"a: [1\n", "not valid YAML"},
      {"a: b: c\n", "t.yaml:1:5: not valid YAML"},
      {"a: \"\\q\"\n", "not valid YAML"},
      {"a:\n\tb: 1\n", "t.yaml:2: begins with a tab: YAML is indented by spaces alone"},
      {"a:\n  b: 1\n  \tc: 2\nd: 3\n", "t.yaml:3: begins with a tab"},
      {"a: \xff\n", "t.yaml:1: not valid UTF-8"},
      {"a: 1\nb: \xed\xa0\x80\n", "t.yaml:2: not valid UTF-8"},
      {std::string("a: 1\n\0", 6), "t.yaml:2: the control character \"\\x00\" is not allowed"},
      {"a: 1\n\x04: x\n", "t.yaml:2: the control character"},
  };
  for (const Case& each : cases) {
    EXPECT_NE(refusal(each.yaml).find(each.message), std::string::npos) << each.yaml << "\n" << refusal(each.yaml);
  }
}

TEST(YamlDocument, AnAliasBombIsRefusedAtItsFirstAnchor) {
  std::string bomb = "a0: &a0 [x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += concat("a", i, ": &a", i, " [*a", i - 1, ", *a", i - 1, "]\n");
  }
  EXPECT_EQ(refusal(bomb).find("t.yaml:1:"), 0u) << refusal(bomb);
}

TEST(YamlDocument, SizeNodesAndDepthAreBounded) {
  EXPECT_EQ(refusal(concat("#", std::string(max_yaml_bytes - 1, 'x'))), "");
  EXPECT_NE(refusal(concat("#", std::string(max_yaml_bytes, 'x'))).find("1048577 bytes, more than the 1048576"),
            std::string::npos);

  // One list and its items.
  EXPECT_EQ(refusal(concat("[", repeated("1,", max_yaml_nodes - 1), "]")), "");
  EXPECT_NE(refusal(concat("[", repeated("1,", max_yaml_nodes), "]")).find("more than 100000 values"),
            std::string::npos);

  EXPECT_EQ(refusal(concat(repeated("[", max_yaml_depth), repeated("]", max_yaml_depth))), "");
  EXPECT_NE(refusal(concat(repeated("[", max_yaml_depth + 1), repeated("]", max_yaml_depth + 1)))
                .find("nested deeper than 16"),
            std::string::npos);
  for (const char* opening : {"[", "{a: ", "- ", "? ", "{"}) {
    EXPECT_NE(refusal(repeated(opening, 100'000)), "") << opening;
  }
}

}  // namespace
}  // namespace gausscse
