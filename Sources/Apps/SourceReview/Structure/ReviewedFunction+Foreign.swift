internal import LinkspanCore

/// The names that functions have in the other language: `open(link:)` of Swift is `openWithLink:` in Objective-C, and
/// `handleURL:` of Objective-C is `handle(_:)` in Swift.
extension ReviewedFunction {
  /// A name, and the label of the first argument.
  struct Spelling: Hashable, Sendable {
    let name: String
    let label: String
  }

  // Swift, "Cocoa Design Patterns" and SE-0005: the first label follows "With", unless one of both is a preposition; an
  // imported name loses the type of its argument, and its last preposition becomes the label.
  private static let prepositions = ["With", "From", "For", "In", "At", "To", "By", "Of", "On", "Using"]

  /// How the other language calls a function that is declared in a language; none without an argument.
  func foreignSpellings(from language: SourceLanguage) -> [Spelling] {
    guard let first = parameters.first else { return [] }
    switch language {
    case .swift: return [selector(first)]
    case .objectiveC: return importedNames(first)
    }
  }

  private func selector(_ first: Parameter) -> Spelling {
    guard first.label != "_" else { return Spelling(name: name, label: name) }
    let word = first.label.prefix(1).uppercased() + first.label.dropFirst()
    let isJoined = Self.prepositions.contains { word.hasPrefix($0) || name.hasSuffix($0) }
    let joined = name + (isJoined ? "" : "With") + word
    return Spelling(name: joined, label: joined)
  }

  private func importedNames(_ first: Parameter) -> [Spelling] {
    var spellings = [Spelling(name: name, label: "_")]
    var stem = name
    let type = first.type.last { $0.first?.isUppercase ?? false } ?? ""
    for word in [type, type.hasPrefix("NS") ? String(type.dropFirst(2)) : ""]
    where !word.isEmpty && stem.hasSuffix(word) && stem.utf8.count > word.utf8.count {
      stem = String(stem.dropLast(word.count))
    }
    if stem != name { spellings.append(Spelling(name: stem, label: "_")) }
    for preposition in Self.prepositions {
      guard let place = stem.ranges(of: preposition).last, place.lowerBound > stem.startIndex else {
        continue
      }
      let label = stem[place.lowerBound...]
      spellings.append(
        Spelling(
          name: String(stem[..<place.lowerBound]), label: label.prefix(1).lowercased() + label.dropFirst()))
    }
    return spellings
  }
}
