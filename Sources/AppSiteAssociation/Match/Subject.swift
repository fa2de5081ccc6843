/// One URL during one decision: its components in every form a rule asked for, each made at most once.
struct Subject {
  private struct Forms {
    var path: [UInt8]
    var query: [UInt8]
    var fragment: [UInt8]
  }

  struct QueryItem {
    var name: [UInt8]
    var value: [UInt8]
  }

  private let url: LinkURL
  /// The bytes of the URL, valid for as long as the decision lasts.
  private let bytes: UnsafeBufferPointer<UInt8>
  private let pathEnd: Int
  private var forms: [TextForm: Forms] = [:]
  private var items: [TextForm: [QueryItem]] = [:]

  init(_ url: LinkURL, bytes: UnsafeBufferPointer<UInt8>) {
    self.url = url
    self.bytes = bytes
    var end = url.path.upperBound
    while end > url.path.lowerBound, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
    pathEnd = end
  }

  /// The path as written, without trailing slashes; `/` when nothing is left.
  var indexPath: UnsafeBufferPointer<UInt8> {
    if pathEnd == url.path.lowerBound, pathEnd < url.path.upperBound { return slice(pathEnd..<pathEnd + 1) }
    return slice(url.path.lowerBound..<pathEnd)
  }

  @inline(__always)
  mutating func path(in form: TextForm, _ covers: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    if form.isAsWritten { return covers(slice(url.path.lowerBound..<pathEnd)) }
    return made(form).path.withUnsafeBufferPointer(covers)
  }

  @inline(__always)
  mutating func query(in form: TextForm, _ covers: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    if form.isAsWritten { return covers(slice(url.query)) }
    return made(form).query.withUnsafeBufferPointer(covers)
  }

  @inline(__always)
  mutating func fragment(in form: TextForm, _ covers: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    if form.isAsWritten { return covers(slice(url.fragment)) }
    return made(form).fragment.withUnsafeBufferPointer(covers)
  }

  /// Whether every value of the name is covered; a name that is absent has the empty value (Q3, Q4).
  mutating func itemsHold(named name: [UInt8], in form: TextForm, _ pattern: Pattern) -> Bool {
    var isPresent = false
    for item in queryItems(in: form) where item.name == name {
      isPresent = true
      if !pattern.covers(item.value) { return false }
    }
    return isPresent || pattern.covers([])
  }

  /// The items of the query: split at `&`, each at its first `=`, then brought into the form (Q2, Q7).
  mutating func queryItems(in form: TextForm) -> [QueryItem] {
    if let known = items[form] { return known }
    let made = bytes[url.query].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map {
      item in
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      return QueryItem(
        name: form.apply(item[..<equals]), value: form.apply(item[min(equals + 1, item.endIndex)...]))
    }
    items[form] = made
    return made
  }

  /// The text a rule of this form compares a component with; a path without its trailing slashes.
  mutating func text(of component: URLComponent, in form: TextForm) -> [UInt8] {
    switch component {
    case .path: made(form).path
    case .query: made(form).query
    case .fragment: made(form).fragment
    }
  }

  private mutating func made(_ form: TextForm) -> Forms {
    if let known = forms[form] { return known }
    var path = form.apply(bytes[url.path])
    while path.last == UInt8(ascii: "/") { path.removeLast() }
    let made = Forms(
      path: path, query: form.apply(bytes[url.query]), fragment: form.apply(bytes[url.fragment]))
    forms[form] = made
    return made
  }

  @inline(__always)
  private func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }
}
