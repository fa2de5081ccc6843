internal import LinkspanCore

/// One URL during one decision: its components in every form a rule asked for, each made at most once.
struct Subject {
  struct QueryItem {
    var name: [UInt8]
    var value: [UInt8]
  }

  private let wholePath: Range<Int>
  private let queryRange: Range<Int>
  private let fragmentRange: Range<Int>
  /// The bytes of the URL, valid for as long as the decision lasts.
  private let bytes: UnsafeBufferPointer<UInt8>
  private let pathEnd: Int
  /// nil until a rule asks for text that is not as written. Copies of a subject share it.
  private var made: MadeTexts?
  /// What comparing it with rules may still cost. Once it ends, no rule holds and no answer counts.
  var work: WorkBudget

  /// Calls with the URL to compare it with rules, which take their work from the budget.
  @inline(__always)
  static func comparing<Answer>(
    _ url: LinkURL, within work: inout WorkBudget, _ compare: (inout Subject) -> Answer
  ) -> Answer {
    url.withBytes { bytes in
      var subject = Subject(url, bytes: bytes, work: work)
      defer { work = subject.work }
      return compare(&subject)
    }
  }

  init(_ url: LinkURL, bytes: UnsafeBufferPointer<UInt8>, work: WorkBudget) {
    self.work = work
    wholePath = url.path
    queryRange = url.query
    fragmentRange = url.fragment
    self.bytes = bytes
    var end = url.path.upperBound
    while end > url.path.lowerBound, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
    pathEnd = end
  }

  /// The path as written, without trailing slashes.
  @inline(__always)
  var writtenPath: UnsafeBufferPointer<UInt8> { slice(wholePath.lowerBound..<pathEnd) }

  /// The path in a form, without trailing slashes.
  mutating func path(in form: TextForm) -> [UInt8] { text(of: .path, in: form) }

  @inline(__always)
  mutating func pathHolds(_ pattern: PathPattern, in form: TextForm) -> Bool {
    guard spend(bytes: pathEnd - wholePath.lowerBound) else { return false }
    if form.isAsWritten { return pattern.covers(writtenPath, &work) }
    return text(of: .path, in: form).withUnsafeBufferPointer { pattern.covers($0, &work) }
  }

  /// Charges for a walk over some bytes.
  @inline(__always)
  mutating func spend(bytes count: Int) -> Bool { work.spend(1 + count / Self.bytesPerStep) }

  /// Measured: so many bytes of a text are compared with a pattern in a step.
  private static let bytesPerStep = 16

  @inline(__always)
  var writtenQuery: UnsafeBufferPointer<UInt8> { slice(queryRange) }

  @inline(__always)
  var writtenFragment: UnsafeBufferPointer<UInt8> { slice(fragmentRange) }

  @inline(__always)
  mutating func queryHolds(_ pattern: Pattern, in form: TextForm) -> Bool {
    guard spend(bytes: queryRange.count) else { return false }
    if form.isAsWritten { return pattern.covers(writtenQuery, &work) }
    return text(of: .query, in: form).withUnsafeBufferPointer { pattern.covers($0, &work) }
  }

  @inline(__always)
  mutating func fragmentHolds(_ pattern: Pattern, in form: TextForm) -> Bool {
    guard spend(bytes: fragmentRange.count) else { return false }
    if form.isAsWritten { return pattern.covers(writtenFragment, &work) }
    return text(of: .fragment, in: form).withUnsafeBufferPointer { pattern.covers($0, &work) }
  }

  /// Whether every value of the name is covered; a name that is absent has the empty value (Q3, Q4).
  mutating func itemsHold(named name: [UInt8], in form: TextForm, _ pattern: Pattern) -> Bool {
    guard spendOnItems() else { return false }
    if form.isAsWritten { return writtenItemsHold(named: name, pattern) }
    var isPresent = false
    for item in queryItems(in: form) where item.name == name {
      isPresent = true
      if !pattern.covers(item.value, &work) { return false }
    }
    return isPresent || pattern.covers([], &work)
  }

  /// Charges for looking for one item.
  @inline(__always)
  mutating func spendOnItems() -> Bool { spend(bytes: queryRange.count * Self.walksOfItems) }

  /// Measured: looking for an item costs this many times a plain walk over the query.
  private static let walksOfItems = 2

  /// The same without a copy of the text.
  private mutating func writtenItemsHold(named name: [UInt8], _ pattern: Pattern) -> Bool {
    var isPresent = false
    var holds = true
    Self.visitItems(of: writtenQuery) { itemName, value in
      guard holds, itemName.count == name.count, Pattern.begins(itemName, at: 0, with: name) else { return }
      isPresent = true
      holds = pattern.covers(value, &work)
    }
    if holds, !isPresent { holds = pattern.covers([], &work) }
    return holds
  }

  /// Calls with each item of a query.
  @inline(__always)
  static func visitItems(
    of query: UnsafeBufferPointer<UInt8>,
    _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var start = 0
    while true {
      var end = start
      var equals = -1
      while end < query.count, query[end] != UInt8(ascii: "&") {
        if equals < 0, query[end] == UInt8(ascii: "=") { equals = end }
        end += 1
      }
      let nameEnd = equals < 0 ? end : equals
      let valueStart = equals < 0 ? end : equals + 1
      body(
        UnsafeBufferPointer(rebasing: query[start..<nameEnd]),
        UnsafeBufferPointer(rebasing: query[valueStart..<end]))
      if end >= query.count { return }
      start = end + 1
    }
  }

  /// The items of the query: split at `&`, each at its first `=`, then brought into the form (Q2, Q7).
  mutating func queryItems(in form: TextForm) -> [QueryItem] {
    let known = madeTexts()
    if let items = known.items[form.number] { return items }
    let made = bytes[queryRange].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map {
      item in
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      return QueryItem(
        name: form.apply(item[..<equals]), value: form.apply(item[min(equals + 1, item.endIndex)...]))
    }
    known.items[form.number] = made
    return made
  }

  /// The exact conditions that the URL meets.
  mutating func conditions(in form: TextForm) -> [UInt64] {
    queryItems(in: form).map { ConditionNumber.item(name: $0.name, value: $0.value) } + [
      ConditionNumber.query(text(of: .query, in: form)),
      ConditionNumber.fragment(text(of: .fragment, in: form)),
    ]
  }

  /// The text a rule of this form compares a component with; a path without its trailing slashes.
  mutating func text(of component: URLComponent, in form: TextForm) -> [UInt8] {
    let known = madeTexts()
    let place = 3 * form.number + component.number
    if let text = known.texts[place] { return text }
    let range =
      switch component {
      case .path: wholePath
      case .query: queryRange
      case .fragment: fragmentRange
      }
    var made = form.apply(bytes[range])
    if component == .path { while made.last == UInt8(ascii: "/") { made.removeLast() } }
    known.texts[place] = made
    return made
  }

  /// The text of a component as a string; those who keep it share its storage.
  mutating func string(of component: URLComponent, in form: TextForm) -> String {
    let known = madeTexts()
    let place = 3 * form.number + component.number
    if let string = known.strings[place] { return string }
    let made = String(decoding: text(of: component, in: form), as: UTF8.self)
    known.strings[place] = made
    return made
  }

  private mutating func madeTexts() -> MadeTexts {
    if let made { return made }
    let made = MadeTexts()
    self.made = made
    return made
  }

  @inline(__always)
  private func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }
}

/// What was made of a URL's text. A class, so that a subject that made nothing costs no reference counts.
private final class MadeTexts {
  /// By form and component.
  var texts: [[UInt8]?] = Array(repeating: nil, count: 3 * TextForm.count)
  /// The same for people.
  var strings: [String?] = Array(repeating: nil, count: 3 * TextForm.count)
  /// By form.
  var items: [[Subject.QueryItem]?] = Array(repeating: nil, count: TextForm.count)
}

extension URLComponent {
  fileprivate var number: Int {
    switch self {
    case .path: 0
    case .query: 1
    case .fragment: 2
    }
  }
}
