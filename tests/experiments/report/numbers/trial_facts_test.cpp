#include "experiments/report/numbers/trial_facts.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

using Numbers = std::vector<std::size_t>;

TEST(TrialFacts, AreKeysWithDots) {
  EXPECT_EQ(
      settings_of(
          "format: x\nmodel: {head: {kind: none}, empty: {}}\ntrain: [a, 'b c', {d: ~}]\noutput: /tmp\nn: ''\n"),
      (Facts{{"model.head.kind", "none"}, {"model.empty", "{}"}, {"train", "[a, b c, {d: null}]"}, {"n", "\"\""}}));
}

TEST(TrialFacts, AreTheTextOfWhatIsNoYaml) {
  EXPECT_EQ(settings_of("a: [b"), (Facts{{"configuration", "a: [b"}}));
  EXPECT_EQ(settings_of("just text"), (Facts{{"configuration", "just text"}}));
}

TEST(TrialFacts, OfProvenanceJoinEqualRanks) {
  Provenance provenance;
  provenance.version = "1.0";
  provenance.hosts = {"one", "two", "one"};
  provenance.devices = {"cpu", "cpu", "a GPU"};
  provenance.instruction_sets = {"avx2", "avx512", "avx512"};
  provenance.bfloat16_instructions = {"none", "amx", "avx512_bf16"};
  provenance.ranks = 3;
  provenance.threads = 5;
  provenance.libraries = {{"HDF5", "1.10"}};
  provenance.data_hashes = {{"/x", "00"}};
  const Facts facts = provenance_of(provenance);
  EXPECT_EQ(facts[0], (std::pair<std::string, std::string>{"version", "1.0"}));
  EXPECT_EQ(facts[2], (std::pair<std::string, std::string>{"ranks", "3"}));
  EXPECT_EQ(facts[3], (std::pair<std::string, std::string>{"threads of a rank", "5"}));
  EXPECT_EQ(facts[4], (std::pair<std::string, std::string>{"hosts", "2 x one, two"}));
  EXPECT_EQ(facts[5], (std::pair<std::string, std::string>{"devices", "2 x cpu, a GPU"}));
  EXPECT_EQ(facts[6], (std::pair<std::string, std::string>{"instruction sets", "avx2, 2 x avx512"}));
  EXPECT_EQ(facts[7], (std::pair<std::string, std::string>{"bfloat16 instructions", "none, amx, avx512_bf16"}));
  EXPECT_EQ(facts[8], (std::pair<std::string, std::string>{"library HDF5", "1.10"}));
  EXPECT_EQ(facts[9], (std::pair<std::string, std::string>{"XXH3-128 of /x", "00"}));
}

TEST(TrialFacts, AreCommonOrDiffer) {
  const Facts one{{"a", "1"}, {"b", "2"}}, other{{"a", "1"}, {"b", "3"}, {"c", "4"}};
  const ComparedFacts compared = compare_facts({one, {}, other, one});
  EXPECT_EQ(compared.common, (Facts{{"a", "1"}}));
  ASSERT_EQ(compared.differing.size(), 2u);
  EXPECT_EQ(compared.differing[0].name, "b");
  ASSERT_EQ(compared.differing[0].values.size(), 2u);
  EXPECT_EQ(compared.differing[0].values[0].trials, (Numbers{0, 3}));
  EXPECT_EQ(compared.differing[0].values[1].text, "3");
  EXPECT_EQ(compared.differing[1].values[0].trials, (Numbers{2}));
  EXPECT_TRUE(compared.differing[1].values[1].absent);
  EXPECT_EQ(compared.differing[1].values[1].trials, (Numbers{0, 3}));
  EXPECT_EQ(own_facts(compared, 2), (Facts{{"b", "3"}, {"c", "4"}}));
  EXPECT_EQ(own_facts(compared, 3), (Facts{{"b", "2"}}));
  EXPECT_EQ(own_facts(compared, 1), Facts());
}

}  // namespace

}  // namespace gausscse
