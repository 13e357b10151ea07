#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/table_formats.hpp"
#include "tests/experiments/tables/sample_tables.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

bool has_pdflatex() {
  return std::system("command -v pdflatex > /dev/null 2>&1") == 0;
}

/// Returns a document's log where pdflatex refuses it, else nothing.
std::string refusal_by_pdflatex(const std::string& body) {
  const TemporaryFolder folder;
  write_bytes(folder / "table.tex", "\\documentclass{article}\n\\begin{document}\n" + body + "\\end{document}\n");
  const std::string command =
      "cd '" + folder.path().string() +
      "' && pdflatex -no-shell-escape -interaction=nonstopmode -halt-on-error table.tex > out 2>&1";
  if (std::system(command.c_str()) == 0 && std::filesystem::exists(folder / "table.pdf")) return "";
  return read_whole_file(folder / "out", 1 << 20);
}

TEST(TableLatex, IsSetByPdflatex) {
  if (!has_pdflatex()) GTEST_SKIP() << "no pdflatex";
  EXPECT_EQ(refusal_by_pdflatex(table_latex(sample_table())), "");
}

TEST(TableLatex, WithHostileTextIsSetByPdflatex) {
  if (!has_pdflatex()) GTEST_SKIP() << "no pdflatex";
  EXPECT_EQ(refusal_by_pdflatex(table_latex(hostile_table())), "");
}

/// In text and in a caption, which is written to a file and read again.
TEST(TableLatex, EveryCharacterIsSetByPdflatex) {
  if (!has_pdflatex()) GTEST_SKIP() << "no pdflatex";
  std::string body, all;
  for (char32_t c = 1; c < 0x2300; ++c) {
    std::string utf8;
    if (c < 0x80)
      utf8 = {static_cast<char>(c)};
    else if (c < 0x800)
      utf8 = {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
    else
      utf8 = {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3F)),
              static_cast<char>(0x80 | (c & 0x3F))};
    const std::string escaped = latex_text(utf8);
    if (escaped.starts_with("\\texttt{U+")) continue;  // all alike
    all += utf8;
    body += escaped + " " + escaped + escaped + "\n";
  }
  EXPECT_EQ(refusal_by_pdflatex(body), "");
  EXPECT_EQ(refusal_by_pdflatex("\\begin{table}\\caption{" + latex_text(all) + "}\\end{table}\n"), "");
}

TEST(TableLatex, TheCheckItselfFindsMistakes) {
  if (!has_pdflatex()) GTEST_SKIP() << "no pdflatex";
  EXPECT_NE(refusal_by_pdflatex("a_b\n"), "");
  EXPECT_NE(refusal_by_pdflatex("\u4e2d\n"), "");
}

}  // namespace
}  // namespace gausscse
