package import LinkspanCore

/// Something befell a question or its answer on the way.
package struct RoadFault: Happening {
  let host: String
  /// In a few words.
  let words: String

  package var kind: String { "fault" }

  package var fields: [(String, JSON)] { [("host", .string(host)), ("what", .string(words))] }
}
