/// The rules that compare text in one form, compiled together: told apart by the literal text that a path must begin with,
/// then by what it must end with, by what it must hold between, and at last by exact queries and fragments.
///
/// Each step only leaves out rules that cannot hold. What remains is compared in full, the first rule first, so the answer is
/// that of a walk over all rules (M4).
struct RuleIndex: Sendable {
  /// Rules with the same beginning.
  private struct Bucket: Sendable {
    var numbers: Range<Int32>
    /// In ``splits``; -1 where all rules are looked at.
    var split: Int32
  }

  /// Rules with the same beginning, by what their paths end with.
  private struct Split: Sendable {
    var suffixes: PrefixIndex
    var tries: [PartTrie]
  }

  /// The first of its rules.
  let first: Int32
  private let form: TextForm
  private let prefixes: PrefixIndex
  private var buckets: [Bucket] = []
  private var numbers: [Int32] = []
  private var splits: [Split] = []
  private let scanner: LiteralScanner

  /// Our choice: telling fewer rules apart costs more than comparing them.
  static let fewRules = 4
  /// Our choice: in longer paths no parts are looked for beforehand.
  private static let scannedLength = 2_048

  /// - Parameter places: Of rules with the same form that cover something, ascending; one at least.
  init(_ places: [Int32], of rules: [CompiledRule]) {
    first = places[0]
    form = rules[Int(places[0])].form
    let keys = places.map { PathKeys(rules[Int($0)].path) }
    var order: [ArraySlice<UInt8>] = []
    var members: [[Int]] = []
    var bucketOfPrefix: [ArraySlice<UInt8>: Int] = [:]
    for (index, key) in keys.enumerated() {
      let bucket = bucketOfPrefix[key.prefix] ?? order.count
      if bucket == order.count {
        bucketOfPrefix[key.prefix] = bucket
        order.append(key.prefix)
        members.append([])
      }
      members[bucket].append(index)
    }
    prefixes = PrefixIndex(order.map(Array.init))
    let large = members.map { $0.count > Self.fewRules }
    let scanned = members.indices.filter { large[$0] }.flatMap { members[$0] }
    scanner = LiteralScanner(scanned.flatMap { keys[$0].parts })
    for (bucket, indices) in members.enumerated() {
      let start = Int32(numbers.count)
      numbers += indices.map { places[$0] }
      buckets.append(
        Bucket(numbers: start..<Int32(numbers.count), split: large[bucket] ? Int32(splits.count) : -1))
      guard large[bucket] else { continue }
      let bySuffix = Dictionary(grouping: indices) { keys[$0].suffix }
      let suffixes = bySuffix.keys.sorted { bySuffix[$0]![0] < bySuffix[$1]![0] }
      splits.append(
        Split(
          suffixes: PrefixIndex(suffixes.map { $0.reversed() }),
          tries: suffixes.map { suffix in
            PartTrie(
              bySuffix[suffix]!.map { index in
                PartTrie.Entry(rule: places[index], parts: keys[index].parts.map(scanner.number))
              }, prefixLength: order[bucket].count, of: rules)
          }))
    }
  }

  /// Looks for the first rule that decides.
  func search(_ subject: inout Subject, _ search: inout RuleSearch) {
    if form.isAsWritten {
      self.search(&subject, &search, path: subject.writtenPath)
    } else {
      subject.path(in: form).withUnsafeBufferPointer { self.search(&subject, &search, path: $0) }
    }
  }

  private func search(
    _ subject: inout Subject, _ search: inout RuleSearch, path: UnsafeBufferPointer<UInt8>
  ) {
    // A rule may also cover an empty path as `/`.
    if path.isEmpty {
      Self.root.withUnsafeBufferPointer { look(&subject, &search, path: path, text: $0) }
    } else {
      look(&subject, &search, path: path, text: path)
    }
  }

  private static let root = Array("/".utf8)

  @inline(__always)
  private func look(
    _ subject: inout Subject, _ search: inout RuleSearch, path: UnsafeBufferPointer<UInt8>,
    text: UnsafeBufferPointer<UInt8>
  ) {
    var splits: [Int32] = []
    prefixes.visit(text) { numbers in
      let bucket = buckets[Int(numbers[numbers.startIndex])]
      if bucket.split >= 0 {
        splits.append(bucket.split)
        return
      }
      for place in bucket.numbers
      where search.look(at: self.numbers[Int(place)], &subject, path: path) { return }
    }
    if splits.isEmpty { return }
    var walk = PartWalk(path: path, content: PathContent(text))
    for split in splits {
      let split = self.splits[Int(split)]
      split.suffixes.visitBackwards(text) { numbers in
        let trie = split.tries[Int(numbers[numbers.startIndex])]
        if trie.first >= search.best { return }
        if trie.hasParts, walk.places == nil, text.count <= Self.scannedLength {
          walk.places = LiteralPlaces(of: scanner, in: text)
        }
        trie.look(&walk, scanner, &subject, &search)
      }
    }
  }
}
