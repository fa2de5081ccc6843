internal import LinkspanCore

/// Finds the objects of an export in JSON as its bytes come: one a line, the elements of an array, or those of the array
/// `results` or `Endpoints` in an object.
struct JSONElements {
  /// An object, and the line that it begins on.
  struct Element: Hashable {
    var line: Int
    /// Its place in its array, from 1; nil where it is in none.
    var number: Int?
    var bytes: [UInt8]
  }

  /// The members whose elements are devices: of Parse's and Firebase's exports, and of SNS's.
  private static let listNames = ["results", "Endpoints"]

  private var line = 0
  private var element = Element(line: 0, bytes: [])
  /// Elements of the array that have begun.
  private var count = 0
  /// Brackets that are open.
  private var depth = 0
  /// The depth at which elements stand; nil until an array of them was entered.
  private var listDepth: Int?
  /// Whether an entry of the array was met that is no object, and has not ended.
  private var isInOther = false
  private var isInString = false
  private var isEscaped = false
  /// The last string of an object that may hold the list, or holds it.
  private var name: [UInt8] = []
  private var namesNextPage = false
  private var hasList = false

  /// Whether the list is a page of a longer one, as the member `NextToken` beside it says (SNS).
  var isOnePage: Bool { hasList && namesNextPage }

  /// Whether the end came inside of an object or an array.
  var isOpen: Bool { depth > 0 }

  /// Counts lines before the first one that is taken.
  mutating func skip(_ lines: Int) { line += lines }

  /// Takes a line.
  ///
  /// - Parameter found: Gets the objects that end in it.
  /// - Throws: What is none of an export; the rest of the line is left out.
  mutating func add(_ bytes: [UInt8], _ found: (Element) -> Void) throws(InputProblem) {
    line += 1
    for byte in bytes + [UInt8(ascii: "\n")] {
      if let ended = try take(byte) { found(ended) }
    }
  }

  private mutating func take(_ byte: UInt8) throws(InputProblem) -> Element? {
    if isInString {
      keep(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        return nil
      }
      if isBesideList { name.append(byte) }
      return nil
    }
    switch byte {
    case UInt8(ascii: "{"): open(byte)
    case UInt8(ascii: "["):
      let other = other()
      open(byte)
      return other
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte)
    case UInt8(ascii: "\""):
      guard depth > 0 else { throw unexpected(byte) }
      isInString = true
      if isBesideList {
        if name.elementsEqual("NextToken".utf8) { namesNextPage = true }
        name = []
      }
      keep(byte)
      return other()
    case UInt8(ascii: ","):
      if depth == listDepth { isInOther = false }
      // A member without text, such as null, ends here.
      if isBesideList { name = [] }
      keep(byte)
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): keep(byte)
    default:
      guard depth > 0 else { throw unexpected(byte) }
      keep(byte)
      return other()
    }
    return nil
  }

  /// Whether this is a name or a value of the object that may hold the list, or held it.
  private var isBesideList: Bool { depth == 1 && (listDepth == nil || listDepth == .max) }

  /// An entry of the array that is no object and begins here; its bytes say no more than that.
  private mutating func other() -> Element? {
    guard depth == listDepth, !isInOther else { return nil }
    isInOther = true
    count += 1
    return Element(line: line, number: count, bytes: Array("null".utf8))
  }

  private func unexpected(_ byte: UInt8) -> InputProblem {
    InputProblem("", "'\(Character(Unicode.Scalar(byte)))' stands where an object should begin.")
  }

  private mutating func open(_ bracket: UInt8) {
    let isList = bracket == UInt8(ascii: "[")
    let isNamed = depth == 1 && Self.listNames.contains { name.elementsEqual($0.utf8) }
    if listDepth == nil, isList, depth == 0 || isNamed {
      depth += 1
      listDepth = depth
      hasList = true
      element.bytes = []
      (count, isInOther) = (0, false)
      return
    }
    if depth == listDepth ?? 0, !isList {
      count += 1
      element = Element(line: line, number: listDepth == nil ? nil : count, bytes: [])
    }
    depth += 1
    keep(bracket)
  }

  private mutating func close(_ bracket: UInt8) -> Element? {
    keep(bracket)
    depth = max(0, depth - 1)
    if depth == listDepth ?? 0, bracket == UInt8(ascii: "}"), !element.bytes.isEmpty {
      defer { element.bytes = [] }
      return element
    }
    if let list = listDepth, depth < list {
      // What follows the list belongs to no element.
      element.bytes = []
      listDepth = depth == 0 ? nil : .max
    }
    return nil
  }

  /// Bytes between elements are not kept, nor more of one than a device may have.
  private mutating func keep(_ byte: UInt8) {
    guard depth > listDepth ?? 0, element.bytes.count <= RegistryTransfer.lineLimitBytes else { return }
    element.bytes.append(byte)
  }
}
