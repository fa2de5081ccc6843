package import LinkspanCore

/// The files of one review together: what a type does in its extensions belongs to it.
package struct ReviewedProgram: Sendable {
  /// A function of a file.
  struct Place: Hashable, Sendable {
    let file: Int
    let function: Int
  }

  package let files: [ReviewedFile]
  /// The functions of each type by its name. A name that several files declare stands for as many types, of which each has
  /// only what its file holds.
  private let functions: [String: [Place]]
  private let isShared: Set<String>

  /// How many calls deep a function of the system is followed.
  private static let callLimit = 4

  package init(_ files: [ReviewedFile]) {
    self.files = files
    var functions: [String: [Place]] = [:]
    var homes: [String: Set<Int>] = [:]
    for (index, file) in files.enumerated() {
      for type in file.types where !type.isExtension { homes[type.name, default: []].insert(index) }
      for (number, function) in file.functions.enumerated() {
        guard let type = function.type else { continue }
        functions[file.types[type].name, default: []].append(Place(file: index, function: number))
      }
    }
    self.functions = functions
    isShared = Set(homes.filter { $0.value.count > 1 }.keys)
  }

  func function(_ place: Place) -> ReviewedFunction { files[place.file].functions[place.function] }

  /// The functions of the type that a function of a file belongs to.
  func siblings(of place: Place) -> [Place] {
    guard let type = function(place).type else { return [place] }
    return functions(of: files[place.file].types[type].name, in: place.file)
  }

  func functions(of type: String, in file: Int) -> [Place] {
    let all = functions[type] ?? []
    return isShared.contains(type) ? all.filter { $0.file == file } : all
  }

  /// A function, and the functions of its type that it calls.
  func reach(of place: Place) -> [Place] {
    let siblings = siblings(of: place)
    var byName: [String: [Place]] = [:]
    for other in siblings { byName[function(other).name, default: []].append(other) }
    var reached = [place]
    var seen: Set<Place> = [place]
    var open = [place]
    for _ in 0..<Self.callLimit {
      var next: [Place] = []
      for caller in open {
        for name in files[caller.file].calledNames(in: function(caller).body ?? 0..<0) {
          for callee in byName[name] ?? [] where seen.insert(callee).inserted { next.append(callee) }
        }
      }
      reached += next
      open = next
    }
    return reached
  }

  /// Whether a function, or one that it calls, has a word that fits.
  func reach(of place: Place, mentions isWanted: (String) -> Bool) -> Bool {
    reach(of: place).contains { other in
      files[other.file].mentions(function(other).body ?? 0..<0, isWanted)
    }
  }
}

extension ReviewedFile {
  /// Names of functions that tokens call on the object itself.
  func calledNames(in range: Range<Int>) -> Set<String> {
    var names: Set<String> = []
    for index in range where tokens[index].kind == .word {
      let before = index > 0 ? tokens[index - 1] : nil
      switch language {
      case .swift:
        guard index + 1 < tokens.count, tokens[index + 1].isMark("(") || tokens[index + 1].isMark("{") else {
          continue
        }
        if before?.isMark(".") ?? false {
          guard index > 1, ["self", "Self", "super"].contains(tokens[index - 2].text) else { continue }
        }
        names.insert(tokens[index].text)
      case .objectiveC:
        if before?.isWord("self") ?? false { names.insert(tokens[index].text) }
      }
    }
    return names
  }

  func mentions(_ range: Range<Int>, _ isWanted: (String) -> Bool) -> Bool {
    tokens[range].contains { $0.kind == .word && isWanted($0.text) }
  }

  func mentions(_ range: Range<Int>, _ word: String) -> Bool { mentions(range) { $0 == word } }

  /// Whether a member of something named is read: `activity.webpageURL`, `activity?.webpageURL`, `[activity webpageURL]`.
  func isMember(_ index: Int, of name: String) -> Bool {
    guard index > 1 else { return false }
    if tokens[index - 1].isWord(name) { return language == .objectiveC }
    guard tokens[index - 1].isMark(".") else { return false }
    var base = index - 2
    while base > 0, tokens[base].isMark("?") || tokens[base].isMark("!") { base -= 1 }
    return tokens[base].isWord(name)
  }

  /// The arguments of a call, from its opening bracket on; empty without one.
  func arguments(at bracket: Int) -> Range<Int> {
    guard bracket < tokens.count, let partner = tokens[bracket].partner, partner > bracket else {
      return bracket..<bracket
    }
    return bracket + 1..<partner
  }

  /// The tokens of a message around one of its words, from its opening bracket to the closing one, in Objective-C.
  func message(around index: Int, within range: Range<Int>) -> Range<Int>? {
    var place = index - 1
    while place >= range.lowerBound {
      if let partner = tokens[place].partner {
        if partner > index { return tokens[place].isMark("[") ? place + 1..<partner : nil }
        place = min(partner, place) - 1
      } else {
        place -= 1
      }
    }
    return nil
  }
}
