internal import LinkspanCore

/// The files of one review together: what a type does in its extensions belongs to it.
struct ReviewedProgram: Sendable {
  /// A function of a file.
  struct Place: Hashable, Sendable {
    let file: Int
    let function: Int
  }

  /// One declaration of a type, or an extension.
  struct Part: Sendable {
    let file: Int
    let type: Int
  }

  /// A type, by its name. A name that several files declare stands for as many types, of which each has only what its file
  /// holds.
  private struct TypeKey: Hashable {
    let name: String
    /// nil for a name of one type.
    let file: Int?
  }

  /// The functions of a type.
  private struct Members {
    var all: [Place] = []
    var byName: [String: [Place]] = [:]
    /// By the name of what they call.
    var callers: [String: [Place]] = [:]
  }

  let files: [ReviewedFile]
  /// Whether a delegate may get links: it has a function for them, or SwiftUI is given a delegate of another file.
  let hasLinkDelegates: Bool
  /// Whether scenes get what an application got before there were any.
  let hasScenes: Bool
  /// Who takes links in the app of each file.
  let entrances: AppEntrances
  private var members: [TypeKey: Members] = [:]
  private var named: [String: [Place]] = [:]
  /// By the names that functions have in the other language.
  private var foreign: [String: [Place]] = [:]
  private let isShared: Set<String>
  private var parts: [String: [Part]] = [:]
  /// The types that the sources declare.
  private let declared: Set<String>

  /// How many calls deep a function of the system is followed.
  private static let callLimit = 4
  /// Ours: an app has a handful of entrances in a file; the rest of thousands is not looked at.
  private static let entranceLimit = 256

  /// - Parameters:
  ///   - entrances: Those of all files; nil when there are no others.
  ///   - declared: The types that other files declare.
  init(_ files: [ReviewedFile], entrances: AppEntrances? = nil, declared: Set<String> = []) {
    self.files = files
    self.declared = declared
    self.entrances =
      entrances
      ?? files.filter { !$0.isTest }.reduce(into: AppEntrances()) { $0.add(AppEntrances.Part($1)) }
    let moments = Set(files.flatMap { $0.functions.compactMap(\.moment) })
    hasScenes = !moments.isDisjoint(with: [.sceneWillConnect, .sceneContinueActivity, .sceneOpenURL])
    hasLinkDelegates =
      !moments.isDisjoint(with: [.continueActivity, .openURL, .sceneContinueActivity, .sceneOpenURL])
      || files.contains { file in
        file.mentions(file.tokens.indices) { $0.hasSuffix("ApplicationDelegateAdaptor") }
      }
    var homes: [String: Set<Int>] = [:]
    for (index, file) in files.enumerated() {
      for (number, type) in file.types.enumerated() {
        parts[type.name, default: []].append(Part(file: index, type: number))
        if !type.isExtension { homes[type.name, default: []].insert(index) }
      }
    }
    isShared = Set(homes.filter { $0.value.count > 1 }.keys)
    for (index, file) in files.enumerated() {
      for (number, function) in file.functions.enumerated() {
        if function.body != nil {
          let place = Place(file: index, function: number)
          named[function.name, default: []].append(place)
          for name in Set(function.foreignSpellings(from: file.language).map(\.name)) {
            foreign[name, default: []].append(place)
          }
        }
        guard let type = function.type else { continue }
        let place = Place(file: index, function: number)
        let key = key(of: file.types[type].name, in: index)
        members[key, default: Members()].all.append(place)
        members[key]?.byName[function.name, default: []].append(place)
        for name in function.calls { members[key]?.callers[name, default: []].append(place) }
      }
    }
  }

  private func key(of type: String, in file: Int) -> TypeKey {
    TypeKey(name: type, file: isShared.contains(type) ? file : nil)
  }

  /// Whether the sources declare a type, in files that are not among these maybe.
  func isDeclared(_ type: String) -> Bool {
    declared.contains(type) || parts[type]?.contains { !self.type($0).isExtension } ?? false
  }

  func type(_ part: Part) -> ReviewedType { files[part.file].types[part.type] }

  /// The declarations and extensions of a type that a file names.
  func parts(of type: String, in file: Int) -> [Part] {
    let all = parts[type] ?? []
    return isShared.contains(type) ? all.filter { $0.file == file } : all
  }

  func isDeclaredTwice(_ type: String) -> Bool { isShared.contains(type) }

  /// The files with a declaration or an extension of a type, each once.
  func homes(of type: String) -> Set<Int> {
    isShared.contains(type) ? [] : Set((parts[type] ?? []).map(\.file))
  }

  /// What a type inherits from and conforms to, as far as the files say it.
  func ancestors(of type: String) -> Set<String> {
    var all: Set<String> = []
    var open = [type]
    for _ in 0..<Self.callLimit {
      let named = open.flatMap { parts[$0] ?? [] }.flatMap { self.type($0).inherited }
      open = named.filter { all.insert($0).inserted }
    }
    return all
  }

  func function(_ place: Place) -> ReviewedFunction { files[place.file].functions[place.function] }

  /// The functions of a file that have a body and are of interest.
  func functions(
    in file: Int, where isWanted: (ReviewedFunction) -> Bool
  ) -> [(place: Place, function: ReviewedFunction, body: Range<Int>)] {
    var found: [(place: Place, function: ReviewedFunction, body: Range<Int>)] = []
    for (number, function) in files[file].functions.enumerated() where isWanted(function) {
      guard let body = function.body, found.count < Self.entranceLimit else { continue }
      found.append((Place(file: file, function: number), function, body))
    }
    return found
  }

  private func members(of place: Place) -> Members? {
    function(place).type.flatMap { members[key(of: files[place.file].types[$0].name, in: place.file)] }
  }

  /// The functions of the type that a function of a file belongs to.
  func siblings(of place: Place) -> [Place] { members(of: place)?.all ?? [place] }

  func functions(of type: String, in file: Int) -> [Place] { members[key(of: type, in: file)]?.all ?? [] }

  /// All functions of a name that have a body, of any type.
  func functions(named name: String) -> [Place] { named[name] ?? [] }

  /// All functions of the other language that have a body and are called by a name in this one.
  func foreignFunctions(named name: String, from language: SourceLanguage) -> [Place] {
    (foreign[name] ?? []).filter { files[$0.file].language != language }
  }

  /// Those of the type that a function belongs to, or of its file where it belongs to none.
  func functions(named name: String, besides place: Place) -> [Place] {
    members(of: place)?.byName[name]
      ?? functions(named: name).filter { $0.file == place.file && function($0).type == nil }
  }

  /// The functions of the same type that call a function.
  func callers(of place: Place) -> [Place] { members(of: place)?.callers[function(place).name] ?? [] }

  /// A function, and the functions of its type that it calls.
  func reach(of place: Place) -> [Place] {
    let members = members(of: place)
    var reached = [place]
    var seen: Set<Place> = [place]
    var open = [place]
    for _ in 0..<Self.callLimit {
      var next: [Place] = []
      for caller in open {
        for name in function(caller).calls.sorted() {
          for callee in members?.byName[name] ?? [] where seen.insert(callee).inserted { next.append(callee) }
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

  /// Ours: the words of a message that are looked at before one of them.
  private static let messageLimit = 2_000

  /// The tokens of a message around one of its words, from its opening bracket to the closing one, in Objective-C.
  func message(around index: Int, within range: Range<Int>) -> Range<Int>? {
    var place = index - 1
    let first = max(range.lowerBound, index - Self.messageLimit)
    while place >= first {
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
