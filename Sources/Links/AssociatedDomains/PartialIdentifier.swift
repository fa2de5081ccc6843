internal import LinkspanCore

/// What a person says of an app's identity, where its files leave it to Xcode.
package struct StatedIdentity: Hashable, Sendable {
  /// The application identifier's prefix, usually the Team ID (J5).
  package var prefix: String?
  package var bundleIdentifier: String?

  package init(prefix: String? = nil, bundleIdentifier: String? = nil) {
    self.prefix = prefix
    self.bundleIdentifier = bundleIdentifier
  }

  package var isEmpty: Bool { prefix == nil && bundleIdentifier == nil }
}

/// What is known of an application identifier before signing: either half may be missing.
package struct PartialIdentifier: Hashable, Sendable {
  /// How an app without a full identifier came to one.
  package enum Resolution: Hashable, Sendable {
    /// Both halves are known.
    case known(String)
    /// The association files name exactly one app that fits.
    case assumed(String)
    /// They name several apps that fit.
    case ambiguous([String])
    /// They name none.
    case unknown
  }

  package var prefix: String?
  /// May hold build settings such as `$(PRODUCT_BUNDLE_IDENTIFIER)`, each of which matches any text.
  package var bundle: String?

  package init(prefix: String? = nil, bundle: String? = nil) {
    self.prefix = prefix
    self.bundle = bundle
  }

  /// The halves of an entitlement's value. Before signing the prefix is a setting such as `$(AppIdentifierPrefix)`, which
  /// brings its dot along; `*` in place of the bundle identifier is a profile's.
  package init(signed text: String) {
    for setting in ["$(AppIdentifierPrefix)", "$(TeamIdentifierPrefix)"] where text.hasPrefix(setting) {
      let bundle = String(text.dropFirst(setting.utf8.count))
      self.init(bundle: bundle.isEmpty ? nil : bundle)
      return
    }
    guard let dot = text.firstIndex(of: ".") else {
      self.init()
      return
    }
    let (prefix, bundle) = (String(text[..<dot]), String(text[text.index(after: dot)...]))
    self.init(
      prefix: Self.isLiteral(prefix) ? prefix : nil,
      bundle: bundle.isEmpty || bundle.utf8.contains(UInt8(ascii: "*")) ? nil : bundle)
  }

  /// The bundle identifier, where nothing in it is left for Xcode to fill in.
  package var literalBundle: String? { bundle.flatMap { Self.isLiteral($0) ? $0 : nil } }

  /// Whether nothing in a text is left for Xcode to fill in.
  package static func isLiteral(_ text: String) -> Bool {
    !text.isEmpty && !Placeholder.hasBuildSetting(text)
  }

  /// The identifier when both halves are known and allowed (J5).
  package var complete: ApplicationIdentifier? {
    guard let prefix, let bundle, Self.isLiteral(bundle) else { return nil }
    do throws(ApplicationIdentifierProblem) {
      return try ApplicationIdentifier(prefix: prefix, bundleIdentifier: bundle)
    } catch {
      return nil
    }
  }

  /// Whether an identifier of an association file can be this app's.
  package func fits(_ identifier: String) -> Bool {
    guard let dot = identifier.firstIndex(of: ".") else { return false }
    let rest = identifier[identifier.index(after: dot)...]
    if let prefix, !prefix.isExactly(identifier[..<dot]) { return false }
    guard let bundle else { return !rest.isEmpty }
    return Self.matches(Array(rest.utf8), pieces: Self.literals(of: bundle))
  }

  /// - Parameter candidates: The apps that association files name; repetitions do no harm.
  package func resolved(among candidates: [String]) -> Resolution {
    if let complete { return .known(complete.description) }
    var seen: Set<ExactText> = []
    let fitting = candidates.filter { fits($0) && seen.insert(ExactText($0)).inserted }
    return switch fitting.count {
    case 0: .unknown
    case 1: .assumed(fitting[0])
    default: .ambiguous(fitting)
    }
  }

  /// A placeholder for an unknown identifier: `?` for each unknown character of the prefix.
  ///
  /// - Parameter name: The text that replaces an unknown bundle identifier.
  package func standIn(named name: String) -> String {
    let prefix = prefix ?? String(repeating: "?", count: ApplicationIdentifier.prefixLength)
    return "\(prefix).\(literalBundle ?? name)"
  }

  /// The texts between the build settings: one more than there are settings.
  private static func literals(of text: String) -> [[UInt8]] {
    let bytes = Array(text.utf8)
    var pieces: [[UInt8]] = [[]]
    var index = 0
    while index < bytes.count {
      let opens = bytes[index] == UInt8(ascii: "$") && index + 1 < bytes.count
      let close: UInt8? =
        !opens
        ? nil
        : bytes[index + 1] == UInt8(ascii: "(")
          ? UInt8(ascii: ")") : bytes[index + 1] == UInt8(ascii: "{") ? UInt8(ascii: "}") : nil
      if let close, let end = bytes[index...].firstIndex(of: close) {
        pieces.append([])
        index = end + 1
      } else {
        pieces[pieces.count - 1].append(bytes[index])
        index += 1
      }
    }
    return pieces
  }

  /// Whether a text is the pieces in their order, with anything between them.
  private static func matches(_ text: [UInt8], pieces: [[UInt8]]) -> Bool {
    guard pieces.count > 1 else { return text == pieces[0] }
    guard text.starts(with: pieces[0]) else { return false }
    var start = pieces[0].count
    for piece in pieces.dropFirst().dropLast() {
      guard let found = text[start...].firstRange(of: piece) else { return false }
      start = found.upperBound
    }
    let last = pieces[pieces.count - 1]
    return text.count - start >= last.count && text.suffix(last.count).elementsEqual(last)
  }
}
