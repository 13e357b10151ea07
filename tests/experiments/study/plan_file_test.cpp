#include <gtest/gtest.h>

#include "base/content_hash.hpp"
#include "experiments/study/study_records.hpp"
#include "tests/experiments/study/json_changes.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using namespace testing_support;
using Json = nlohmann::ordered_json;

PlanFile sample_plan() {
  return {"minilm",
          "00112233445566778899aabbccddeeff",
          {{"choose", {{"system", "ent"}, {"batch", "16"}}, 3, "0a1b", ""},
           {"final", {{"system", "caf\u00e9 \"x\""}}, -1, "", "the stage choose"},
           {"final", {}, INT64_MAX, "0a1b", ""}}};
}

TEST(PlanFile, ThatIsNoJsonIsRefusedWithARemedy) {
  const TemporaryFolder folder;
  for (const char* text : {"", "{", "study: a\n"}) {
    write_bytes(folder / "plan.json", text);
    const std::string refusal = refusal_of([&] { read_plan(folder / "plan.json"); });
    EXPECT_TRUE(says(refusal, (folder / "plan.json").string()));
    EXPECT_TRUE(
        says(refusal, ": move it away and start `gausscse run` with the study's manifest, which writes it again"));
  }
  write_plan(folder / "plan.json", sample_plan());
  EXPECT_TRUE(read_plan(folder / "plan.json").is_checked);
  change_json(folder / "plan.json", [](Json&) {});
  EXPECT_FALSE(read_plan(folder / "plan.json").is_checked);
}

TEST(PlanFile, IsReadAsWritten) {
  const TemporaryFolder folder;
  write_plan(folder / "plan.json", sample_plan());
  EXPECT_EQ(read_plan(folder / "plan.json"), sample_plan());
  write_plan(folder / "plan.json", {"empty", "", {}});
  EXPECT_EQ(read_plan(folder / "plan.json"), (PlanFile{"empty", "", {}}));
}

TEST(PlanFile, HasTheNamesOfItsFormat) {
  PlanFile plan = sample_plan();
  plan.trials.resize(2);
  Json expected = Json::parse(R"({"format": "gausscse-plan/1", "study": "minilm",
    "manifest_hash": "00112233445566778899aabbccddeeff", "trials": [
    {"stage": "choose", "coordinates": [["system", "ent"], ["batch", "16"]], "seed": 3, "identity": "0a1b",
     "waits_for": ""},
    {"stage": "final", "coordinates": [["system", "café \"x\""]], "seed": -1, "identity": "",
     "waits_for": "the stage choose"}]})");
  expected["check"] = content_hash_of(
      R"({"format":"gausscse-plan/1","manifest_hash":"00112233445566778899aabbccddeeff","study":"minilm","trials":[)"
      R"({"coordinates":[["system","ent"],["batch","16"]],"identity":"0a1b","seed":3,"stage":"choose","waits_for":""},)"
      R"({"coordinates":[["system","café \"x\""]],"identity":"","seed":-1,"stage":"final",)"
      R"("waits_for":"the stage choose"}]})");
  EXPECT_EQ(Json::parse(to_json(plan)), expected);
}

TEST(PlanFile, WithAFlippedBitIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "plan.json";
  write_plan(file, sample_plan());
  for_each_flipped_byte(
      file, [&](std::size_t byte) { EXPECT_TRUE(says(refusal_of([&] { read_plan(file); }), file.string())) << byte; });
  EXPECT_EQ(read_plan(file), sample_plan());
}

TEST(PlanFile, WithAnotherLabelIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "plan.json";
  write_plan(file, sample_plan());
  std::string text = read_whole_file(file, 1 << 20);
  text.replace(text.find("\"16\""), 4, "\"32\"");
  write_bytes(file, text);
  EXPECT_TRUE(says(refusal_of([&] { read_plan(file); }), "plan.json: damaged: it has changed since it was written"));
  EXPECT_TRUE(says(refusal_of([&] { read_plan(file); }),
                   "move it away and start `gausscse run` with the study's manifest, which writes it again"));
}

TEST(PlanFile, IsNotWrittenAnewWhereItIsTheSame) {
  const TemporaryFolder folder;
  write_plan(folder / "plan.json", sample_plan());
  std::filesystem::create_hard_link(folder / "plan.json", folder / "first.json");
  write_plan(folder / "plan.json", sample_plan());
  EXPECT_TRUE(std::filesystem::equivalent(folder / "plan.json", folder / "first.json"));
  PlanFile other = sample_plan();
  other.trials[0].seed = 4;  // as long as the one before
  write_plan(folder / "plan.json", other);
  EXPECT_FALSE(std::filesystem::equivalent(folder / "plan.json", folder / "first.json"));
  EXPECT_EQ(read_plan(folder / "plan.json"), other);
}

TEST(PlanFile, NeedsEveryMemberOfItsKind) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "plan.json";
  const auto write = [&] { write_plan(file, sample_plan()); };
  const auto check = [&](const std::string& member, const std::string& how) {
    const std::string refusal = refusal_of([&] { read_plan(file); });
    EXPECT_TRUE(says(refusal, file.string())) << how;
    EXPECT_TRUE(says(refusal, "\"" + member + "\"")) << how;
  };
  for_each_spoiled_member(file, Json::json_pointer(""), write, check);
  for_each_spoiled_member(file, Json::json_pointer("/trials/1"), write, [&](const auto& member, const auto& how) {
    check(member, how);
    EXPECT_TRUE(says(refusal_of([&] { read_plan(file); }), "trial 2"));
  });
}

TEST(PlanFile, RefusesWhatNoPlanHas) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "plan.json";
  const auto refusal_with = [&](const char* at, const Json& value) {
    write_plan(file, sample_plan());
    change_json(file, [&](Json& plan) { plan[Json::json_pointer(at)] = value; });
    return refusal_of([&] { read_plan(file); });
  };
  EXPECT_TRUE(
      says(refusal_with("/trials/0/coordinates", Json::parse(R"([["system", "a", "b"]])")), "pairs [axis, label]"));
  EXPECT_TRUE(says(refusal_with("/trials/0/coordinates", Json::parse(R"([["system", 1]])")), "pairs [axis, label]"));
  EXPECT_TRUE(
      says(refusal_with("/trials/0/coordinates", Json::parse(R"([["a", "1"], ["a", "2"]])")), "each axis once"));
  EXPECT_TRUE(says(refusal_with("/trials/0/seed", 1.5), "a whole number"));
  EXPECT_TRUE(says(refusal_with("/trials/0/seed", 9223372036854775808u), "a whole number"));
  EXPECT_TRUE(says(refusal_with("/trials/0/identity", "../../other"), "hexadecimal digits"));
  EXPECT_TRUE(says(refusal_with("/trials/0/other", 1), "\"other\" is not known"));
  EXPECT_TRUE(says(refusal_with("/other", 1), "\"other\" is not known"));
}

TEST(PlanFile, SaysWhichVersionItIsOf) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "plan.json";
  const auto refusal_of_format = [&](const Json& format) {
    write_plan(file, sample_plan());
    change_json(file, [&](Json& plan) { plan["format"] = format; });
    return refusal_of([&] { read_plan(file); });
  };
  EXPECT_TRUE(says(refusal_of_format("gausscse-plan/2"),
                   "its format is \"gausscse-plan/2\", that of a newer version of gausscse; this one reads "
                   "\"gausscse-plan/1\": use the version that wrote it"));
  EXPECT_TRUE(says(refusal_of_format("gausscse-plan/0"), "that of another version"));
  EXPECT_TRUE(says(refusal_of_format("gausscse-run/1"), "no plan of a study (its \"format\" is \"gausscse-run/1\""));
  EXPECT_TRUE(says(refusal_of_format(1), "its \"format\" is missing"));
  write_bytes(file, "[]");
  EXPECT_TRUE(says(refusal_of([&] { read_plan(file); }), "no plan of a study"));
  write_bytes(file, "{");
  EXPECT_TRUE(says(refusal_of([&] { read_plan(file); }), "plan.json:1: column"));
  EXPECT_TRUE(says(refusal_of([&] { read_plan(folder / "none.json"); }), "none.json"));
}

TEST(PlannedTrial, HasLabelsAndATitle) {
  const PlannedTrial trial = sample_plan().trials[0];
  EXPECT_EQ(title_of(trial), "choose ent 16 seed 3");
  ASSERT_NE(label_on(trial, "batch"), nullptr);
  EXPECT_EQ(*label_on(trial, "batch"), "16");
  EXPECT_EQ(label_on(trial, "seed"), nullptr);
  EXPECT_EQ(label_on(trial, "16"), nullptr);
}

}  // namespace
}  // namespace gausscse
