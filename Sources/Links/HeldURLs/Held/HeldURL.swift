package import LinkspanCore

/// The URL that a device holds of a text that a person types, a page contains or an app's code spells.
///
/// It stands before the matcher, which compares bytes (section 7): whoever takes a URL from a person asks here first. Paths
/// and queries are encoded, never normalised: letters that are composed otherwise stay apart. Patterns of association files
/// do not come here; nothing encodes them.
package struct HeldURL: Hashable, Sendable {
  /// Where the text is written, which says who makes a URL of it.
  package enum Place: String, Hashable, Sendable, CaseIterable {
    /// On a page, or typed: the browser, in the same way on every release.
    case page
    /// In an app's code: `NSURL` and `URL`, which encode since iOS 17.
    case code
  }

  package let place: Place
  package let written: String
  /// The URL; the text as it was written where no URL is made of it.
  package let text: String
  /// What changed the text, each once, in the order it is done.
  package let steps: [Step]
  /// Why no URL is made of the text, as a clause; nil for a URL.
  package let fault: String?

  init(_ place: Place, _ written: String, text: String, steps: [Step] = [], fault: String? = nil) {
    self.place = place
    self.written = written
    self.text = text
    self.steps = steps
    self.fault = fault
  }

  /// - Parameter encodes: Whether Foundation encodes what no URL holds, as since iOS 17; of no interest for a page.
  package init(_ text: String, writtenIn place: Place = .page, encodes: Bool = true) {
    self =
      switch place {
      case .page: PageParser.read(text)
      case .code: CodeParser.read(text, encodes: encodes)
      }
  }

  package var isChanged: Bool { !steps.isEmpty }

  /// How sure it is that a device holds this URL, or none; nil where nothing was changed.
  package var certainty: Certainty? {
    // Apple documents what `NSURL` refuses; of browsers the URL standard says it.
    if fault != nil { return place == .code ? .documented : .inferred }
    return steps.isEmpty ? nil : steps.reduce(.documented) { $0.and($1.certainty) }
  }

  /// `[("normalised", {"from":…,"to":…,"steps":[…]})]`, and nothing where nothing was changed.
  package var members: [(String, JSON)] {
    guard isChanged, fault == nil else { return [] }
    let steps = steps.map { step in
      JSON.object([
        ("step", .string(step.rawValue)), ("what", .string(step.words)),
        ("certainty", .string(step.certainty.rawValue)),
      ])
    }
    return [
      (
        "normalised",
        .object([
          ("from", .string(written.withoutUserInformation)), ("to", .string(text.withoutUserInformation)),
          ("steps", .array(steps)),
        ])
      )
    ]
  }

  /// `host in Punycode, path percent-encoded [documented]`
  package var summary: String {
    steps.map { $0.words }.joined(separator: ", ") + (certainty.map { " [\($0.rawValue)]" } ?? "")
  }
}
