"""Compares pictures of pages with references: coarse ones, so that they are small, and a letter more or less does not matter.

A reference is the mean colour of each square of 40 pixels, in the upper 3,000 pixels. Where the letters of this machine have other
widths than those of the references, nothing is compared, and `result` says so. LINKSPAN_UPDATE_SCREENSHOTS=1 makes the references
of this machine; look at the pictures before they are committed.
"""
import base64
import json
import os
import pathlib
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/screenshots"
SQUARE, HIGHEST = 40, 3_000
# The mean colours of a picture's squares, and the widths of texts in the fonts of the pages.
SCRIPT = """async ([picture, square, highest]) => {
  const image = await createImageBitmap(await (await fetch(picture)).blob());
  const height = Math.min(image.height, highest);
  const canvas = new OffscreenCanvas(Math.ceil(image.width / square), Math.ceil(height / square));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, image.width, height, 0, 0, image.width / square, height / square);
  const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
  return [image.width, image.height, Array.from(data).filter((_, index) => index % 4 < 3)];
}"""
LETTERS = """() => ["16px system-ui, 'Segoe UI', Roboto, sans-serif", "16px ui-monospace, 'DejaVu Sans Mono', monospace"].map((font) => {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.font = font;
  return Math.round(context.measureText("The quick brown fox jumps over the lazy dog 0123456789").width);
})"""


class Screenshots:
    def __init__(self, browser, name, far, share, taller=1):
        """far is from how much of 255 on a square counts as different; share is how many of a hundred squares may
        be, and taller how many hundredths of its height a picture may differ by."""
        self.page = browser.new_page()
        self.place, self.far, self.share, self.taller = FOLDER / f"{name}.json", far, share, taller
        self.updates = os.environ.get("LINKSPAN_UPDATE_SCREENSHOTS") == "1"
        self.letters = self.page.evaluate(LETTERS)
        known = json.loads(self.place.read_text()) if self.place.exists() else {}
        is_same = known.get("letters") == self.letters
        # An update that ends early keeps the references of pages that it has not seen.
        self.pages = known.get("pages", {}) if is_same or not self.updates else {}
        self.is_comparable = self.updates or is_same
        self.compared = 0

    def compare(self, name, picture):
        """What differs from the reference, in a sentence; nothing where it is as it was."""
        if not self.is_comparable:
            return None
        address = "data:image/png;base64," + base64.b64encode(picture).decode()
        width, height, squares = self.page.evaluate(SCRIPT, [address, SQUARE, HIGHEST])
        self.compared += 1
        if self.updates:
            packed = base64.b64encode(zlib.compress(bytes(squares), 9)).decode()
            self.pages[name] = {"width": width, "height": height, "squares": packed}
            return None
        known = self.pages.get(name)
        if not known:
            return "there is no reference of its picture; LINKSPAN_UPDATE_SCREENSHOTS=1 makes it"
        if width != known["width"] or abs(height - known["height"]) * 100 > self.taller * known["height"]:
            return f"its picture has {width} × {height} pixels, and the reference {known['width']} × {known['height']}"
        before = zlib.decompress(base64.b64decode(known["squares"]))
        count = min(len(before), len(squares)) // 3
        different = [place for place in range(count) if any(
            abs(before[3 * place + channel] - squares[3 * place + channel]) > self.far for channel in range(3))]
        if len(different) * 100 <= self.share * count:
            return None
        across = -(-width // SQUARE)
        x, y = different[0] % across * SQUARE, different[0] // across * SQUARE
        return f"its picture differs from the reference in {len(different)} of {count} squares, first at {x}, {y}"

    def result(self):
        """Keeps new references, and says what was compared."""
        if self.updates:
            FOLDER.mkdir(parents=True, exist_ok=True)
            pages = ",\n".join(f"{json.dumps(name)}: {json.dumps(self.pages[name])}" for name in sorted(self.pages))
            self.place.write_text(f'{{"letters": {json.dumps(self.letters)}, "pages": {{\n{pages}\n}}}}\n')
            return f"{self.compared} references were made"
        if not self.is_comparable:
            return "no picture was compared: the letters here have other widths than those of the references"
        return f"{self.compared} pictures compared with their references"
