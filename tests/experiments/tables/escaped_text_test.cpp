#include "experiments/tables/escaped_text.hpp"

#include <gtest/gtest.h>

namespace gausscse {
namespace {

TEST(EscapedText, OnATerminal) {
  EXPECT_EQ(visible_text("plain ent+con \u00e9\u4e2d"), "plain ent+con \u00e9\u4e2d");
  EXPECT_EQ(visible_text("a\nb\tc\rd\x1b[31m"), "a\\nb\\tc\\rd\\u{1B}[31m");
  EXPECT_EQ(visible_text("\xff\xc3"), "\\xFF\\xC3");
  EXPECT_EQ(visible_text("\u202e\u009b\u200b\ufeff"), "\\u{202E}\\u{9B}\\u{200B}\\u{FEFF}");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "\\u{0}");
}

TEST(EscapedText, InMarkdown) {
  EXPECT_EQ(markdown_text("a|b*c_d`e<f>&"), "a\\|b\\*c\\_d\\`e&lt;f&gt;&amp;");
  EXPECT_EQ(markdown_text("a\nb\\|c"), "a\\\\nb\\\\\\|c");
  EXPECT_EQ(markdown_text("![x](y) #1 ~~z~~ $m$ @u"), "\\!\\[x\\]\\(y\\) \\#1 \\~\\~z\\~\\~ \\$m\\$ \\@u");
}

TEST(EscapedText, InLatex) {
  EXPECT_EQ(latex_text("a_b&c%d#e$f"), "a\\_b\\&c\\%d\\#e\\$f");
  EXPECT_EQ(latex_text("^~{}\\"), "\\textasciicircum{}\\textasciitilde{}\\{\\}\\textbackslash{}");
  EXPECT_EQ(latex_text("[*] <|>"), "{[}{*}{]} \\textless{}\\textbar{}\\textgreater{}");
  EXPECT_EQ(latex_text("1e-5--x ?`"), "1e-{}5-{}-{}x ?{}`{}");
  EXPECT_EQ(latex_text("\u03c4 \u00e9 \u4e2d \U0001f600"), "$\\tau$ \u00e9 \\texttt{U+4E2D} \\texttt{U+1F600}");
}

TEST(EscapedText, InCsv) {
  EXPECT_EQ(csv_field("ent+con"), "ent+con");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("a\rb"), "\"a\rb\"");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
}

}  // namespace
}  // namespace gausscse
