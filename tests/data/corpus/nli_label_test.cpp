#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/nli_pair.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

NliLabel parse(std::string_view text, const CorpusLayout& layout = {}) {
  return parse_nli_label(text, NliLabels::three, layout);
}

std::string refusal(std::string_view text, const CorpusLayout& layout = {}) {
  return input_error([&] { parse(text, layout); });
}

const std::vector<NliLabel> labels_of_numbers{NliLabel::entailment, NliLabel::neutral, NliLabel::contradiction};

/// pandas turns whole numbers to floats where one is missing, as CSV, JSON and Parquet then have them.
TEST(NliLabel, WholeNumbersMayHaveZerosBehindTheirPoint) {
  for (const char* zeros : {"", ".", ".0", ".000"}) {
    for (std::size_t number = 0; number < 3; ++number)
      EXPECT_EQ(parse(concat(number, zeros)), labels_of_numbers[number]) << number << zeros;
    EXPECT_EQ(parse(concat("-1", zeros)), NliLabel::none) << zeros;
  }
  for (const char* other : {"0.5", "1.01", "0.0.0", ".0", "-.0", "3.0", "-2.0", "0,0", "1e0", "x.0", "00"})
    EXPECT_HAS(refusal(other), concat("the label \"", other, "\" is unknown; labels here are: "));

  const std::string csv = "premise,hypothesis,label\na,b,0.0\na,c,1.0\na,d,2.0\na,e,\na,f,0.0\n";
  const std::string json = R"([{"premise": "a", "hypothesis": "b", "label": 0.0},
                               {"premise": "a", "hypothesis": "c", "label": 1.0},
                               {"premise": "a", "hypothesis": "d", "label": 2.0},
                               {"premise": "a", "hypothesis": "e", "label": null},
                               {"premise": "a", "hypothesis": "f", "label": 0.0}])";
  for (const std::string& text : {csv, json}) {
    MemorySource source(text);
    ReadReport report;
    std::vector<NliLabel> read;
    for_each_nli_pair(source, "c", {.bad_lines = BadLines::skip}, report,
                      [&](NliPair&& pair) { read.push_back(pair.label); });
    EXPECT_EQ(read, (std::vector<NliLabel>{NliLabel::entailment, NliLabel::neutral, NliLabel::contradiction,
                                           NliLabel::entailment}));
    EXPECT_EQ(report.bad_lines, 1u);
  }
}

TEST(NliLabel, AUsersNumbersAreTheSameInBothForms) {
  for (const char* of_layout : {"1", "1.0"}) {
    const CorpusLayout layout{.entailment = of_layout, .contradiction = "0"};
    for (const char* in_file : {"1", "1.0", " 1.00 "}) EXPECT_EQ(parse(in_file, layout), NliLabel::entailment);
    EXPECT_EQ(parse("0.0", layout), NliLabel::contradiction);
    EXPECT_HAS(refusal("2.0", layout), "the label \"2.0\" is unknown; labels here are: ");
  }
}

TEST(NliLabel, KnownWordsMayHaveCapitals) {
  for (const char* word : {"entailment", "ENTAILMENT", "Entailment", " entailment\t"})
    EXPECT_EQ(parse(word), NliLabel::entailment) << word;
  EXPECT_EQ(parse("Neutral"), NliLabel::neutral);
  EXPECT_EQ(parse("cONTRADICTION"), NliLabel::contradiction);
  for (const char* word : {"CONTRADICTION", "contradiction", "Contradiction"})
    EXPECT_EQ(parse_sick_label(word), NliLabel::contradiction);
  EXPECT_HAS(input_error([] { parse_sick_label("-"); }), "labels here are: ENTAILMENT, NEUTRAL, CONTRADICTION");
  // A user's word may be one of these for another label.
  const CorpusLayout turned{.neutral = "Contradiction", .contradiction = "contradiction"};
  EXPECT_EQ(parse("Contradiction", turned), NliLabel::neutral);
  EXPECT_EQ(parse("contradiction", turned), NliLabel::contradiction);
}

TEST(NliLabel, MessagesHaveTheUsersWords) {
  const CorpusLayout german{.entailment = "folgt", .contradiction = "Widerspruch"};
  EXPECT_EQ(refusal("unklar", german),
            "the label \"unklar\" is unknown; labels here are: folgt, neutral, Widerspruch, -");
  EXPECT_EQ(refusal("Folgt", german),
            "the label \"Folgt\" is unknown, did you mean \"folgt\"?; labels here are: folgt, neutral, Widerspruch, -");
  EXPECT_HAS(refusal("WIDERSPRUCH", german), ", did you mean \"Widerspruch\"?;");
  EXPECT_HAS(refusal("Widersprch", german), ", did you mean \"Widerspruch\"?;");
  EXPECT_EQ(refusal("entailmnt"),
            "the label \"entailmnt\" is unknown, did you mean \"entailment\"?; labels here are: entailment, neutral, "
            "contradiction, -");
}

TEST(NliLabel, AUserNamesTheLabelOfPairsWithoutOne) {
  EXPECT_HAS(refusal(""), "the label \"\" is unknown; labels here are: entailment");
  const CorpusLayout empty{.none = ""}, word{.entailment = "yes", .none = "unsure"};
  EXPECT_EQ(parse("", empty), NliLabel::none);
  EXPECT_EQ(parse(" ", empty), NliLabel::none);
  EXPECT_EQ(parse("2", empty), NliLabel::contradiction) << "numbers keep their meaning";
  EXPECT_EQ(parse("unsure", word), NliLabel::none);
  EXPECT_EQ(parse("-", word), NliLabel::none);
  EXPECT_HAS(refusal("", word), "labels here are: yes, neutral, contradiction, unsure");
  EXPECT_HAS(refusal("x", empty), "labels here are: entailment, neutral, contradiction, \"\"");
  for (const char* blank : {"", " "}) EXPECT_HAS(refusal(blank), "give --labels none=, or data.labels.none: \"\"");
  EXPECT_EQ(refusal("", word).find("none="), std::string::npos) << "another value is the one of such pairs";
  EXPECT_EQ(refusal("x").find("none="), std::string::npos);
  EXPECT_EQ(label_values_text("0", word), " (yes entailment, unsure none)");
  EXPECT_EQ(label_values_text("0.0", {}), " (0 entailment, 1 neutral, 2 contradiction, -1 none)");
}

/// pandas writes a missing label as an empty field of CSV, and as null in JSON and Parquet.
TEST(NliLabel, NullIsTheEmptyLabelOfPairsWithoutOne) {
  const auto labels = [](const CorpusLayout& layout, std::string_view third) {
    const std::string text = concat(R"([{"premise": "a", "hypothesis": "b", "label": 2.0},
                                        {"premise": "a", "hypothesis": "c", "label": null},
                                        {"premise": )",
                                    third, R"(, "hypothesis": "d", "label": 0.0}])");
    MemorySource source(text);
    ReadReport report;
    std::vector<NliLabel> read;
    for_each_nli_pair(source, "c", {.bad_lines = BadLines::skip, .layout = layout}, report,
                      [&](NliPair&& pair) { read.push_back(pair.label); });
    return read;
  };
  const std::vector<NliLabel> without_null{NliLabel::contradiction, NliLabel::entailment};
  EXPECT_EQ(labels({.none = ""}, R"("a")"),
            (std::vector<NliLabel>{NliLabel::contradiction, NliLabel::none, NliLabel::entailment}));
  EXPECT_EQ(labels({}, R"("a")"), without_null);
  EXPECT_EQ(labels({.none = "unsure"}, R"("a")"), without_null);
  EXPECT_EQ(labels({.none = ""}, "null"), (std::vector<NliLabel>{NliLabel::contradiction, NliLabel::none}))
      << "null is no sentence";
}

/// A value is repeated where the reader could not separate two labels by it: spellings of one number are one value.
TEST(CorpusLayout, NoTwoLabelsHaveOneValue) {
  const auto repeated = [](const CorpusLayout& layout) {
    const std::optional<RepeatedLabel> found = repeated_label(layout);
    return found ? concat(found->label, "=", found->value) : std::string();
  };
  EXPECT_EQ(repeated({}), "");
  EXPECT_EQ(repeated({.entailment = "0", .neutral = "1", .contradiction = "2", .none = "-1"}), "");
  EXPECT_EQ(repeated({.entailment = "0", .neutral = "0.0"}), "neutral=0.0");
  EXPECT_EQ(repeated({.entailment = "2.00", .neutral = "1", .contradiction = " 2"}), "contradiction= 2");
  EXPECT_EQ(repeated({.neutral = "open", .contradiction = "open "}), "contradiction=open ");
  EXPECT_EQ(repeated({.entailment = "0.5", .neutral = "0.50"}), "");  // no whole number: texts, which differ
  EXPECT_EQ(repeated({.neutral = "1", .none = "1.0"}), "none=1.0");
  EXPECT_EQ(repeated({.neutral = "n", .none = "n"}), "none=n");
  EXPECT_EQ(repeated({.neutral = "n", .none = ""}), "");
  for (const char* word : {"entailment", "neutral", "contradiction"})
    EXPECT_EQ(repeated({.none = word}), concat("none=", word));
  EXPECT_EQ(repeated({.neutral = "open", .none = "neutral"}), "");
  // The reader takes the first of two values, which it refuses therefore.
  EXPECT_EQ(parse_nli_label("0", NliLabels::three, {.entailment = "0", .neutral = "0.0"}), NliLabel::entailment);
}

TEST(CorpusLayout, LabelsAreThoseOfOneSide) {
  const CorpusLayout trial{.premise = "p", .entailment = "yes", .neutral = "maybe", .none = "unsure"};
  const CorpusLayout own = CorpusLayout{.none = ""}.over(trial);
  EXPECT_EQ(own.premise, "p");
  EXPECT_EQ(own.entailment, "");
  EXPECT_EQ(own.none, "");
  EXPECT_EQ(CorpusLayout{.label = "l"}.over(trial).none, "unsure");
  EXPECT_EQ((CorpusLayout{.neutral = "n"}.over(trial).none), std::nullopt);
  EXPECT_NE(CorpusLayout{}.names(), CorpusLayout{.none = ""}.names());
}

}  // namespace
}  // namespace gausscse
