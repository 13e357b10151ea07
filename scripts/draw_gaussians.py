#!/usr/bin/env python3
"""Draws docs/figures/gaussians.svg: two sentences, their Gaussians in two dimensions, and the two similarities.

draw_gaussians.py                       draws docs/figures/gaussians.json
draw_gaussians.py --check               exit code 1 where the committed picture is not that of the committed values
draw_gaussians.py --take PROGRAM MODEL  first writes the values: what the program encodes and scores with the model

Every similarity is computed here, too, from the means and log-variances, and has to equal what `score` printed.
"""
import html
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

figures = pathlib.Path(__file__).resolve().parent.parent / "docs" / "figures"
values_file, picture_file = figures / "gaussians.json", figures / "gaussians.svg"
colours = ["#1f5fa8", "#b5521b"]


def tensors_of(path):
    """Rows of each float32 tensor of a safetensors file."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        (rows, width), (begin, end) = entry["shape"], entry["data_offsets"]
        numbers = struct.unpack(f"<{rows * width}f", data[8 + size + begin:8 + size + end])
        tensors[name] = [list(numbers[row * width:(row + 1) * width]) for row in range(rows)]
    return tensors


def take(program, model, sentences):
    with tempfile.TemporaryDirectory() as folder:
        lines, pairs, out = (pathlib.Path(folder) / name for name in ("lines.txt", "pairs.tsv", "out.safetensors"))
        lines.write_text("\n".join(sentences) + "\n")
        pairs.write_text("\t".join(sentences) + "\n")
        subprocess.run([program, "--quiet", "encode", model, lines, out, "--precision", "fp32"], check=True)
        tensors = tensors_of(out)
        score = subprocess.run([program, "--quiet", "score", model, pairs, "--precision", "fp32"], check=True,
                               capture_output=True, text=True).stdout.rstrip("\n").split("\t")
    return {"sentences": sentences, "score": score,
            **{name: [[float(f"{number:.7g}") for number in row] for row in tensors[name]]
               for name in ("mean", "log_var")}}


def terms(values, a, b):
    """1 / (1 + KL(N_a || N_b)) of each dimension, whose mean is the similarity `per_dimension` (docs/similarities.md)."""
    similarities = []
    for mean_a, mean_b, log_a, log_b in zip(values["mean"][a], values["mean"][b], values["log_var"][a],
                                            values["log_var"][b]):
        divergence = 0.5 * (log_b - log_a + (math.exp(log_a) + (mean_a - mean_b) ** 2) / math.exp(log_b) - 1)
        similarities.append(1 / (1 + divergence))
    return similarities


def picture(values):
    both = [terms(values, 1, 0), terms(values, 0, 1)]
    for own, printed in zip(both, values["score"]):
        if abs(sum(own) / len(own) - float(printed)) > 2e-6:
            sys.exit(f"draw_gaussians.py: {sum(own) / len(own)} is not the {printed} that score printed")
    # The two dimensions that separate the directions most.
    order = sorted(range(len(both[0])), key=lambda d: both[1][d] - both[0][d])
    shown = sorted(order[:2])
    centres = [[values["mean"][row][d] for d in shown] for row in range(2)]
    widths = [[math.exp(values["log_var"][row][d] / 2) for d in shown] for row in range(2)]
    low = [min(centres[r][i] - 2.2 * widths[r][i] for r in range(2)) for i in range(2)]
    high = [max(centres[r][i] + 2.2 * widths[r][i] for r in range(2)) for i in range(2)]
    left, top, size = 50, 66, 250
    scale = size / max(high[i] - low[i] for i in range(2))
    middle = [(low[i] + high[i]) / 2 for i in range(2)]

    def place(point):
        return (left + size / 2 + (point[0] - middle[0]) * scale, top + size / 2 - (point[1] - middle[1]) * scale)

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 360" font-family="sans-serif" font-size="14">',
             "<title>Two sentences as Gaussians, and their two similarities</title>",
             '<rect width="720" height="360" fill="#ffffff"/>']
    for row, name in enumerate(("first", "second")):
        parts.append(f'<text x="20" y="{24 + 22 * row}" fill="{colours[row]}">{name}: '
                     f'{html.escape(values["sentences"][row])}</text>')
    parts.append(f'<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="none" stroke="#999999"/>')
    for row in range(2):
        x, y = place(centres[row])
        for times, opacity in ((2, 0.12), (1, 0.25)):
            parts.append(f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{times * widths[row][0] * scale:.1f}" '
                         f'ry="{times * widths[row][1] * scale:.1f}" fill="{colours[row]}" fill-opacity="{opacity}" '
                         f'stroke="{colours[row]}"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colours[row]}"/>')
    parts.append(f'<text x="{left + size / 2}" y="{top + size + 20}" fill="#333333" text-anchor="middle">'
                 f"dimension {shown[0]} of {len(both[0])}</text>")
    parts.append(f'<text transform="translate({left - 12} {top + size / 2}) rotate(-90)" fill="#333333" '
                 f'text-anchor="middle">dimension {shown[1]}</text>')
    parts.append(f'<text x="340" y="{top + 20}" fill="#333333">mean and 1 and 2 standard deviations</text>')
    lines = [f"sim(second ‖ first) = {values['score'][0]}", f"sim(first ‖ second) = {values['score'][1]}",
             f"verdict: {values['score'][2]}", "sim(a ‖ b): mean over dimensions of", "1 / (1 + KL(a ‖ b))"]
    for line, (text, y) in enumerate(zip(lines, (130, 158, 200, 250, 270))):
        weight = ' font-weight="bold" font-size="18"' if line < 2 else ""
        parts.append(f'<text x="340" y="{y}" fill="#111111"{weight}>{html.escape(text)}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    if sys.argv[1:2] == ["--take"]:
        sentences = ["A brown poodle is running on a beach.", "A dog is running outdoors."]
        values = take(sys.argv[2], sys.argv[3], sentences)
        parts = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
        values_file.write_text("{" + ",\n ".join(parts) + "}\n")
    drawn = picture(json.loads(values_file.read_text()))
    if sys.argv[1:2] == ["--check"]:
        sys.exit(0 if picture_file.read_text() == drawn else f"{picture_file} is not what {values_file} gives")
    picture_file.write_text(drawn)


if __name__ == "__main__":
    main()
