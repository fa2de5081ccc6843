internal import CLinkspanResources
internal import LinkspanCore
internal import LinkspanSpecification
import LinkspanStories
import SimulatedDevices

/// Played stories as one page of HTML that needs nothing else: no network, no other file, no font.
///
/// What a story says is data: it stands in a block that no browser runs, and reaches the page as text only. The
/// page's policy lets its own script and style in by their hashes and nothing besides.
package enum TimelinePage {
  /// Ours: a browser draws that many without delay, and the page stays below some 100 MB.
  package static let eventLimit = 200_000

  /// Why a page can't be made.
  package struct TooManyEvents: Error, Hashable, Sendable, CustomStringConvertible {
    package var events: Int

    /// The reason, as one line.
    package var description: String {
      "the page would have \(events) events; the limit is \(eventLimit)."
    }
  }

  /// The page. The same stories give the same bytes.
  package static func html(_ stories: [TimelineStory]) throws(TooManyEvents) -> [UInt8] {
    let events = stories.reduce(0) { $0 + $1.result.events.count }
    guard events <= eventLimit else { throw TooManyEvents(events: events) }
    let rules = Set(stories.flatMap { $0.result.events.flatMap { $0.provenance?.rules ?? [] } }).sorted()
    let data = JSON.object([
      ("stories", .array(stories.map(\.json))),
      (
        "rules",
        .object(
          rules.compactMap { rule in
            SpecificationRule.named(rule).map { (rule, .string($0.sentence)) }
          })
      ),
    ])
    var page = Array(head.utf8) + style + headEnd.utf8
    for byte in data.bytes { append(byte, to: &page) }
    page += Array(dataEnd.utf8) + script + tail.utf8
    return page
  }

  /// Inside JSON these bytes stand in strings only, where an escape means the same; so no text of a story can
  /// end the block or begin a comment.
  private static func append(_ byte: UInt8, to page: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "<"): page += "\\u003c".utf8
    case UInt8(ascii: ">"): page += "\\u003e".utf8
    case UInt8(ascii: "&"): page += "\\u0026".utf8
    default: page.append(byte)
    }
  }

  /// The hash of a text as a policy writes it.
  package static func hash(_ bytes: [UInt8]) -> String { Base64.text(of: SHA256.digest(of: bytes)) }

  /// Plain JavaScript, run by the browser and never by us.
  private static var script: [UInt8] { bytes(linkspan_timeline_js()) }

  private static var style: [UInt8] { bytes(linkspan_timeline_css()) }

  private static func bytes(_ resource: linkspan_resource) -> [UInt8] {
    Array(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
  }

  private static var policy: String {
    let script = hash(script)
    let style = hash(style)
    return "default-src 'none'; script-src 'sha256-\(script)'; style-src 'sha256-\(style)'; "
      + "base-uri 'none'; form-action 'none'"
  }

  private static var head: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Linkspan timeline</title>
    <style>
    """
  }

  private static var headEnd: String {
    """
    </style>
    </head>
    <body>
    <main id="page"></main>
    <noscript><p>This page draws the run of a story and needs JavaScript. 'linkspan simulate --events' prints
    the same as text.</p></noscript>
    <script type="application/json" id="data">
    """
  }

  private static var dataEnd: String {
    """
    </script>
    <script>
    """
  }

  private static var tail: String {
    """
    </script>
    </body>
    </html>

    """
  }
}
