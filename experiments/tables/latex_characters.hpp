#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace gausscse {

/// Returns what represents a character that LaTeX gives a meaning, or that its text fonts lack; nullptr: nothing has
/// to. The braces behind hyphens, quotation marks and the like keep ligatures from forming; those around [ and * keep
/// them from being arguments of a line break.
inline const char* latex_command(std::uint32_t character) {
  static constexpr std::array<std::pair<std::uint32_t, const char*>, 94> commands{{
      {'\\', "\\textbackslash{}"},
      {'{', "\\{"},
      {'}', "\\}"},
      {'_', "\\_"},
      {'&', "\\&"},
      {'%', "\\%"},
      {'#', "\\#"},
      {'$', "\\$"},
      {'^', "\\textasciicircum{}"},
      {'~', "\\textasciitilde{}"},
      {'<', "\\textless{}"},
      {'>', "\\textgreater{}"},
      {'|', "\\textbar{}"},
      {'"', "\\char34{}"},
      {'\'', "'{}"},
      {'`', "{}`{}"},
      {'-', "-{}"},
      {',', ",{}"},
      {'[', "{[}"},
      {']', "{]}"},
      {'*', "{*}"},
      {0xA0, "~"},
      {0xB0, "$^{\\circ}$"},
      {0xB1, "$\\pm$"},
      {0xB2, "$^{2}$"},
      {0xB3, "$^{3}$"},
      {0xB5, "$\\mu$"},
      {0xB7, "$\\cdot$"},
      {0xB9, "$^{1}$"},
      {0xD7, "$\\times$"},
      {0xF7, "$\\div$"},
      {0x393, "$\\Gamma$"},
      {0x394, "$\\Delta$"},
      {0x398, "$\\Theta$"},
      {0x39B, "$\\Lambda$"},
      {0x39E, "$\\Xi$"},
      {0x3A0, "$\\Pi$"},
      {0x3A3, "$\\Sigma$"},
      {0x3A6, "$\\Phi$"},
      {0x3A8, "$\\Psi$"},
      {0x3A9, "$\\Omega$"},
      {0x3B1, "$\\alpha$"},
      {0x3B2, "$\\beta$"},
      {0x3B3, "$\\gamma$"},
      {0x3B4, "$\\delta$"},
      {0x3B5, "$\\varepsilon$"},
      {0x3B6, "$\\zeta$"},
      {0x3B7, "$\\eta$"},
      {0x3B8, "$\\theta$"},
      {0x3B9, "$\\iota$"},
      {0x3BA, "$\\kappa$"},
      {0x3BB, "$\\lambda$"},
      {0x3BC, "$\\mu$"},
      {0x3BD, "$\\nu$"},
      {0x3BE, "$\\xi$"},
      {0x3C0, "$\\pi$"},
      {0x3C1, "$\\rho$"},
      {0x3C2, "$\\varsigma$"},
      {0x3C3, "$\\sigma$"},
      {0x3C4, "$\\tau$"},
      {0x3C5, "$\\upsilon$"},
      {0x3C6, "$\\varphi$"},
      {0x3C7, "$\\chi$"},
      {0x3C8, "$\\psi$"},
      {0x3C9, "$\\omega$"},
      {0x3D5, "$\\phi$"},
      {0x2010, "-{}"},
      {0x2011, "-{}"},
      {0x2013, "--{}"},
      {0x2014, "---{}"},
      {0x2016, "$\\|$"},
      {0x2018, "`{}"},
      {0x2019, "'{}"},
      {0x201C, "``{}"},
      {0x201D, "''{}"},
      {0x2020, "$\\dagger$"},
      {0x2021, "$\\ddagger$"},
      {0x2022, "$\\bullet$"},
      {0x2026, "\\dots{}"},
      {0x2032, "$'$"},
      {0x2190, "$\\leftarrow$"},
      {0x2191, "$\\uparrow$"},
      {0x2192, "$\\rightarrow$"},
      {0x2193, "$\\downarrow$"},
      {0x2208, "$\\in$"},
      {0x2211, "$\\sum$"},
      {0x2212, "$-$"},
      {0x221E, "$\\infty$"},
      {0x2248, "$\\approx$"},
      {0x2260, "$\\neq$"},
      {0x2264, "$\\leq$"},
      {0x2265, "$\\geq$"},
      {0x22C5, "$\\cdot$"},
      {0x2223, "$|$"},
  }};
  for (const auto& [known, command] : commands)
    if (known == character) return command;
  return nullptr;
}

/// Returns whether pdflatex sets a character beyond ASCII that is written as it is, in its default fonts: letters with
/// accents.
inline bool pdflatex_knows(std::string_view character) {
  static constexpr std::string_view known =
      "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ¡¿ĆćČčĎďĚěĞğŁłŃńŇňŐőŒœŘřŚśŞşŠšŤťŮůŰűŹźŻżŽžĀāĒēĪīŌōŪū";
  return known.find(character) != std::string_view::npos;
}

}  // namespace gausscse
