#include "config/schema/key_kinds.hpp"
#include "config/schema/key_writer.hpp"
#include "config/schema/yaml_document.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct PartOfRecord {
  std::int64_t number = 5;
};

struct WholeRecord {
  PartOfRecord other, part;
};

/// A key with a value in every member, none of which is its default.
Key<PartOfRecord> key_of_everything() {
  using namespace key_kinds;
  Key<PartOfRecord> made = key("section.number", at(&PartOfRecord::number), integer(1, 9), "A number.");
  made = only_for(
      "an odd number", [](const PartOfRecord& part) { return part.number % 2 == 1; }, required(made));
  made = affects_by([](const PartOfRecord& part) { return part.number == 3 ? Effect::place : Effect::speed; }, made);
  made.is_set = [](const PartOfRecord& part) { return part.number != 4; };
  made.holds_names = true;
  return made;
}

TEST(KeyOfPart, IsThatOfThePartInEveryMember) {
  const Key<PartOfRecord> of_part = key_of_everything();
  const Key<WholeRecord> key = key_of_part<WholeRecord>(
      of_part, [](auto& whole) -> auto& { return whole.part; });
  EXPECT_EQ(key.name, "section.number");
  EXPECT_EQ(key.allowed, "an integer from 1 to 9");
  EXPECT_EQ(key.meaning, "A number.");
  EXPECT_TRUE(key.required);
  EXPECT_EQ(key.goes_with, "an odd number");
  EXPECT_TRUE(key.holds_names);
  EXPECT_FALSE(key_of_part<WholeRecord>(
                   key_kinds::key("n", key_kinds::at(&PartOfRecord::number), key_kinds::integer(1, 9), ""),
                   [](auto& whole) -> auto& { return whole.part; })
                   .required);
  for (const std::int64_t number : {3, 4, 5}) {
    WholeRecord whole;
    whole.part.number = number;
    EXPECT_EQ(key.is_set(whole), number != 4);
    EXPECT_EQ(key.applies(whole), number != 4);
    EXPECT_EQ(key.effect(whole), number == 3 ? Effect::place : Effect::speed);
  }
}

TEST(KeyOfPart, ReadsWritesAndCopiesThePartAlone) {
  const Key<WholeRecord> key = key_of_part<WholeRecord>(
      key_of_everything(), [](auto& whole) -> auto& { return whole.part; });
  const YamlNode node = parse_yaml_document("7", std::make_shared<const std::string>("text"));
  const std::filesystem::path folder = "/";
  ProblemList problems;
  WholeRecord whole, copy;
  key.read(node, {folder, problems}, whole);
  EXPECT_EQ(whole.part.number, 7);
  EXPECT_EQ(whole.other.number, 5);
  YAML::Emitter out;
  key.write(whole, out);
  EXPECT_STREQ(out.c_str(), "7");
  key.copy(whole, copy);
  EXPECT_EQ(copy.part.number, 7);
  EXPECT_EQ(copy.other.number, 5);
}

}  // namespace
}  // namespace gausscse
