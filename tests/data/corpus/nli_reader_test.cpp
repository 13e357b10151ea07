#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/text_readers.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::string good_line =
    R"({"annotator_labels": ["neutral"], "gold_label": "neutral", "sentence1": "A b.", "sentence2": "C \"d\" \u00e9."})";
const std::string txt_header =
    "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\tsentence2_parse\tsentence1\tsentence2"
    "\tcaptionID\tpairID\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5\n";

std::vector<NliPair> read(std::string_view text, ReadReport& report, const ReadOptions& options = {}) {
  MemorySource source(text);
  std::vector<NliPair> pairs;
  for_each_nli_pair(source, "c", options, report, [&](NliPair&& pair) { pairs.push_back(std::move(pair)); });
  return pairs;
}

std::vector<NliPair> read(std::string_view text, const ReadOptions& options = {}) {
  ReadReport report;
  return read(text, report, options);
}

std::string error_of(std::string_view text) {
  return input_error([&] { read(text); });
}

TEST(NliReader, ReadsJsonLines) {
  ReadReport report;
  const auto pairs = read(good_line + "\r\n\n" + jsonl("-", "  n/a\\t", "\\u00a0x\\u3000") +
                              jsonl("entailment", "p", "h") + jsonl("contradiction", "p", "h"),
                          report);
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].premise, "A b.");
  EXPECT_EQ(pairs[0].hypothesis, "C \"d\" \xC3\xA9.");
  EXPECT_EQ(pairs[0].label, NliLabel::neutral);
  EXPECT_EQ(pairs[1].premise, "  n/a\t");
  EXPECT_EQ(pairs[1].hypothesis, "\xC2\xA0x\xE3\x80\x80");
  EXPECT_EQ(pairs[1].label, NliLabel::none);
  EXPECT_EQ(pairs[2].label, NliLabel::entailment);
  EXPECT_EQ(pairs[3].label, NliLabel::contradiction);
  EXPECT_FALSE(pairs[3].entails_both_ways);
  EXPECT_EQ(report.pairs, 4u);
  EXPECT_EQ(report.pairs_with(NliLabel::none), 1u);
  EXPECT_EQ(report.bad_lines, 0u);
}

TEST(NliReader, ReadsTabSeparatedTextWithoutQuoting) {
  const std::string row = "\t(p)\t(q)\t(ROOT)\t(ROOT)\t";
  const auto pairs = read("\xEF\xBB\xBF" + txt_header + "neutral" + row + "\"A b\t\" c \tid\tid\tneutral\t\t\t\t\r\n" +
                          "-" + row + "d\te\n");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].premise, "\"A b");
  EXPECT_EQ(pairs[0].hypothesis, "\" c ");
  EXPECT_EQ(pairs[0].label, NliLabel::neutral);
  EXPECT_EQ(pairs[1].premise, "d");
  EXPECT_EQ(pairs[1].hypothesis, "e");
  EXPECT_EQ(pairs[1].label, NliLabel::none);
}

TEST(NliReader, ReadsCsvWithQuoting) {
  const auto pairs = read("sentence2,gold_label,sentence1\n\"A \"\"b\"\", c\",contradiction,d\n");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].premise, "d");
  EXPECT_EQ(pairs[0].hypothesis, "A \"b\", c");
  EXPECT_EQ(pairs[0].label, NliLabel::contradiction);
}

TEST(NliReader, ReadsSickByItsHeader) {
  const std::string full =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tx\tSemEval_"
      "set\r\n"
      "1\ta\tb\tENTAILMENT\t4\tA_entails_B\tB_entails_A\tx\tTEST\r\n"
      "2\tc\td\tENTAILMENT\t4\tA_entails_B\tB_neutral_A\tx\tTRAIN\r\n"
      "3\te\tf\tNEUTRAL\t4\tA_neutral_B\tB_entails_A\tx\tTEST\r\n"
      "4\tg\th\tCONTRADICTION\t4\tA_contradicts_B\tB_contradicts_A\tx\tTRIAL\r\n";
  const auto all = read(full);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].premise, "a");
  EXPECT_EQ(all[0].hypothesis, "b");
  EXPECT_TRUE(all[0].entails_both_ways);
  EXPECT_FALSE(all[1].entails_both_ways);
  EXPECT_FALSE(all[2].entails_both_ways);
  EXPECT_EQ(all[3].label, NliLabel::contradiction);

  ReadReport report;
  const auto test = read(full, report, {BadLines::error, "TEST"});
  ASSERT_EQ(test.size(), 2u);
  EXPECT_EQ(test[1].premise, "e");
  EXPECT_EQ(report.pairs, 2u);
  EXPECT_HAS(input_error([&] { read(full, {BadLines::error, "TSET"}); }), "did you mean \"TEST\"?");
  EXPECT_HAS(error_of(full + "5\ti\tj\tNEUTRAL\t4\tA_neutral_B\tB_neutral_A\tx\tTSET\n"),
             "c:6: \"TSET\" in the column");
  EXPECT_HAS(error_of(full + "5\ti\tj\tNEUTRAL\t4\tA_is_B\tB_neutral_A\tx\tTEST\n"), "c:6: \"A_is_B\" in the column");
  EXPECT_HAS(error_of(full + "5\ti\tj\tneutrl\t4\tA_neutral_B\tB_neutral_A\tx\tTEST\n"),
             "c:6: the label \"neutrl\" is unknown; labels here are: ENTAILMENT, NEUTRAL, CONTRADICTION");
  EXPECT_HAS(error_of(full + "5\ti\tj\t-\t4\tA_neutral_B\tB_neutral_A\tx\tTEST\n"), "c:6: the label \"-\" is unknown");

  const auto semeval =
      read("pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n6\ta\tb\t3.3\tENTAILMENT\n");
  ASSERT_EQ(semeval.size(), 1u);
  EXPECT_EQ(semeval[0].label, NliLabel::entailment);
  EXPECT_FALSE(semeval[0].entails_both_ways);
}

TEST(NliReader, TrimsSentencesWhereAsked) {
  const std::string sick =
      "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n6\t a\tb \t3.3\tENTAILMENT\n";
  const std::string txt = "gold_label\tsentence1\tsentence2\nneutral\t a\tb \n";
  for (const std::string& text : {jsonl("neutral", " a", "b "), txt, sick}) {
    const auto kept = read(text), trimmed = read(text, {.bad_lines = {}, .sick_set = "", .trim = true});
    ASSERT_EQ(kept.size(), 1u) << text;
    EXPECT_EQ(kept[0].premise, " a");
    EXPECT_EQ(kept[0].hypothesis, "b ");
    ASSERT_EQ(trimmed.size(), 1u) << text;
    EXPECT_EQ(trimmed[0].premise, "a");
    EXPECT_EQ(trimmed[0].hypothesis, "b");
  }
}

struct BadLine {
  std::string line;
  std::string message;
};

const std::vector<BadLine>& bad_json_lines() {
  static const std::vector<BadLine> lines{
      {R"({"gold_label": "neutral", "sentence1": "a", "sentence2": "b")", "not valid JSON: "},
      {"neutral a b", "not valid JSON: "},
      {good_line + " x", "not valid JSON: "},
      {good_line + std::string("\0 x", 3), "a NUL byte"},
      {"{\"gold_label\": 1e999}", "not valid JSON: "},
      {R"(["a"])", "c:2: the line is an array of texts where a JSON object is needed"},
      {"17", "c:2: the line is a number where a JSON object is needed"},
      {"\"text\"", "c:2: the line is a text where a JSON object is needed"},
      {"null", "c:2: the line is null where a JSON object is needed"},
      {R"({"gold_label": "neutral", "sentence1": "a"})", "c:2: the key \"sentence2\" is missing"},
      {R"({"sentence1": "a", "sentence2": "b", "x": {"gold_label": "neutral"}})", "the key \"gold_label\" is missing"},
      {R"({"gold_label": "neutral", "sentence1": "a", "sentence2": "b", "sentence1": "a"})",
       "the key \"sentence1\" appears twice"},
      {R"({"gold_label": "neutral", "sentence1": "a", "sentence2": "b", "x": {"y": 1, "y": 1}})",
       "the key \"y\" appears twice"},
      {R"({"gold_label": "neutral", "sentence1": 5, "sentence2": "b"})", "c:2: \"sentence1\" is a number"},
      {R"({"gold_label": "neutral", "sentence1": null, "sentence2": "b"})", "c:2: \"sentence1\" is null"},
      {R"({"gold_label": ["neutral"], "sentence1": "a", "sentence2": "b"})", "c:2: \"gold_label\" is an array"},
      {R"({"gold_label": {"a": 1}, "sentence1": "a", "sentence2": "b"})", "c:2: \"gold_label\" is an object"},
      {R"({"gold_label": true, "sentence1": "a", "sentence2": "b"})", "c:2: the label \"true\" is unknown"},
      {R"({"gold_label": "neutrla", "sentence1": "a", "sentence2": "b"})",
       "c:2: the label \"neutrla\" is unknown, did you mean \"neutral\"?"},
      {R"({"gold_label": "", "sentence1": "a", "sentence2": "b"})", "c:2: the label \"\" is unknown"},
      {R"({"gold_label": "neutral", "sentence1": "", "sentence2": "b"})", "c:2: the sentence \"sentence1\" is empty,"},
      {R"({"gold_label": "neutral", "sentence1": "a", "sentence2": " \t\u2003\u00a0"})",
       "c:2: the sentence \"sentence2\" is empty (only white space)"},
      {"{\"gold_label\": \"neutral\", \"sentence1\": \"a\xFF\", \"sentence2\": \"b\"}", "is not valid UTF-8"},
      {R"({"gold_label": "neutral", "sentence1": "\ud800", "sentence2": "b"})", "not valid JSON: "},
      {std::string(101, '[') + std::string(101, ']'), "c:2: "},
      {"{\"x\": " + std::string(5000, '[') + std::string(5000, ']') + "}", "JSON nested deeper than 100"},
  };
  return lines;
}

TEST(NliReader, SaysWhatIsWrongWithAJsonLine) {
  for (const BadLine& bad : bad_json_lines()) {
    const std::string error = error_of(concat(good_line, "\n", bad.line, "\n", good_line));
    EXPECT_HAS(error, bad.message);
    EXPECT_HAS(error, "c:2: ");
  }
}

TEST(NliReader, TellsTheColumnOfANulByte) {
  EXPECT_EQ(error_of(std::string("{\"a\": \"b\0c\"}", 12)), "c:1: column 9: not valid JSON: a NUL byte");
  EXPECT_EQ(error_of(good_line + std::string("\n{\0}", 4)), "c:2: column 2: not valid JSON: a NUL byte");
}

TEST(NliReader, SkipsBadLinesWhereAsked) {
  std::string text = good_line + "\n";
  for (const BadLine& bad : bad_json_lines()) text += bad.line + "\n";
  text += good_line;
  ReadReport report;
  EXPECT_EQ(read(text, report, {BadLines::skip, ""}).size(), 2u);
  EXPECT_EQ(report.pairs, 2u);
  EXPECT_EQ(report.bad_lines, bad_json_lines().size());
  const std::vector<std::string> messages = report.bad_line_messages("all");
  EXPECT_EQ(messages.at(0),
            concat("all: ", bad_json_lines().size(), " of ", bad_json_lines().size() + 2, " lines are left out"));
  EXPECT_HAS(messages.at(1), " lines such as c:2: ");
}

TEST(NliReader, FindsDoubleKeysAmongMany) {
  std::string line = R"({"gold_label": "neutral", "sentence1": "a", "sentence2": "b")";
  for (int i = 0; i < 1000; ++i) line += concat(", \"k", i, "\": [{}, {\"x\": [1, \"y\"]}]");
  EXPECT_EQ(read(line + "}").size(), 1u);
  EXPECT_HAS(error_of(line + ", \"k999\": 0}"), "the key \"k999\" appears twice");
  EXPECT_HAS(error_of(line + ", \"k3\": 0}"), "the key \"k3\" appears twice");
}

TEST(NliReader, SaysWhatIsWrongWithARow) {
  const std::string row = "neutral\t\t\t\t\t";
  EXPECT_HAS(error_of(txt_header + row + "a\n"), "c:2: the row has 6 tab-separated fields");
  EXPECT_HAS(error_of(txt_header + row + "a\tb\t\t\t\t\t\t\t\tx\n"), "c:2: the row has more tab-separated fields than");
  EXPECT_HAS(error_of(txt_header + row + "a\t \n"), "c:2: the sentence \"sentence2\" is empty");
  EXPECT_HAS(error_of(txt_header + row + "a\tb\x80\n"), "c:2: byte 16 (\"\\x80\") is not valid UTF-8");
  EXPECT_HAS(error_of(txt_header + "Neutrall\t\t\t\t\ta\tb\n"), "c:2: the label \"Neutrall\" is unknown");
  EXPECT_HAS(error_of("gold_label\tsentence1\tsentence2\tgold_label\n"), "c:1: the header names the column");
  ReadReport report;
  EXPECT_EQ(read(txt_header + row + "a\n" + row + "a\tb", report, {BadLines::skip, ""}).size(), 1u);
  EXPECT_EQ(report.bad_lines, 1u);
}

/// HANS and the sets of GLUE and SuperGLUE write it so.
TEST(NliReader, LabelsOfTwoWaysAreTakenWhereTheyAreEnough) {
  const std::string header = "gold_label\tsentence1\tsentence2\n";
  std::string text = header + "entailment\ta\tb\nneutral\ta\tb\n";
  const std::vector<std::string> spellings{"non-entailment", "not_entailment", "not entailment",
                                           "NON-ENTAILMENT", "nonentailment",  "no_entailment"};
  for (const std::string& label : spellings) {
    const std::string row = label + "\ta\tb\n";
    EXPECT_EQ(error_of(header + row), concat("c:2: the label \"", label,
                                             "\" does not separate neutral from contradiction, as this use needs: give "
                                             "a corpus of three labels; only the task nli measures on this one"));
    text += row;
  }
  ReadReport report;
  const std::vector<NliPair> pairs = read(text, report, {.labels = NliLabels::three_or_two});
  ASSERT_EQ(pairs.size(), 2 + spellings.size());
  EXPECT_EQ(pairs[0].label, NliLabel::entailment);
  EXPECT_EQ(pairs[1].label, NliLabel::neutral);
  for (std::size_t i = 2; i < pairs.size(); ++i) EXPECT_EQ(pairs[i].label, NliLabel::not_entailment);
  EXPECT_EQ(report.pairs_with(NliLabel::not_entailment), spellings.size());
  EXPECT_EQ(report.pairs_with(NliLabel::none), 0u);
  const std::string json = R"({"gold_label": "non-entailment", "sentence1": "a", "sentence2": "b"})";
  EXPECT_EQ(read(json, report, {.labels = NliLabels::three_or_two}).at(0).label, NliLabel::not_entailment);
  EXPECT_HAS(error_of(json), "does not separate neutral from contradiction");
  // RTE of GLUE.
  EXPECT_EQ(
      read("index\tsentence1\tsentence2\tlabel\n0\ta\tb\tnot_entailment\n", report, {.labels = NliLabels::three_or_two})
          .at(0)
          .label,
      NliLabel::not_entailment);
}

/// As other programs write JSON: the label under "label", as a word or as a number, whose meaning is not everywhere
/// one.
TEST(NliReader, LabelsMayStandUnderLabelAsWords) {
  const auto line = [](const std::string& labels) {
    return concat("{", labels, R"(, "sentence1": "a", "sentence2": "b"})", "\n");
  };
  ReadReport report;
  const auto pairs =
      read(line(R"("label": "contradiction")") + line(R"("label": "not_entailment")") +
               line(R"("label": 7, "gold_label": "neutral")") + line(R"("gold_label": "-", "label": "x")"),
           report, {.labels = NliLabels::three_or_two});
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].label, NliLabel::contradiction);
  EXPECT_EQ(pairs[1].label, NliLabel::not_entailment);
  EXPECT_EQ(pairs[2].label, NliLabel::neutral);
  EXPECT_EQ(pairs[3].label, NliLabel::none);
}

TEST(NliReader, ReadsTheNumbersAndNamesOfTheHub) {
  const std::vector<NliLabel> expected{NliLabel::entailment, NliLabel::neutral, NliLabel::contradiction,
                                       NliLabel::none};
  std::string table = "premise,hypothesis,label\n", lines;
  for (const char* number : {"0", "1", "2", "-1"}) {
    table += concat("a,b,", number, "\n");
    lines += concat(R"({"text_a": "a", "text_b": "b", "label": )", number, "}\n");
  }
  for (const std::string& text : {table, lines}) {
    ReadReport report;
    const auto pairs = read(text, report);
    ASSERT_EQ(pairs.size(), 4u) << text;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(pairs[i].label, expected[i]) << i;
      EXPECT_EQ(pairs[i].premise + pairs[i].hypothesis, "ab");
    }
  }
  EXPECT_HAS(error_of("premise,hypothesis,label\na,b,3\n"), "c:2: the label \"3\" is unknown; labels here are: ");
}

TEST(NliReader, ReadsColumnsAndLabelsUnderAUsersNames) {
  const CorpusLayout layout{.premise = "evidence",
                            .hypothesis = "claim",
                            .label = "verdict",
                            .entailment = "1",
                            .neutral = "NEI",
                            .contradiction = "0"};
  ReadReport report;
  const auto pairs =
      read("verdict,premise,claim,evidence,label\n1,p,c,e,2\nNEI,p,c,e,2\n0,p,c,e,2\nneutral,p,c,e,2\n-1,p,c,e,2\n",
           report, {.layout = layout});
  ASSERT_EQ(pairs.size(), 5u);
  EXPECT_EQ(pairs[0].premise + pairs[0].hypothesis, "ec");
  EXPECT_EQ(pairs[0].label, NliLabel::entailment);
  EXPECT_EQ(pairs[1].label, NliLabel::neutral);
  EXPECT_EQ(pairs[2].label, NliLabel::contradiction);
  EXPECT_EQ(pairs[3].label, NliLabel::neutral);
  EXPECT_EQ(pairs[4].label, NliLabel::none);
  // A file with the known names, which has none of the user's.
  EXPECT_EQ(read("gold_label,sentence1,sentence2\nentailment,a,b\n", report, {.layout = layout}).size(), 1u);
  MemorySource numbers("premise,hypothesis,label\na,b,2\n");
  EXPECT_HAS(input_error([&] { for_each_nli_pair(numbers, "c", {.layout = layout}, report, [](NliPair&&) {}); }),
             "c:2: the label \"2\" is unknown");
}

/// One that is longer by a syllable may be the opposite.
TEST(NliReader, ProposesNoLabelForItsOpposite) {
  for (const char* label : {"non-entailments", "nonneutral", "disentailment", "uncontradiction", "not-contradiction",
                            "entailment-less", "unentailment"}) {
    const std::string error = error_of(concat("gold_label\tsentence1\tsentence2\n", label, "\ta\tb\n"));
    EXPECT_HAS(error, concat("c:2: the label \"", label, "\" is unknown; labels here are: "));
    EXPECT_EQ(error.find("did you mean"), std::string::npos) << error;
  }
  EXPECT_HAS(error_of("gold_label\tsentence1\tsentence2\nentailmnt\ta\tb\n"), "did you mean \"entailment\"?");
}

TEST(NliReader, RefusesOtherFiles) {
  EXPECT_HAS(error_of(""), "c: the file is empty: check that it is whole");
  EXPECT_HAS(error_of("\xEF\xBB\xBF\n\n"), "c: the file is empty: check that it is whole");
  EXPECT_HAS(error_of("gold\tsentence1\tsentence2\n"), "lacks the column \"gold_label\"");
  EXPECT_HAS(error_of("gold_label\tsentence1\tsentense2\n"), "did you mean \"sentense2\"?");
  EXPECT_HAS(error_of("sentence_A\tsentence_B\tx\n"), "lacks the column \"entailment_label\"");
  EXPECT_HAS(error_of("sent0,sent1,hard_neg\na,b,c\n"),
             "c:1: the columns are \"sent0\", \"sent1\", \"hard_neg\", but pairs with labels need gold_label (or "
             "label), sentence1, "
             "sentence2: give SNLI, MNLI or SICK, not triples");
  EXPECT_HAS(error_of("a,b\n"),
             "c:1: the columns are \"a\", \"b\", but pairs with labels need gold_label (or label), "
             "sentence1, sentence2 (or premise, hypothesis); those of SICK ");
  EXPECT_HAS(error_of("[{}]"), "c:1: the key \"gold_label\" is missing");
  EXPECT_HAS(error_of("hello\n"), "c:1: the first line, \"hello\", has no columns: give a header and rows");
  EXPECT_EQ(error_of("\x1f\x8b\x08"), "c: this is gzip data: unpack it first (gunzip)");
  EXPECT_HAS(error_of("\xFF\xFE{"), "c: this is text in UTF-16");
  EXPECT_HAS(error_of("{\xFF}"), "is not UTF-8 text");
  EXPECT_EQ(error_of("<!DOCTYPE html><meta content=\"a, b\">"),
            "c: this is a page of HTML or XML: get the file itself again, not the page that shows it");
  EXPECT_HAS(error_of(concat("a", std::string(300, '\t'))), "over 256 columns");
  EXPECT_HAS(error_of(txt_header), "c: no usable pair: check that it is the right file");
  EXPECT_HAS(input_error([] {
               read("{\n{\n", {BadLines::skip, ""});
             }),
             "c: no usable pair: 2 bad lines were skipped, the first: c:1: column 2: not valid JSON: ");
}

TEST(NliReader, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  ReadReport report;
  EXPECT_HAS(input_error([&] { read_nli_pairs(folder / "none.jsonl", {}, report); }), "none.jsonl: no such file");
  EXPECT_HAS(input_error([&] { read_nli_pairs(folder.path(), {}, report); }), "is a folder where a file is needed");
  write_bytes(folder / "empty.jsonl", "");
  EXPECT_HAS(input_error([&] { read_nli_pairs(folder / "empty.jsonl", {}, report); }),
             "empty.jsonl: the file is empty");
  write_bytes(folder / "any_name", good_line);
  EXPECT_EQ(read_nli_pairs(folder / "any_name", {}, report).size(), 1u);
  EXPECT_EQ(report.pairs, 1u);
}

}  // namespace
}  // namespace gausscse
