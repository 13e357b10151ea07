#include "experiments/report/html/style.hpp"

namespace gausscse {

// The series' colours are Okabe's and Ito's, darkened on white and lightened on black until they stand out.
std::string_view report_style() {
  return R"(
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1b1f24; --quiet: #57606a; --rule: #d0d7de; --soft: #f4f6f8; --link: #0a58b5;
  --good: #0b6b3a; --bad: #a3241b; --grid: #e3e7eb;
  --c0: #0072b2; --c1: #c44e00; --c2: #00805e; --c3: #a8447f; --c4: #3d4248; --c5: #8a6d00; --c6: #2b96d6; --c7: #7a4fbf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --ink: #e8eaed; --quiet: #a3acb5; --rule: #3b424a; --soft: #1e2328; --link: #7ab8ff;
    --good: #5fd08f; --bad: #ff9a8f; --grid: #2a3037;
    --c0: #56b4e9; --c1: #f5854a; --c2: #35c79a; --c3: #e691c0; --c4: #d5d9dd; --c5: #f0d442; --c6: #8fa8ff; --c7: #c3a2f2;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 72rem; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 3rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.1rem; line-height: 1.3; margin: 2rem 0 .5rem; }
p, ul.plain { margin: .5rem 0; max-width: 46rem; }
a { color: var(--link); }
.quiet, figcaption small { color: var(--quiet); }
.good { color: var(--good); }
.bad { color: var(--bad); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 1rem 0; padding: 0; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 9rem), 1fr)); gap: .75rem 1.25rem; margin: 1.25rem 0; }
dl.facts dt { color: var(--quiet); font-size: .875rem; }
dl.facts dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .9375rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding: .25rem 0 .5rem; }
th, td { padding: .3rem .65rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; }
thead th { vertical-align: bottom; }
th[scope="colgroup"] { text-align: center; }
th[scope="row"], th.words, td.words { text-align: left; }
td.words, th[scope="row"], th.words { max-width: 26rem; min-width: 5rem; overflow-wrap: anywhere; }
th[scope="row"], th.words { min-width: 7rem; }
thead th.words { overflow-wrap: normal; }
tbody th[scope="row"] { font-weight: 400; }
td { white-space: nowrap; }
td.words { white-space: normal; }
td small { display: block; color: var(--quiet); font-size: .8125rem; }
td.best { background: var(--soft); }
td.missing { color: var(--quiet); }
table.heat td, table.heat th { border: 1px solid var(--page); text-align: center; padding: .45rem .6rem; }
table.heat th { max-width: 9rem; overflow-wrap: anywhere; }
table.heat th { font-weight: 400; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 1.25rem 1.5rem; margin: 1rem 0; }
.figures.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); }
.figures > .scroll { margin: 0; min-width: 0; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figcaption { font-weight: 600; font-size: .9375rem; margin-bottom: .25rem; }
svg.plot { display: block; width: 100%; max-width: 36rem; height: auto; font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
svg text { fill: var(--ink); }
svg text.end { text-anchor: end; }
svg text.middle { text-anchor: middle; }
svg .axis { fill: none; stroke: var(--quiet); }
svg .grid { fill: none; stroke: var(--grid); }
svg .line { fill: none; stroke: var(--c); stroke-width: 1.8; stroke-linejoin: round; }
svg .reference { fill: none; stroke: var(--quiet); stroke-width: 1.4; }
svg .dots { fill: none; stroke: var(--c); stroke-width: 3; stroke-linecap: round; stroke-opacity: .6; }
svg .crosses { fill: none; stroke: var(--c); stroke-width: 1; stroke-opacity: .75; }
svg .band { fill: var(--c); fill-opacity: .16; stroke: none; }
svg .marker { fill: var(--c); stroke: var(--page); stroke-width: .8; }
.s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); } .s3 { --c: var(--c3); }
.s4 { --c: var(--c4); } .s5 { --c: var(--c5); } .s6 { --c: var(--c6); } .s7 { --c: var(--c7); }
ul.legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; list-style: none; margin: .25rem 0 0; padding: 0; font-size: .875rem; }
ul.legend li { display: flex; align-items: center; gap: .4rem; min-width: 0; }
ul.legend span { min-width: 0; }
svg.swatch { flex: none; width: 34px; height: 12px; }
details { margin: .4rem 0; border-bottom: 1px solid var(--rule); padding-bottom: .4rem; }
summary { cursor: pointer; }
details.trial > summary { font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; background: var(--soft); padding: .75rem; font: .8125rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; margin: .5rem 0; }
code { font: .9em ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
blockquote { margin: .25rem 0; }
.settings { font-size: .875rem; }
.settings td, .settings th { text-align: left; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding: 1rem .75rem 3rem; }
  h1 { font-size: 1.4rem; }
  th, td { padding: .3rem .45rem; }
}
@media print {
  :root {
    --page: #ffffff; --ink: #000000; --quiet: #444444; --rule: #bbbbbb; --soft: #f2f2f2; --link: #000000;
    --good: #0b6b3a; --bad: #a3241b; --grid: #dddddd;
    --c0: #0072b2; --c1: #c44e00; --c2: #00805e; --c3: #a8447f; --c4: #3d4248; --c5: #8a6d00; --c6: #2b96d6; --c7: #7a4fbf;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  h2, h3, caption, figcaption { break-after: avoid; }
  h3 + p { break-after: avoid; }
  tr, figure { break-inside: avoid; }
  .scroll { overflow-x: visible; }
  .figures { grid-template-columns: 1fr 1fr; }
  table.heat td { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
)";
}

}  // namespace gausscse
