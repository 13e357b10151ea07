#include "experiments/tables/table_formats.hpp"

#include <nlohmann/json.hpp>

#include "tests/experiments/tables/sample_tables.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using nlohmann::json;
TEST(TableFormats, Text) {
  EXPECT_EQ(
      table_text(sample_table()),
      "NLI, stage final\n"
      "\n"
      "loss                               acc. %  paper  difference          pairs\n"
      "ent       72.00 ±0.25                      72.44       -0.44  3368\n"
      "ent+con  *77.63 [75.00, 80.00] (1 of 2) †      -           -     - (0 of 2)\n"
      "\n"
      "loss  column  against  only this right  only that right  McNemar's p of each seed  difference by bootstrap  "
      "p over items  p over seeds       p  differs\n"
      "ent   acc. %  ent+con                0                6                 0: 0.0312          [-10.00, -5.00]  "
      "      0.0015        0.0125  0.0125      yes\n"
      "\n"
      "*: the best of the labels of loss, as printed.\n"
      "†: the best, and it differs from each of the others, over items and over seeds.\n"
      "A note.\n");
}

TEST(TableFormats, Markdown) {
  EXPECT_EQ(table_markdown(sample_table()),
            "### NLI, stage final\n"
            "\n"
            "| loss | acc. % | paper | difference | pairs |\n"
            "| :-- | --: | --: | --: | --: |\n"
            "| ent | 72.00 ±0.25 | 72.44 | -0.44 | 3368 |\n"
            "| ent+con | **77.63** \\[75.00, 80.00\\] (1 of 2) † | - | - | - (0 of 2) |\n"
            "\n"
            "| loss | column | against | only this right | only that right | McNemar's p of each seed | difference by "
            "bootstrap | p over items | p over seeds | p | differs |\n"
            "| :-- | :-- | :-- | --: | --: | --: | --: | --: | --: | --: | --: |\n"
            "| ent | acc. % | ent+con | 0 | 6 | 0: 0.0312 | \\[-10.00, -5.00\\] | 0.0015 | 0.0125 | 0.0125 | yes |\n"
            "\n"
            "- **bold**: the best of the labels of loss, as printed.\n"
            "- †: the best, and it differs from each of the others, over items and over seeds.\n"
            "- A note.\n");
}

TEST(TableFormats, Latex) {
  EXPECT_EQ(table_latex(sample_table()),
            "% Better lines: \\usepackage{booktabs}\n"
            "\\providecommand{\\toprule}{\\hline}\n"
            "\\providecommand{\\midrule}{\\hline}\n"
            "\\providecommand{\\bottomrule}{\\hline}\n"
            "\\begin{table}\n"
            "\\centering\n"
            "\\caption{NLI, stage final}\n"
            "\\label{tab:nli}\n"
            "\\begin{tabular}{lrrrr}\n"
            "\\toprule\n"
            "loss & acc. \\% & paper & difference & pairs \\\\\n"
            "\\midrule\n"
            "ent & 72.00 $\\pm$0.25 & 72.44 & $-$0.44 & 3368 \\\\\n"
            "ent+con & \\textbf{77.63} [75.00, 80.00] (1 of 2) $^{\\dagger}$ & - & - & - (0 of 2) \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n"
            "\n"
            "\\medskip\n"
            "\\begin{tabular}{lllrrrrrrrr}\n"
            "\\toprule\n"
            "loss & column & against & only this right & only that right & McNemar's p of each seed & difference by "
            "bootstrap & p over items & p over seeds & p & differs \\\\\n"
            "\\midrule\n"
            "ent & acc. \\% & ent+con & 0 & 6 & 0: 0.0312 & {[}-10.00, -5.00] & 0.0015 & 0.0125 & 0.0125 & yes "
            "\\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n"
            "\n"
            "\\begin{flushleft}\\footnotesize\n"
            "\\textbf{bold}: the best of the labels of loss, as printed.\\par\n"
            "$^{\\dagger}$: the best, and it differs from each of the others, over items and over seeds.\\par\n"
            "A note.\\par\n"
            "\\end{flushleft}\n"
            "\\end{table}\n");
}

TEST(TableFormats, Csv) {
  EXPECT_EQ(
      tables_csv(std::vector{sample_table()}),
      "table,stage,axis.loss,figure,title,unit,aggregation,value,deviation,count,missing,best,stands_out,low,high,"
      "paper,difference,text,values,tests,untrained,backbone\r\n"
      "nli,final,ent,snli.accuracy,acc.,fraction,mean,0.72,0.0025,2,0,0,0,,,0.7244,-0.0044000000000000705,72.00,"
      "0=0.7225 1=0.7175,\"ent+con: p 0.0125, difference from -0.1 to -0.05, p over items 0.0015, p over seeds 0.0125, "
      "only this 0, only that 6, p of seed 0 0.03125\",0,0\r\n"
      "nli,final,ent,snli.pairs,pairs,count,mean,3368,,1,0,0,0,,,,,3368,0=3368,,0,0\r\n"
      "nli,final,ent+con,snli.accuracy,acc.,fraction,mean,0.7763,,1,1,1,1,0.75,0.8,,,77.63,0=0.7763,"
      "\"ent: p 0.0125, difference from 0.05 to 0.1, p over items 0.0015, p over seeds 0.0125, only this 6, only that "
      "0, "
      "p of seed 0 0.03125\",0,0\r\n"
      "nli,final,ent+con,snli.pairs,pairs,count,mean,,,0,2,0,0,,,,,-,,,0,0\r\n");
}

/// A mark next to the value, and its meaning below the table.
TEST(TableFormats, MarkValuesOfUntrainedStates) {
  StudyTable table = sample_table();
  EXPECT_FALSE(says(table_text(table), "‡"));
  table.cells[0][0].untrained = 2;
  const std::string legend = "some trial of the cell kept the state before the first step as its best";
  EXPECT_TRUE(says(table_text(table), "72.00 ±0.25 ‡"));
  EXPECT_TRUE(says(table_text(table), "\n‡: " + legend));
  EXPECT_TRUE(says(table_markdown(table), "72.00 ±0.25 ‡"));
  EXPECT_TRUE(says(table_markdown(table), "‡: " + legend));
  EXPECT_TRUE(says(table_latex(table), "72.00 $\\pm$0.25 $^{\\ddagger}$"));
  EXPECT_TRUE(says(table_latex(table), "$^{\\ddagger}$: some trial of the cell kept the state before the first step"));
  EXPECT_EQ(json::parse(tables_json(std::vector{table})).at("tables")[0].at("cells")[0][0].at("untrained"), 2);
  EXPECT_TRUE(says(tables_csv(std::vector{table}), "p of seed 0 0.03125\",2,0\r\n"));
}

/// Fields of the first line of CSV, by RFC 4180, and the rest.
std::pair<std::vector<std::string>, std::string> first_csv_line(const std::string& csv) {
  std::vector<std::string> fields(1);
  bool within_quotes = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (within_quotes && c == '"' && csv[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      within_quotes = !within_quotes;
    } else if (!within_quotes && c == ',') {
      fields.emplace_back();
    } else if (!within_quotes && c == '\r' && csv[i + 1] == '\n') {
      return {fields, csv.substr(i + 2)};
    } else {
      fields.back() += c;
    }
  }
  return {fields, ""};
}

/// Returns the text with characters that move a terminal's cursor made visible.
std::string shown(std::string text) {
  for (const auto& [from, to] : {std::pair{"\x1b", "\\u{1B}"}, {"\xff", "\\xFF"}, {"\u202e", "\\u{202E}"}})
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at, std::string(from).size(), to);
  return text;
}

TEST(TableFormats, CsvKeepsHostileText) {
  const StudyTable table = hostile_table();
  const auto [header, rest] = first_csv_line(tables_csv(std::vector{table}));
  const auto [fields, more] = first_csv_line(rest);
  EXPECT_EQ(header.size(), fields.size());
  EXPECT_EQ(header[2], "axis." + shown(table.row_axes[0]));
  EXPECT_EQ(fields[0], shown(table.name));
  EXPECT_EQ(fields[2], shown(table.row_labels[0][0]));
  EXPECT_EQ(fields[4], shown(table.column_labels[0][0]));
  EXPECT_EQ(std::count(more.begin(), more.end(), '\r'), 3);
}

TEST(TableFormats, CsvHasTheAxesOfAllTables) {
  StudyTable other = sample_table();
  other.name = "other";
  other.row_axes = {"size"};
  other.row_labels = {{"16"}, {"32"}};
  const std::string csv = tables_csv(std::vector{sample_table(), other});
  EXPECT_TRUE(says(csv, "table,stage,axis.loss,axis.size,figure,"));
  EXPECT_TRUE(says(csv, "\r\nnli,final,ent+con,,snli.pairs,"));
  EXPECT_TRUE(says(csv, "\r\nother,final,,32,snli.pairs,"));
}

TEST(TableFormats, Json) {
  const json document = json::parse(tables_json(std::vector{sample_table(), sample_table()}));
  EXPECT_EQ(document.at("format"), "gausscse-tables/2");
  ASSERT_EQ(document.at("tables").size(), 2u);
  const json& table = document.at("tables")[1];
  EXPECT_EQ(table.at("name"), "nli");
  EXPECT_EQ(table.at("stage"), "final");
  EXPECT_EQ(table.at("compare"), "loss");
  EXPECT_EQ(table.at("aggregation"), "mean");
  EXPECT_EQ(table.at("rows"), json::parse(R"([["ent"], ["ent+con"]])"));
  EXPECT_EQ(table.at("columns")[1],
            json::parse(R"({"labels": [], "figure": "snli.pairs", "title": "pairs", "unit": "count"})"));
  EXPECT_EQ(table.at("cells")[0][0], json::parse(R"({
    "value": 0.72, "deviation": 0.0025, "count": 2, "missing": 0, "untrained": 0, "best": false, "stands_out": false, "low": null,
    "high": null, "paper": 0.7244, "difference": -0.0044000000000000705, "text": "72.00",
    "values": [{"seed": 0, "trial": "t0", "value": 0.7225}, {"seed": 1, "trial": "t1", "value": 0.7175}],
    "tests": [{"rival": "ent+con", "only_this": 0, "only_rival": 6, "p": 0.0125, "seeds_p": 0.0125, "significant": true,
               "seeds": [{"seed": 0, "only_this": 0, "only_rival": 6, "p": 0.03125}],
               "bootstrap": {"low": -0.1, "high": -0.05, "p": 0.0015}}]})"));
  EXPECT_EQ(table.at("cells")[1][0].at("best"), true);
  EXPECT_EQ(table.at("cells")[1][0].at("stands_out"), true);
  EXPECT_EQ(table.at("cells")[1][0].at("high"), 0.8);
  EXPECT_EQ(table.at("cells")[1][1].at("value"), nullptr);
  EXPECT_EQ(table.at("notes"), json::parse(R"(["A note."])"));
}

TEST(TableFormats, JsonTellsTitleAndAxes) {
  StudyTable table = sample_table();
  table.title = "All about NLI";
  table.column_axes = {"backbone"};
  table.column_labels = {{"bert", "acc."}, {"bert", "pairs"}};
  const json document = json::parse(tables_json(std::vector{table})).at("tables")[0];
  EXPECT_EQ(document.at("name"), "nli");
  EXPECT_EQ(document.at("title"), "All about NLI");
  EXPECT_EQ(document.at("row_axes"), json::parse(R"(["loss"])"));
  EXPECT_EQ(document.at("column_axes"), json::parse(R"(["backbone"])"));
  EXPECT_EQ(document.at("columns")[0],
            json::parse(R"({"labels": ["bert"], "figure": "snli.accuracy", "title": "acc.", "unit": "fraction"})"));
}

TEST(TableFormats, OnlyAMeanHasADeviationBesideIt) {
  for (const setting::Aggregation aggregation : {setting::Aggregation::median, setting::Aggregation::highest}) {
    StudyTable table = sample_table();
    table.aggregation = aggregation;
    const std::string name(name_of(aggregation));
    for (const TableFormat format : {TableFormat::text, TableFormat::markdown, TableFormat::latex}) {
      const std::string text = format_tables(std::vector{table}, format);
      EXPECT_TRUE(says(text, "72.00")) << text;
      for (const char* none : {"±", "$\\pm$", "0.25"}) EXPECT_EQ(text.find(none), std::string::npos) << text;
    }
    // The deviation in data is that of `values`, for every aggregation.
    const std::string csv = tables_csv(std::vector{table});
    EXPECT_TRUE(says(csv, "\r\nnli,final,ent,snli.accuracy,acc.,fraction," + name + ",0.72,0.0025,2,")) << csv;
    const json of_table = json::parse(tables_json(std::vector{table})).at("tables")[0];
    EXPECT_EQ(of_table.at("aggregation"), name);
    EXPECT_EQ(of_table.at("cells")[0][0].at("deviation"), 0.0025);
  }
}

TEST(TableFormats, AllSayHolm) {
  StudyTable table = sample_table();
  table.cells[0][0].tests[0].holm_p = 0.09375;
  table.cells[0][0].tests[0].significant = false;
  EXPECT_TRUE(says(table_text(table), "     p  p by Holm  differs\n"));
  EXPECT_TRUE(says(table_text(table), "0.0125  0.0125     0.0938       no\n"));
  EXPECT_TRUE(says(tables_csv(std::vector{table}), "ent+con: p 0.0125, p by Holm 0.09375, difference from"));
  const json test = json::parse(tables_json(std::vector{table})).at("tables")[0].at("cells")[0][0].at("tests")[0];
  EXPECT_EQ(test.at("holm_p"), 0.09375);
  EXPECT_EQ(test.at("p"), 0.0125);
  EXPECT_EQ(test.at("seeds_p"), 0.0125);
  EXPECT_EQ(test.at("significant"), false);
  EXPECT_EQ(test.at("bootstrap"), json::parse(R"({"low": -0.1, "high": -0.05, "p": 0.0015})"));
}

TEST(TableFormats, ATestOfOneSeedHasCountsAlone) {
  StudyTable table = sample_table();
  for (auto& row : table.cells)
    for (CellTest& test : row[0].tests) {
      test.low = test.high = test.bootstrap_p = test.seeds_p = test.p = std::nullopt;
      test.significant = false;
    }
  const std::string text = table_text(table);
  EXPECT_TRUE(says(text,
                   "only that right  McNemar's p of each seed\nent   acc. %  ent+con                0                6"
                   "                 0: 0.0312\n"));
  EXPECT_FALSE(says(text, "†"));
  const json test = json::parse(tables_json(std::vector{table})).at("tables")[0].at("cells")[0][0].at("tests")[0];
  EXPECT_EQ(test.at("p"), nullptr);
  EXPECT_EQ(test.at("seeds_p"), nullptr);
  EXPECT_FALSE(test.contains("bootstrap"));
}

TEST(TableFormats, ATestOfAnotherMetricHasNoCounts) {
  StudyTable table = sample_table();
  for (auto& row : table.cells)
    for (CellTest& test : row[0].tests) test.seeds.clear();
  EXPECT_TRUE(says(table_text(table), "loss  column  against  difference by bootstrap  p over items  p over seeds"));
  EXPECT_FALSE(says(table_text(table), "only this"));
  EXPECT_FALSE(says(tables_csv(std::vector{table}), "only this"));
}

TEST(TableFormats, OfATableWithoutRowsOrAxes) {
  StudyTable empty;
  empty.name = "all";
  empty.notes = {"The study has no trials."};
  for (const TableFormat format : {TableFormat::text, TableFormat::markdown, TableFormat::latex, TableFormat::json})
    EXPECT_TRUE(says(format_tables(std::vector{empty}, format), "The study has no trials."));
  EXPECT_EQ(tables_csv(std::vector<StudyTable>{}).substr(0, 19), "table,stage,figure,");
}

TEST(TableFormats, SeveralTablesFollowEachOther) {
  const std::vector<StudyTable> tables{sample_table(), sample_table()};
  EXPECT_EQ(format_tables(tables, TableFormat::text), table_text(tables[0]) + "\n" + table_text(tables[0]));
  EXPECT_EQ(format_tables(tables, TableFormat::markdown), table_markdown(tables[0]) + "\n" + table_markdown(tables[0]));
  EXPECT_EQ(format_tables(tables, TableFormat::latex), table_latex(tables[0]) + "\n" + table_latex(tables[0]));
  EXPECT_EQ(format_tables(tables, TableFormat::csv), tables_csv(tables));
  EXPECT_EQ(format_tables(tables, TableFormat::json), tables_json(tables));
}

TEST(TableFormats, HostileTextStaysText) {
  const std::vector<StudyTable> tables{hostile_table()};
  const std::string text = table_text(tables[0]), markdown = table_markdown(tables[0]);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  // Title, heading, two rows; heading and row of the test; two marks, three notes; four empty lines.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 1 + 3 + 1 + 2 + 1 + 5);
  EXPECT_EQ(markdown.find("</script>"), std::string::npos);
  EXPECT_TRUE(says(markdown, "e\\|f\\\\g\\_h"));
  EXPECT_EQ(table_latex(tables[0]).find("\\end{document}"), std::string::npos);
  const json document = json::parse(tables_json(tables));
  EXPECT_EQ(document.at("tables")[0].at("rows")[0][0].get<std::string>().substr(0, 3), "a,b");
}

}  // namespace
}  // namespace gausscse
