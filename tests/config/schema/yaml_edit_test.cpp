#include "config/schema/yaml_document.hpp"
#include "config/schema/yaml_node.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

YamlNode parse(const std::string& yaml) {
  return parse_yaml_document(yaml, std::make_shared<const std::string>("document"));
}

/// Returns the node in flow style: {a: {b: 1}, c: [1, 2]}.
std::string flow(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "~";
    case YamlNode::Kind::scalar:
      return node.text;
    case YamlNode::Kind::sequence: {
      std::string text;
      for (const YamlNode& item : node.items) text += (text.empty() ? "" : ", ") + flow(item);
      return "[" + text + "]";
    }
    case YamlNode::Kind::map: {
      std::string text;
      for (const YamlNode::Entry& entry : node.entries)
        text += (text.empty() ? "" : ", ") + entry.key + ": " + flow(entry.value);
      return "{" + text + "}";
    }
  }
  return "";
}

std::string merged(const std::string& under, const std::string& over) {
  YamlNode node = parse(under);
  merge_over(node, parse(over));
  return flow(node);
}

TEST(MergeOver, MapsAreMergedAndAllElseReplaced) {
  EXPECT_EQ(merged("{a: 1, b: {c: 2, d: 3}}", "{b: {c: 4, e: 5}, f: 6}"), "{a: 1, b: {c: 4, d: 3, e: 5}, f: 6}");
  EXPECT_EQ(merged("{a: [1, 2]}", "{a: [3]}"), "{a: [3]}");
  EXPECT_EQ(merged("{a: {b: 1}}", "{a: 2}"), "{a: 2}");
  EXPECT_EQ(merged("{a: 2}", "{a: {b: 1}}"), "{a: {b: 1}}");
  EXPECT_EQ(merged("{a: }", "{a: {b: 1}}"), "{a: {b: 1}}");
  EXPECT_EQ(merged("{}", "{}"), "{}");
}

TEST(MergeOver, NamesWithDotsAreTakenApart) {
  EXPECT_EQ(merged("{a: {b: 1, c: 2}}", "{a.b: 3}"), "{a: {b: 3, c: 2}}");
  EXPECT_EQ(merged("{}", "{a.b.c: 1, a: {b.d: 2}}"), "{a: {b: {c: 1, d: 2}}}");
  EXPECT_EQ(merged("{a: 1}", "{x: {y.z: 2}}"), "{a: 1, x: {y: {z: 2}}}");
}

TEST(MergeOver, PlacesAreThoseOfWhatWasWritten) {
  YamlNode node = parse("a: 1\nb: {c: 2}\n");
  const YamlNode over = parse_yaml_document("\n\nb.c: 3\n", std::make_shared<const std::string>("over"));
  merge_over(node, over);
  EXPECT_EQ(to_string(find_entry(node, "a")->position), "document:1:1");
  const YamlNode::Entry* c = find_entry(find_entry(node, "b")->value, "c");
  EXPECT_EQ(to_string(c->position), "over:3:1");
  EXPECT_EQ(to_string(c->value.position), "over:3:6");
}

TEST(SetValue, MakesMapsOnTheWay) {
  YamlNode node = parse("{a: 1}");
  set_value(node, "b.c.d", node.position, parse("[1]"));
  EXPECT_EQ(flow(node), "{a: 1, b: {c: {d: [1]}}}");
  set_value(node, "b.c", node.position, parse("2"));
  EXPECT_EQ(flow(node), "{a: 1, b: {c: 2}}");
}

TEST(SetValue, WhatIsNoMapOnTheWayIsRefused) {
  YamlNode node = parse("{a: {b: 1}}");
  EXPECT_TRUE(says(refusal_of([&] {
                     set_value(node, "a.b.c", {std::make_shared<const std::string>("x"), 3, 4}, {});
                   }),
                   "x:3:4: \"a.b\" is a value and has no keys"));
  EXPECT_TRUE(says(refusal_of([&] { set_value(node, "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a", node.position, {}); }),
                   "the key has too many parts"));
}

}  // namespace
}  // namespace gausscse
