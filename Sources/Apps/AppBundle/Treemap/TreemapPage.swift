internal import CLinkspanResources
internal import LinkspanCore

/// The style of the picture and of the page around it.
enum TreemapStyle {
  static var text: String { String(decoding: bytes, as: UTF8.self) }

  fileprivate static var bytes: [UInt8] {
    let resource = linkspan_treemap_css()
    return Array(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
  }
}

/// The answer about a clip's size as one page of HTML that needs nothing else: no script, no network, no other file.
package struct TreemapPage {
  private let answer: ClipSizeAnswer
  private let name: String

  /// - Parameters:
  ///   - answer: Of a bundle, with its files.
  ///   - name: What the person calls the bundle.
  package init(_ answer: ClipSizeAnswer, name: String) {
    self.answer = answer
    self.name = name
  }

  /// The picture by itself.
  package var svg: String { picture.svg }

  private var picture: TreemapPicture {
    let variant = answer.variants.first
    let size = variant.map { ", \(ThinningSizeText.text($0.uncompressed.upper)) uncompressed" } ?? ""
    return TreemapPicture(answer.files, title: name + size)
  }

  /// The page. The same answer gives the same bytes.
  package var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(styleHash)'; \
    base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(Markup.escaped(name)): size</title>
    <style>\(TreemapStyle.text)</style>
    </head>
    <body class="report">
    <main>
    <h1>\(Markup.escaped(name))</h1>
    \(verdicts)\(picture.element())\(parts)\(levers)\(advice)\(findings)</main>
    </body>
    </html>

    """
  }

  private var styleHash: String { Base64.text(of: SHA256.digest(of: TreemapStyle.bytes)) }

  private var verdicts: String {
    answer.variants.map { variant in
      let verdict = answer.verdict(variant)
      let word = verdict == .tooLarge ? "too large" : verdict.rawValue
      let compressed = variant.compressed.map { "\(ThinningSizeText.text($0.upper)) compressed, " } ?? ""
      let limit = answer.rule.limits
      let limitText =
        limit.lowerBound == limit.upperBound ? ", limit \(ThinningSizeText.text(limit.lowerBound))" : ""
      let error = answer.error(variant).map { "<p>\(Markup.escaped($0))</p>\n" } ?? ""
      return
        "<p>\(Markup.escaped(variant.name)): <span class=\"\(verdict.rawValue)\">\(word)</span>, \(compressed)"
        + "\(ThinningSizeText.text(variant.uncompressed.upper)) uncompressed\(limitText)</p>\n\(error)"
    }.joined()
  }

  private var parts: String {
    let total = max(1, answer.files.reduce(0) { $0 + $1.sizeBytes })
    return table(
      "Largest parts", ["Size", "Share", "Kind", "Name", "Files"], numbers: [0, 1, 4],
      answer.parts.map { part in
        let tenths = part.sizeBytes * 1000 / total
        return [
          ThinningSizeText.text(part.sizeBytes), "\(tenths / 10).\(tenths % 10) %", part.kind.rawValue,
          part.name ?? "", "\(part.fileCount)",
        ]
      })
  }

  private var levers: String {
    let rows = (answer.savings?.levers ?? []).map { lever in
      [ThinningSizeText.text(lever.savesBytes), lever.name.rawValue, "\(lever.files.count)"]
    }
    let total = answer.savings.map { savings in
      [[ThinningSizeText.text(savings.totalBytes), "all of them together", ""]]
    }
    return table(
      "What each remedy would save by itself, computed", ["Saves", "Remedy", "Files"], numbers: [0, 2],
      rows + (total ?? []))
  }

  private var advice: String {
    table(
      "What others report of remedies that only a build can measure", ["Remedy", "Reported", "Source"],
      numbers: [],
      SizeAdvice.all.map { [$0.lever, $0.reported, $0.source] })
  }

  private var findings: String {
    table(
      "Findings", ["Severity", "Rule", "What"], numbers: [],
      answer.findings.map { [$0.severity.rawValue, $0.rule, $0.message] })
  }

  private func table(_ title: String, _ heads: [String], numbers: Set<Int>, _ rows: [[String]]) -> String {
    guard !rows.isEmpty else { return "" }
    func cells(_ values: [String], _ tag: String) -> String {
      values.enumerated().map { index, value in
        "<\(tag)\(numbers.contains(index) ? " class=\"number\"" : "")>\(Markup.escaped(value))</\(tag)>"
      }.joined()
    }
    let body = rows.map { "<tr>\(cells($0, "td"))</tr>\n" }.joined()
    return "<h2>\(title)</h2>\n<table>\n<tr>\(cells(heads, "th"))</tr>\n\(body)</table>\n"
  }
}
