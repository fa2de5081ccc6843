package import LinkspanCore

/// What is remembered of each file of a large review, so that no more than the files that belong together are in memory at
/// once.
///
/// A file belongs to another one when a type is declared in one of them and extended in the other, and either has words that
/// a rule looks for; or when one has callbacks of the system and names a type that the other declares. Of a file without such
/// words, and of types without any, nothing can be reported.
package struct ReviewIndex: Sendable {
  /// Files to review together.
  package struct Group: Sendable {
    /// In the order in which they were added.
    package let files: [Int]
    /// Whether they were too many, so that parts of a type are reviewed without the others.
    package let isCut: Bool
  }

  private struct Entry {
    var size: Int
    var hasWords: Bool
    var declared: Set<String>
    var extended: Set<String>
    /// What a file with callbacks of the system names, so that calls of its own types are followed.
    var named: Set<String>
  }

  /// Ours: the sources that are in memory at once.
  private static let groupLimitBytes = 8 << 20
  /// Ours: a type of somebody else that more files extend, such as `String`, joins none of them.
  private static let extensionLimit = 8

  private var entries: [Entry] = []
  /// Who takes links in the apps of all files.
  private(set) var entrances = AppEntrances()
  /// The types that the files declare.
  private(set) var declaredNames: Set<String> = []

  package init() {}

  /// Adds an Info.plist, which says whether its app has scenes.
  ///
  /// - Parameter scenes: nil when it has no scene manifest.
  package mutating func addInfoPlist(at path: String, scenes: SceneManifest?) {
    entrances.addInfoPlist(at: path, scenes: scenes)
  }

  /// Adds the next file.
  package mutating func add(_ source: SourceText) {
    var words = WordScan(source.bytes)
    words.read()
    if words.hasEntrances, let language = SourceLanguage(path: source.name) {
      let file = ReviewedFile(source, language)
      // The delegates of tests are no apps.
      if !file.isTest { entrances.add(AppEntrances.Part(file)) }
    }
    entrances.addDeclared(words.declared)
    entries.append(
      Entry(
        size: source.bytes.count, hasWords: words.hasWords, declared: words.declared,
        extended: words.extended, named: words.hasCallbacks ? words.capitalisedNames : []))
  }

  /// The files that are worth a review, in the order of their first file. A file is in one group at most.
  package func groups() -> [Group] {
    var parts: [String: (declaring: [Int], extending: [Int], hasWords: Bool)] = [:]
    for (index, entry) in entries.enumerated() {
      for name in entry.declared.union(entry.extended) {
        var part = parts[name] ?? ([], [], false)
        // A file that declares a type and extends it counts once.
        if entry.declared.contains(name) {
          part.declaring.append(index)
        } else {
          part.extending.append(index)
        }
        part.hasWords = part.hasWords || entry.hasWords
        parts[name] = part
      }
    }
    var leaders = Array(entries.indices)
    func leader(_ index: Int) -> Int {
      var index = index
      while leaders[index] != index {
        leaders[index] = leaders[leaders[index]]
        index = leaders[index]
      }
      return index
    }
    for (_, part) in parts.sorted(by: { $0.key < $1.key }) where part.hasWords {
      // A name that several files declare stands for as many types.
      let isOneType =
        part.declaring.count == 1 || part.declaring.isEmpty && part.extending.count <= Self.extensionLimit
      guard isOneType, let first = (part.declaring + part.extending).first else { continue }
      for other in part.declaring + part.extending {
        let (left, right) = (leader(first), leader(other))
        leaders[max(left, right)] = min(left, right)
      }
    }
    for (index, entry) in entries.enumerated() {
      for name in entry.named.sorted() {
        guard let part = parts[name], part.declaring.count == 1 else { continue }
        let (left, right) = (leader(index), leader(part.declaring[0]))
        leaders[max(left, right)] = min(left, right)
      }
    }
    var files: [Int: [Int]] = [:]
    for index in entries.indices { files[leader(index), default: []].append(index) }
    return files.sorted { $0.key < $1.key }
      .filter { $0.value.contains { entries[$0].hasWords } }
      .flatMap { split($0.value) }
  }

  /// A group, or several where it has too many bytes.
  private func split(_ files: [Int]) -> [Group] {
    var parts: [[Int]] = [[]]
    var size = 0
    for file in files {
      if size + entries[file].size > Self.groupLimitBytes, size > 0 {
        parts.append([])
        size = 0
      }
      parts[parts.count - 1].append(file)
      size += entries[file].size
    }
    return parts.map { Group(files: $0, isCut: parts.count > 1) }
  }
}

/// Looks over the bytes of a file once: for words of the rules, and for the names of types. Comments and texts count too,
/// which makes a review do more, and never less.
private struct WordScan {
  private(set) var hasWords = false
  private(set) var hasEntrances = false
  /// Whether the system calls a function of the file with something that is handed on.
  private(set) var hasCallbacks = false
  private(set) var declared: Set<String> = []
  private(set) var extended: Set<String> = []
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private enum Meaning {
    case word
    case door
    case entrance
    case app
    case callback
    case declaration
    case part
  }

  /// By the first byte.
  private static let needles: [[(bytes: [UInt8], meaning: Meaning)]] = {
    var needles = [[(bytes: [UInt8], meaning: Meaning)]](repeating: [], count: 256)
    func add(_ words: some Sequence<String>, _ meaning: Meaning) {
      for word in words {
        let bytes = Array(word.utf8)
        if let first = bytes.first { needles[Int(first)].append((bytes, meaning)) }
      }
    }
    add(["onOpenURL", "onContinueUserActivity"], .door)
    add(
      [
        "UIApplicationDelegate", "UIWindowSceneDelegate", "UISceneDelegate", "openURLContexts",
        "continueUserActivity", "continue userActivity", "willConnectTo", "openURL:",
        "performActionFor", ".shortcutItem",
      ], .entrance)
    add(["@main", "configurationForConnecting"], .app)
    add(["ompletionHandler", "eviceToken", "ContentHandler", "decisionHandler", "onReceive"], .callback)
    add(["class ", "struct ", "enum ", "actor ", "protocol "], .declaration)
    add(["extension ", "@implementation "], .part)
    add(Set(SourceReview.rules.flatMap(\.words)).sorted(), .word)
    return needles
  }()

  mutating func read() {
    var names: [(start: Int, meaning: Meaning)] = []
    var (words, entrances, apps, callbacks) = (false, false, false, false)
    let needles = Self.needles
    bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices {
        for needle in needles[Int(bytes[place])] {
          if needle.meaning == .word, words { continue }
          let end = place + needle.bytes.count
          guard end <= bytes.count, bytes[place..<end].elementsEqual(needle.bytes) else { continue }
          switch needle.meaning {
          case .word: words = true
          case .door: (words, entrances) = (true, true)
          case .entrance: entrances = true
          case .app: apps = true
          case .callback: callbacks = true
          case .declaration, .part: names.append((end, needle.meaning))
          }
        }
      }
    }
    hasWords = words
    hasEntrances = entrances || apps
    hasCallbacks = callbacks || entrances
    for (start, meaning) in names {
      guard let name = name(at: start) else { continue }
      switch meaning {
      case .part where !isImplementation(name): extended.insert(name.text)
      case .word, .door, .entrance, .app, .callback: break
      case .declaration, .part: declared.insert(name.text)
      }
    }
  }

  /// The names in the file that begin with a capital letter, as types do.
  var capitalisedNames: Set<String> {
    var names: Set<String> = []
    var place = 0
    while place < bytes.count {
      let start = place
      while place < bytes.count, Self.isNamePart(bytes[place]) { place += 1 }
      if (3...Self.nameLimit).contains(place - start), (0x41...0x5A).contains(bytes[start]) {
        names.insert(String(decoding: bytes[start..<place], as: UTF8.self))
      }
      place += 1
    }
    return names
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  /// Ours: longer names are none.
  private static let nameLimit = 200

  /// The name of a type, with dots, behind blanks.
  private func name(at start: Int) -> (text: String, start: Int, end: Int)? {
    var first = start
    while first < bytes.count, bytes[first] == UInt8(ascii: " "), first - start < Self.nameLimit {
      first += 1
    }
    var end = first
    while end < bytes.count, end - first < Self.nameLimit,
      ASCII.isLetter(bytes[end]) || ASCII.isDigit(bytes[end]) || bytes[end] >= 0x80
        || bytes[end] == UInt8(ascii: "_") || bytes[end] == UInt8(ascii: ".")
    {
      end += 1
    }
    guard end > first else { return nil }
    return (String(decoding: bytes[first..<end], as: UTF8.self), start, end)
  }

  /// Whether `@implementation Name` stands there, and no category of it.
  private func isImplementation(_ name: (text: String, start: Int, end: Int)) -> Bool {
    let keyword = Array("@implementation ".utf8)
    guard name.start >= keyword.count, bytes[name.start - keyword.count..<name.start].elementsEqual(keyword)
    else {
      return false
    }
    var place = name.end
    while place < bytes.count, bytes[place] == UInt8(ascii: " ") { place += 1 }
    return place >= bytes.count || bytes[place] != UInt8(ascii: "(")
  }
}
