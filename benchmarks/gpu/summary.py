"""The table that a call prints at its end, in less than 12,000 characters."""

MOST_CHARACTERS = 12000
# Rows of a step's kernels and of timed kernels.
MOST_KERNELS = 12


def figures_text(part):
    """A part's figures in a line."""
    figures = part.get("figures", {})
    if "examples_per_second" in figures:
        used = figures.get("model_flop_utilisation")
        return (f"{figures['step_milliseconds']:.2f} ms a step, {figures['examples_per_second']:g} triples/s"
                + (f", {100 * used:.1f} % of the peak" if used else ""))  # fmt: skip
    if "step" in figures:
        step = figures["step"]
        return f"{step['launches']} launches, {step['milliseconds']:.2f} ms in kernels, see below"
    if "ranks" in figures:
        found = [name for name in ("gather", "ring") if f"losses_apart_{name}" in figures]
        return ", ".join(f"{name}: losses {figures[f'losses_apart_{name}']:.0e} apart, "
                         f"{figures[f'examples_per_second_{name}']:g} triples/s" for name in found)  # fmt: skip
    if "sentences_per_second" in figures:
        return f"{figures['sentences_per_second']:g} sentences/s"
    if "cases" in figures:
        failed = sum("error" in case for case in figures["cases"])
        return f"{len(figures['cases'])} cases" + (f", {failed} of them failed" if failed else "")
    if isinstance(figures.get("tests"), int):
        skipped = figures.get("skipped", 0)
        return f"{figures['tests']} tests" + (f", {skipped} of them skipped" if skipped else "")
    return ""


def number_or_dash(value, form):
    return "-" if value is None else format(value, form)


def step_lines(figures):
    """A step under ncu, whole and by kernel."""
    lines = [f"\n  a step of {figures['batch']} triples under ncu",
             f"  {'kernel':40} {'launches':>8} {'ms':>8} {'MB':>9} {'Minst':>8}"]  # fmt: skip
    for row in [{"kernel": "all", **figures["step"]}, *figures["kernels"][:MOST_KERNELS]]:
        lines.append(f"  {row['kernel'][:40]:40} {row['launches']:8} {row['milliseconds']:8.3f} "
                     f"{row['megabytes']:9.0f} {row['million_instructions']:8.0f}")  # fmt: skip
    return lines


def case_lines(figures):
    """Timed kernels next to their floors, products and LibTorch's attention next to ours."""
    lines = [f"\n  {'kernel, ' + str(figures['triples']) + ' triples':54} {'us':>10} {'floor':>10} {'times':>6} {'TFLOP/s':>8}"]
    for case in sorted(figures["cases"], key=lambda case: -case.get("microseconds", 0))[: 2 * MOST_KERNELS]:
        if "error" in case:
            lines.append(f"  {case['case']:54} {case['error'][:40]}")
            continue
        lines.append(f"  {case['case']:54} {case['microseconds']:10.1f} "
                     f"{number_or_dash(case.get('floor_microseconds'), '.1f'):>10} "
                     f"{number_or_dash(case.get('times_floor'), '.2f'):>6} {case['tflops']:8.1f}")  # fmt: skip
    return lines


def table(report):
    machine = report["machine"]
    lines = [f"call {report['call']}: {machine.get('gpu') or 'no GPU'}, driver {machine.get('driver')}, "
             f"LibTorch {machine['libtorch']}, {report['seconds']:.0f} s"]  # fmt: skip
    for part in report["parts"]:
        text = (part.get("why") or figures_text(part))[:300]
        lines.append(f"  {part['state']:8} {part['seconds']:6.1f} s  {part['name']:46} {text}")
    for part in report["parts"]:
        figures = part.get("figures", {})
        if "step" in figures:
            lines += step_lines(figures)
        if "cases" in figures:
            lines += case_lines(figures)
    return "\n".join(line.rstrip() for line in lines)[: MOST_CHARACTERS - 1] + "\n"
