#include "experiments/tables/cell_text.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(EscapedText, OnATerminal) {
  EXPECT_EQ(visible_text("plain ent+con \u00e9\u4e2d"), "plain ent+con \u00e9\u4e2d");
  EXPECT_EQ(visible_text("a\nb\tc\rd\x1b[31m"), "a\\nb\\tc\\rd\\u{1B}[31m");
  EXPECT_EQ(visible_text("\xff\xc3"), "\\xFF\\xC3");
  EXPECT_EQ(visible_text("\u202e\u009b\u200b\ufeff"), "\\u{202E}\\u{9B}\\u{200B}\\u{FEFF}");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "\\u{0}");
}

TEST(EscapedText, OfSeveralLinesKeepsTheirBreaks) {
  EXPECT_EQ(visible_lines("a\n\tb\r\x1b]0;x\x07"), "a\n\tb\\r\\u{1B}]0;x\\u{7}");
  EXPECT_EQ(visible_lines("\u202e\xff"), "\\u{202E}\\xFF");
}

TEST(EscapedText, InMarkdown) {
  EXPECT_EQ(markdown_text("a|b*c_d`e<f>&"), "a\\|b\\*c\\_d\\`e&lt;f&gt;&amp;");
  EXPECT_EQ(markdown_text("a\nb\\|c"), "a\\\\nb\\\\\\|c");
  EXPECT_EQ(markdown_text("![x](y) #1 ~~z~~ $m$ @u"), "\\!\\[x\\]\\(y\\) \\#1 \\~\\~z\\~\\~ \\$m\\$ \\@u");
}

TEST(EscapedText, InLatex) {
  EXPECT_EQ(latex_text("a_b&c%d#e$f"), "a\\_b\\&c\\%d\\#e\\$f");
  EXPECT_EQ(latex_text("^~{}\\"), "\\textasciicircum{}\\textasciitilde{}\\{\\}\\textbackslash{}");
  EXPECT_EQ(latex_text("[*] <|>"), "{[}*] \\textless{}\\textbar{}\\textgreater{}");
  EXPECT_EQ(latex_text("*a* [b]"), "{*}a* [b]");
  EXPECT_EQ(latex_text("1e-5--x ?`"), "1e-5-{}-x ?{}`");
  EXPECT_EQ(latex_text("a, 'b',,c ''"), "a, 'b',{},c '{}'");
  EXPECT_EQ(latex_text("\u03c4 \u00e9 \u4e2d \U0001f600"), "$\\tau$ \u00e9 \\texttt{U+4E2D} \\texttt{U+1F600}");
}

TEST(EscapedText, InCsv) {
  EXPECT_EQ(csv_field("ent+con"), "ent+con");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("a\rb\x1b[2J"), "a\\rb\\u{1B}[2J");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
}

/// As spreadsheets read a file: a text that begins with one of these is computed, or started.
TEST(EscapedText, InCsvIsNoFormula) {
  for (const char* text : {"=1+1", "+ent", "-cmd|x", "@SUM(A1)", "-0.12 (3)", "=", "-"})
    EXPECT_EQ(csv_field(text), concat(std::string_view(text).size() > 1 ? "'" : "", text)) << text;
  EXPECT_EQ(csv_field("=a,b"), "\"'=a,b\"");
  EXPECT_EQ(csv_field("\t=a"), "'\t=a");
  for (const char* number : {"-1", "+1", "-0.25", "-1e-05", "+.5", "-inf", "-1e999", "1e-05"})
    EXPECT_EQ(csv_field(number), number);
}

}  // namespace
}  // namespace gausscse
