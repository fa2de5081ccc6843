internal import LinkspanCore

/// The files of a bundle as a treemap in SVG: an area for each kind, and in it a rectangle for each file.
package struct TreemapPicture {
  private let files: [SizedFile]
  private let title: String
  private let width: Double
  private let height: Double
  /// In the legend.
  private let columns: Int
  private static let titleHeight = 34.0
  private static let legendRow = 22.0
  private static let headerHeight = 19.0
  private static let gap = 2.0
  /// Ours: files of one kind that have a rectangle of their own; the rest share one.
  private static let fileLimit = 300

  /// - Parameters:
  ///   - files: Those of a bundle.
  ///   - title: One line above the picture.
  ///   - isNarrow: Whether it is for the width of a telephone.
  package init(_ files: [SizedFile], title: String, isNarrow: Bool = false) {
    self.files = files
    self.title = title
    (width, height, columns) = isNarrow ? (360, 620, 2) : (1200, 720, 6)
  }

  private var legendHeight: Double {
    Double((groups.count + columns - 1) / columns) * Self.legendRow + 8
  }

  /// An SVG file that needs nothing else.
  package var svg: String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + element(style: TreemapStyle.text)
  }

  /// The same to stand in a page that has the style.
  ///
  /// - Parameter style: CSS to put inside; nil for none.
  func element(style: String? = nil) -> String {
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" class="treemap" role="img" viewBox="0 0 \(Self.number(width)) \
      \(Self.number(height))">
      <title>\(Markup.escaped(title))</title>

      """
    if let style { text += "<style>\n\(style)</style>\n" }
    text += """
      <rect class="paper" width="100%" height="100%"/>
      <text class="title" x="8" y="23">\(Markup.escaped(shownTitle))</text>

      """
    let groups = groups
    let map = Treemap.Box(
      x: 6, y: Self.titleHeight, width: width - 12,
      height: height - Self.titleHeight - legendHeight - 6)
    for (group, box) in zip(groups, Treemap.boxes(groups.map(\.sizeBytes), in: map)) {
      text += draw(group, in: box)
    }
    return text + legend(groups) + "</svg>\n"
  }

  private struct Group {
    var kind: SizeKind
    /// The largest first.
    var files: [SizedFile]
    var sizeBytes: Int
  }

  /// The largest first.
  private var groups: [Group] {
    SizeKind.allCases.compactMap { kind in
      let own = files.filter { $0.kind == kind && $0.sizeBytes > 0 }
      guard !own.isEmpty else { return nil }
      var sorted = own.sorted { ($1.sizeBytes, $0.path) < ($0.sizeBytes, $1.path) }
      if sorted.count > Self.fileLimit {
        let rest = sorted[Self.fileLimit...]
        let bytes = rest.reduce(0) { $0 + $1.sizeBytes }
        sorted =
          sorted.prefix(Self.fileLimit) + [
            SizedFile(path: "\(rest.count) smaller files", kind: kind, sizeBytes: bytes)
          ]
        sorted.sort { ($1.sizeBytes, $0.path) < ($0.sizeBytes, $1.path) }
      }
      return Group(kind: kind, files: sorted, sizeBytes: own.reduce(0) { $0 + $1.sizeBytes })
    }.sorted { ($1.sizeBytes, $0.kind.rawValue) < ($0.sizeBytes, $1.kind.rawValue) }
  }

  private func draw(_ group: Group, in box: Treemap.Box) -> String {
    let box = box.inset(left: 0, top: 0, right: Self.gap, bottom: Self.gap)
    var text = "<g class=\"kind-\(group.kind.rawValue)\">\n" + Self.rect(box, class: "group")
    let label = "\(group.kind.rawValue), \(ThinningSizeText.words(group.sizeBytes))"
    let shown =
      box.height > Self.headerHeight + 14 ? Self.fitted(label, width: box.width - 8, perLetter: 7.6) : nil
    if let shown {
      text += Self.label(shown, x: box.x + 5, y: box.y + 14, class: "heading")
    }
    let top = shown == nil ? Self.gap : Self.headerHeight
    let inner = box.inset(left: Self.gap, top: top, right: 0, bottom: 0)
    for (file, place) in zip(group.files, Treemap.boxes(group.files.map(\.sizeBytes), in: inner)) {
      let tile = place.inset(left: 0, top: 0, right: Self.gap, bottom: Self.gap)
      guard tile.width >= 0.5, tile.height >= 0.5 else { continue }
      let size = ThinningSizeText.words(file.sizeBytes)
      text += "<g><title>\(Markup.escaped(file.path)), \(size)</title>\n" + Self.rect(tile, class: "file")
      let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
      if tile.height >= 16, let shown = Self.fitted(name, width: tile.width - 8, perLetter: 7) {
        text += Self.label(shown, x: tile.x + 4, y: tile.y + 13, class: "name")
        if tile.height >= 32, let shown = Self.fitted(size, width: tile.width - 8, perLetter: 7) {
          text += Self.label(shown, x: tile.x + 4, y: tile.y + 27, class: "size")
        }
      }
      text += "</g>\n"
    }
    return text + "</g>\n"
  }

  private var shownTitle: String { Self.fitted(title, width: width - 16, perLetter: 8.5) ?? "" }

  private func legend(_ groups: [Group]) -> String {
    var text = "<g class=\"legend\">\n"
    for (index, group) in groups.enumerated() {
      let x = 8 + Double(index % columns) * (width - 16) / Double(columns)
      let y = height - legendHeight + 8 + Double(index / columns) * Self.legendRow
      let box = Treemap.Box(x: x, y: y, width: 12, height: 12)
      text += "<g class=\"kind-\(group.kind.rawValue)\">" + Self.rect(box, class: "file") + "</g>"
      let words = "\(group.kind.rawValue), \(ThinningSizeText.words(group.sizeBytes))"
      text += Self.label(words, x: x + 18, y: y + 10.5, class: "words")
    }
    return text + "</g>\n"
  }

  // MARK: - Elements

  private static func rect(_ box: Treemap.Box, class name: String) -> String {
    "<rect class=\"\(name)\" x=\"\(number(box.x))\" y=\"\(number(box.y))\" width=\"\(number(box.width))\" "
      + "height=\"\(number(box.height))\"/>\n"
  }

  private static func label(_ text: String, x: Double, y: Double, class name: String) -> String {
    "<text class=\"\(name)\" x=\"\(number(x))\" y=\"\(number(y))\">\(Markup.escaped(text))</text>\n"
  }

  /// As much of a text as fits; nil where that would be a letter or two.
  private static func fitted(_ text: String, width: Double, perLetter: Double) -> String? {
    let room = Int(max(0, width) / perLetter)
    if text.count <= room { return text }
    return room >= 5 ? text.prefix(room - 1) + "…" : nil
  }

  /// With one decimal, the same on every machine.
  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
