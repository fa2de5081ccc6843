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
  /// By form and component; empty until a rule asks for text that is not as written.
  private var texts: [[UInt8]?] = []
  /// By form; empty until a rule asks for an item.
  private var items: [[QueryItem]?] = []

  init(_ url: LinkURL, bytes: UnsafeBufferPointer<UInt8>) {
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
  mutating func path(in form: TextForm, _ covers: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    if form.isAsWritten { return covers(writtenPath) }
    return text(of: .path, in: form).withUnsafeBufferPointer(covers)
  }

  @inline(__always)
  var writtenQuery: UnsafeBufferPointer<UInt8> { slice(queryRange) }

  @inline(__always)
  var writtenFragment: UnsafeBufferPointer<UInt8> { slice(fragmentRange) }

  @inline(__always)
  mutating func query(in form: TextForm, _ covers: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    if form.isAsWritten { return covers(writtenQuery) }
    return text(of: .query, in: form).withUnsafeBufferPointer(covers)
  }

  @inline(__always)
  mutating func fragment(in form: TextForm, _ covers: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    if form.isAsWritten { return covers(writtenFragment) }
    return text(of: .fragment, in: form).withUnsafeBufferPointer(covers)
  }

  /// Whether every value of the name is covered; a name that is absent has the empty value (Q3, Q4).
  mutating func itemsHold(named name: [UInt8], in form: TextForm, _ pattern: Pattern) -> Bool {
    if form.isAsWritten { return writtenItemsHold(named: name, pattern) }
    var isPresent = false
    for item in queryItems(in: form) where item.name == name {
      isPresent = true
      if !pattern.covers(item.value) { return false }
    }
    return isPresent || pattern.covers([])
  }

  /// The same without a copy of the text.
  private func writtenItemsHold(named name: [UInt8], _ pattern: Pattern) -> Bool {
    var isPresent = false
    var holds = true
    visitWrittenItems { itemName, value in
      guard holds, itemName.count == name.count, Pattern.begins(itemName, at: 0, with: name) else { return }
      isPresent = true
      holds = pattern.covers(value)
    }
    return holds && (isPresent || pattern.covers([]))
  }

  /// Calls with each item of the query, as written.
  @inline(__always)
  func visitWrittenItems(
    _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
  ) {
    let query = writtenQuery
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
    if items.isEmpty { items = Array(repeating: nil, count: TextForm.count) }
    if let known = items[form.number] { return known }
    let made = bytes[queryRange].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map {
      item in
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      return QueryItem(
        name: form.apply(item[..<equals]), value: form.apply(item[min(equals + 1, item.endIndex)...]))
    }
    items[form.number] = made
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
    if texts.isEmpty { texts = Array(repeating: nil, count: 3 * TextForm.count) }
    let place = 3 * form.number + component.number
    if let known = texts[place] { return known }
    let range =
      switch component {
      case .path: wholePath
      case .query: queryRange
      case .fragment: fragmentRange
      }
    var made = form.apply(bytes[range])
    if component == .path { while made.last == UInt8(ascii: "/") { made.removeLast() } }
    texts[place] = made
    return made
  }

  @inline(__always)
  private func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }
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
