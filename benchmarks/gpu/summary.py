"""The table that is printed at the end."""


def figures_text(part):
    """A part's figures in a line."""
    figures = part.get("figures", {})
    if "examples_per_second" in figures:
        used = figures.get("model_flop_utilisation")
        return (f"{figures['examples_per_second']:.0f} triples/s, {figures['tokens_per_second']:.0f} tokens/s"
                + (f", {100 * used:.1f}% of the peak" if used else ""))  # fmt: skip
    if "ranks" in figures:
        found = [name for name in ("gather", "ring") if f"losses_apart_{name}" in figures]
        return ", ".join(f"{name}: losses {figures[f'losses_apart_{name}']:.0e} apart, "
                         f"{figures[f'examples_per_second_{name}']:.0f} triples/s" for name in found)  # fmt: skip
    if "sentences_per_second" in figures:
        return f"{figures['sentences_per_second']:.0f} sentences/s"
    if "cases" in figures:
        failed = sum("error" in case for case in figures["cases"])
        return f"{len(figures['cases'])} cases" + (f", {failed} of them failed" if failed else "")
    if isinstance(figures.get("tests"), int):
        skipped = figures.get("skipped", 0)
        return f"{figures['tests']} tests" + (f", {skipped} of them skipped" if skipped else "")
    return ""


def print_table(report):
    machine = report["machine"]
    print(f"{machine.get('gpu') or 'no GPU'}, driver {machine.get('driver')}, LibTorch {machine['libtorch']}, "
          f"{report['seconds']:.0f} s")  # fmt: skip
    for part in report["parts"]:
        print(f"  {part['state']:8} {part['seconds']:6.1f} s  {part['name']:34} {part.get('why') or figures_text(part)}")
    cases = [case for part in report["parts"] for case in part.get("figures", {}).get("cases", [])]
    shown = [case for case in cases if "times_floor" in case and not case["case"].startswith("product/")]
    if shown:
        print(f"\n  {'kernel, all others in the JSON file':52} {'us':>10} {'floor':>10}  {'times':>6}")
    for case in sorted(shown, key=lambda case: -case["microseconds"] / case["floor_microseconds"])[:30]:
        print(f"  {case['case']:52} {case['microseconds']:10.1f} {case['floor_microseconds']:10.1f}  "
              f"{case['times_floor']:6.2f}")  # fmt: skip
    libtorch = {case["case"]: case for case in cases if case["case"].endswith("/libtorch") and "microseconds" in case}
    if libtorch:
        print(f"\n  {'attention without dropout beside LibTorch':52} {'us':>10} {'LibTorch':>10}")
    for case in cases:
        other = libtorch.get(case["case"].replace("/plain", "/libtorch"))
        if other and case is not other and "microseconds" in case:
            print(f"  {case['case']:52} {case['microseconds']:10.1f} {other['microseconds']:10.1f}")
    products = [case for case in cases if case["case"].startswith("product/bert-base") and "tflops" in case]
    if products:
        print(f"\n  {'product':52} {'TFLOP/s':>10}")
    for case in products:
        print(f"  {case['case']:52} {case['tflops']:10.1f}")
