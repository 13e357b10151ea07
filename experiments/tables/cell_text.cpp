#include "experiments/tables/cell_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

/// Tolerance, in hundredths of a percent: more than the rounding of sums of doubles, less than the distance of two mean
/// accuracies over some seeds on sets of a million pairs.
constexpr double nearness = 1e-6;

/// Hundredths of percent.
double cut_hundredths(double fraction) {
  const double hundredths = 1e4 * fraction, nearest = std::round(hundredths);
  return std::abs(hundredths - nearest) < nearness ? nearest : std::trunc(hundredths);
}

std::string without_negative_zero(std::string text) {
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.size() > 1 && text[0] == '-' ? text.substr(1) : text;
}

int decimals_of(Unit unit) {
  return unit == Unit::number ? 4 : 2;
}

}  // namespace

std::string printed_value(double value, Unit unit, bool cut) {
  if (unit == Unit::number) return without_negative_zero(fixed_text(value, 4));
  if (unit == Unit::count) return without_negative_zero(fixed_text(value, value == std::round(value) ? 0 : 2));
  if (!cut || !std::isfinite(value)) return without_negative_zero(percent_text(value));
  return without_negative_zero(fixed_text(cut_hundredths(value) / 100, 2));
}

double printed_number(const std::string& text) {
  if (text.empty() || text == "-") return std::numeric_limits<double>::quiet_NaN();
  return std::strtod(text.c_str(), nullptr);
}

std::string printed_next_to(double value, Unit unit) {
  return unit == Unit::fraction ? without_negative_zero(percent_text(value)) : fixed_text(value, decimals_of(unit));
}

std::string printed_difference(const std::string& value, const std::string& from, Unit unit) {
  const double difference = printed_number(value) - printed_number(from);
  const std::string text = without_negative_zero(fixed_text(difference, decimals_of(unit)));
  return std::isnan(difference) || text[0] == '-' ? text : "+" + text;
}

std::string printed_p(double p) {
  return p < 1e-4 ? "<0.0001" : fixed_text(p, 4);
}

namespace {

std::string formatted(const char* format, std::uint32_t value) {
  char text[32];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(value));
  return text;
}

/// Calls `visit(code point, its bytes)` for each visible character.
template <typename Visit>
void for_each_visible(std::string_view text, Visit visit) {
  const std::string visible = visible_text(text);
  for (std::string_view rest = visible; !rest.empty();) {
    const std::size_t length = utf8_sequence_length(rest);
    visit(code_point_of(rest.substr(0, length)), rest.substr(0, length));
    rest.remove_prefix(length);
  }
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

/// Returns whether a spreadsheet computes a cell with this text instead of showing it.
bool begins_a_formula(std::string_view text) {
  return text.size() > 1 && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

/// Characters that LaTeX gives a meaning, or that its text fonts lack, each with its command.
constexpr const char* latex_commands = R"(
\ \textbackslash{}  { \{  } \}  _ \_  & \&  % \%  # \#  $ \$  ^ \textasciicircum{}  ~ \textasciitilde{}
< \textless{}  > \textgreater{}  | \textbar{}  " \char34{}
° $^{\circ}$  ± $\pm$  ² $^{2}$  ³ $^{3}$  µ $\mu$  · $\cdot$  ¹ $^{1}$  × $\times$  ÷ $\div$
Γ $\Gamma$  Δ $\Delta$  Θ $\Theta$  Λ $\Lambda$  Ξ $\Xi$  Π $\Pi$  Σ $\Sigma$  Φ $\Phi$  Ψ $\Psi$  Ω $\Omega$
α $\alpha$  β $\beta$  γ $\gamma$  δ $\delta$  ε $\varepsilon$  ζ $\zeta$  η $\eta$  θ $\theta$  ι $\iota$
κ $\kappa$  λ $\lambda$  μ $\mu$  ν $\nu$  ξ $\xi$  π $\pi$  ρ $\rho$  ς $\varsigma$  σ $\sigma$  τ $\tau$
υ $\upsilon$  φ $\varphi$  χ $\chi$  ψ $\psi$  ω $\omega$  ϕ $\phi$
‐ -{}  ‑ -{}  – {}--{}  — {}---{}  ‖ $\|$  ‘ {}`{}  ’ {}'{}  “ {}``{}  ” {}''{}  † $\dagger$  ‡ $\ddagger$  • $\bullet$
… \dots{}  ′ $'$  ← $\leftarrow$  ↑ $\uparrow$  → $\rightarrow$  ↓ $\downarrow$  ∈ $\in$  ∑ $\sum$  − $-$
∞ $\infty$  ≈ $\approx$  ≠ $\neq$  ≤ $\leq$  ≥ $\geq$  ⋅ $\cdot$  ∣ $|$
)";

/// Returns the command for a character; empty where it needs none.
std::string latex_command(std::string_view character) {
  static const std::map<std::string, std::string, std::less<>> commands = [] {
    std::map<std::string, std::string, std::less<>> read{{"\u00A0", "~"}};
    std::istringstream text(latex_commands);
    for (std::string each, command; text >> each >> command;) read.emplace(each, command);
    return read;
  }();
  const auto found = commands.find(character);
  return found == commands.end() ? "" : found->second;
}

/// Returns whether pdflatex sets a character beyond ASCII that is written as it is, in its default fonts: letters with
/// accents.
bool pdflatex_knows(std::string_view character) {
  static constexpr std::string_view known =
      "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ¡¿ĆćČčĎďĚěĞğŁłŃńŇňŐőŒœŘřŚśŞşŠšŤťŮůŰűŹźŻżŽžĀāĒēĪīŌōŪū";
  return known.find(character) != std::string_view::npos;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string escaped;
  for_each_visible(text, [&](std::uint32_t c, std::string_view bytes) {
    if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '&')
      escaped += "&amp;";
    else {
      if (c < 0x80 && std::string_view("\\`*_{}[]()#|!~$@").find(static_cast<char>(c)) != std::string_view::npos)
        escaped += '\\';
      escaped += bytes;
    }
  });
  return escaped;
}

namespace {

/// Returns whether LaTeX would make one sign of two characters of a text.
bool make_a_ligature(char first, char second) {
  return (second == '`' && (first == '?' || first == '!')) ||
         (first == second && std::string_view("-,'`").find(second) != std::string_view::npos);
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string escaped;
  for_each_visible(text, [&](std::uint32_t c, std::string_view bytes) {
    const char last = escaped.empty() ? '\0' : escaped.back(), ascii = c < 0x80 ? static_cast<char>(c) : '\0';
    if (make_a_ligature(last, ascii)) escaped += "{}";
    // At the beginning of a line they would be arguments of the line break before it.
    if (escaped.empty() && (ascii == '[' || ascii == '*'))
      escaped += concat("{", bytes, "}");
    else if (const std::string command = latex_command(bytes); !command.empty())
      escaped += command;
    else if (c < 0x80 || pdflatex_knows(bytes))
      escaped += bytes;
    else
      escaped += formatted("\\texttt{U+%04X}", c);
  });
  return escaped;
}

std::string csv_field(std::string_view text) {
  std::string visible = concat(begins_a_formula(text) ? "'" : "", visible_lines(text));
  const bool plain =
      visible.find_first_of(",\"\n") == std::string::npos && !visible.starts_with(' ') && !visible.ends_with(' ');
  if (plain) return visible;
  std::string field = "\"";
  for (const char c : visible) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + "\"";
}

}  // namespace gausscse
