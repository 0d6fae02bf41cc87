#!/usr/bin/env bash
# Makes the fonts of the delivery form from the published web fonts of Inter: the letters that a form can
# need, without hinting and as TrueType. Run it to take a newer Inter or more letters. It requires npm and
# python3. The same versions of Inter and the tools give the same bytes.
set -euo pipefail
cd "$(dirname "$0")"

INTER=4.1.1
FONTTOOLS=4.68.0
BROTLI=1.2.1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "inter-ui@$INTER" >/dev/null && tar xzf inter-ui-*.tgz)
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet "fonttools==$FONTTOOLS" "brotli==$BROTLI"

"$work/venv/bin/python" - "$work/package" <<'PYTHON'
import sys
from fontTools import subset

# Latin with all its accents, Greek, Cyrillic; punctuation, currencies, signs, arrows, boxes.
RANGES = [
    (0x20, 0x7E), (0xA0, 0x24F), (0x2B9, 0x2BC), (0x2C6, 0x2DD), (0x300, 0x36F), (0x370, 0x3FF),
    (0x400, 0x52F), (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x2070, 0x209F), (0x20A0, 0x20C0),
    (0x2100, 0x215F), (0x2190, 0x2199), (0x2200, 0x22FF), (0x25A0, 0x25FF), (0x2713, 0x2717),
]
options = subset.Options()
options.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"]
options.hinting = False
options.notdef_outline = True
options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
for weight in ("Regular", "SemiBold"):
    font = subset.load_font(f"{sys.argv[1]}/web/Inter-{weight}.woff2", options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[letter for first, last in RANGES for letter in range(first, last + 1)])
    subsetter.subset(font)
    font.flavor = None
    font.save(f"Inter-{weight}.ttf")
PYTHON
cp "$work/package/LICENSE.txt" OFL.txt
