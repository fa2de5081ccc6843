internal import LinkspanCore

/// Reads `bplist00`: a header, objects, a table of their offsets, and a trailer of 32 bytes.
///
/// Every number of the file is checked before it is used. Objects may be shared, so a small file can stand
/// for a huge tree: values are counted as often as they are reached, and depth is bounded.
struct BinaryPropertyListReader {
  private static let headerBytes = 8
  private static let trailerBytes = 32

  private let bytes: [UInt8]
  private let limits: PropertyListLimits
  private var offsets: [Int] = []
  private var referenceBytes = 0
  private var objectsEnd = 0
  private var nodeCount = 0
  private var openObjects: Set<Int> = []
  /// Strings and the like, which many places may share.
  private var scalars: [Int: PropertyListNode] = [:]
  private(set) var duplicates: [PropertyListMember] = []

  init(_ bytes: [UInt8], limits: PropertyListLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func read() throws(PropertyListFault) -> PropertyListNode {
    let top = try readTables()
    return try node(top, depth: 0)
  }

  // MARK: - Tables

  /// - Returns: The number of the topmost object.
  private mutating func readTables() throws(PropertyListFault) -> Int {
    guard bytes.count >= Self.headerBytes + 1 + Self.trailerBytes else {
      throw PropertyListFault(
        .truncated, 0..<bytes.count,
        "the binary property list ends after \(bytes.count.counted("byte")), before its trailer",
        "Check that the file was saved or copied completely.")
    }
    let trailer = bytes.count - Self.trailerBytes
    let offsetBytes = Int(bytes[trailer + 6])
    referenceBytes = Int(bytes[trailer + 7])
    let count = unsigned(at: trailer + 8, 8)
    let top = unsigned(at: trailer + 16, 8)
    let table = unsigned(at: trailer + 24, 8)
    guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes) else {
      throw broken("its integers have \(offsetBytes) and \(referenceBytes) bytes; expected 1 to 8")
    }
    guard table > UInt64(Self.headerBytes), table <= UInt64(trailer) else {
      throw broken("its offset table would begin at byte \(table) of \(bytes.count)")
    }
    let room = UInt64(trailer) - table
    guard count > 0, count <= room / UInt64(offsetBytes) else {
      throw broken("its offset table has no room for \(count) objects")
    }
    guard top < count else { throw broken("its topmost object \(top) is not among its \(count)") }
    guard count <= UInt64(limits.nodeCount) else { throw tooMany() }
    objectsEnd = Int(table)
    offsets.reserveCapacity(Int(count))
    for index in 0..<Int(count) {
      let offset = unsigned(at: objectsEnd + index * offsetBytes, offsetBytes)
      guard offset >= UInt64(Self.headerBytes), offset < table else {
        throw broken("its object \(index) would be at byte \(offset), outside the object area")
      }
      offsets.append(Int(offset))
    }
    return Int(top)
  }

  private func broken(_ reason: String) -> PropertyListFault {
    PropertyListFault(
      .brokenTable, 0..<bytes.count, "the binary property list is damaged: \(reason)",
      "Check that the file was saved or copied completely, or create it again.")
  }

  private func tooMany() -> PropertyListFault {
    PropertyListFault(
      .tooManyValues, 0..<bytes.count, "the file has more than \(limits.nodeCount) values and keys",
      "Property lists of apps have a few hundred.")
  }

  // MARK: - Objects

  private mutating func node(_ object: Int, depth: Int) throws(PropertyListFault) -> PropertyListNode {
    nodeCount += 1
    guard nodeCount <= limits.nodeCount else { throw tooMany() }
    if let known = scalars[object] { return known }
    let start = offsets[object]
    let marker = bytes[start]
    switch marker >> 4 {
    case 0xA, 0xD: return try container(object, depth: depth)
    default:
      let node = try scalar(start, marker)
      scalars[object] = node
      return node
    }
  }

  private mutating func container(_ object: Int, depth: Int) throws(PropertyListFault) -> PropertyListNode {
    guard depth < limits.depth else {
      throw PropertyListFault(
        .tooDeep, 0..<bytes.count, "more than \(limits.depth) containers are nested in each other",
        "Property lists of apps are rarely nested deeper than six levels.")
    }
    guard openObjects.insert(object).inserted else {
      throw PropertyListFault(
        .cycle, 0..<bytes.count, "object \(object) of the binary property list contains itself",
        "No tool writes such a file; create it again.")
    }
    defer { openObjects.remove(object) }
    let start = offsets[object]
    let isArray = bytes[start] >> 4 == 0xA
    let (count, body) = try length(start, unitBytes: isArray ? referenceBytes : 2 * referenceBytes)
    let range = start..<body + count * referenceBytes * (isArray ? 1 : 2)
    if isArray {
      var elements: [PropertyListNode] = []
      for index in 0..<count {
        elements.append(try node(reference(body, index), depth: depth + 1))
      }
      return PropertyListNode(.array(elements), at: range)
    }
    var members: [PropertyListMember] = []
    var keys: Set<String> = []
    for index in 0..<count {
      let key = try node(reference(body, index), depth: depth + 1)
      guard let name = key.string else {
        throw broken("a key of its object \(object) is \(key.typeName), not a string")
      }
      let value = try node(reference(body, count + index), depth: depth + 1)
      let member = PropertyListMember(key: name, keyRange: key.range, value: value)
      members.append(member)
      if !keys.insert(name).inserted { duplicates.append(member) }
    }
    return PropertyListNode(.dictionary(members), at: range)
  }

  private func reference(_ body: Int, _ index: Int) throws(PropertyListFault) -> Int {
    let object = unsigned(at: body + index * referenceBytes, referenceBytes)
    guard object < UInt64(offsets.count) else {
      throw broken("it refers to object \(object) of \(offsets.count)")
    }
    return Int(object)
  }

  private func scalar(_ start: Int, _ marker: UInt8) throws(PropertyListFault) -> PropertyListNode {
    let low = Int(marker & 0x0F)
    switch marker {
    case 0x08: return PropertyListNode(.bool(false), at: start..<start + 1)
    case 0x09: return PropertyListNode(.bool(true), at: start..<start + 1)
    case 0x10...0x14:
      let body = try fixed(start, 1 << low)
      let value = unsigned(at: body.upperBound - min(8, body.count), min(8, body.count))
      if low == 4 {
        let high = unsigned(at: body.lowerBound, 8)
        if high == 0 { return PropertyListNode(integer(value), at: start..<body.upperBound, content: body) }
        guard high == .max, value > UInt64(Int64.max) else { throw broken("an integer does not fit 64 bits") }
      }
      // Integers of eight bytes have a sign, shorter ones have none.
      return PropertyListNode(
        .integer(Int64(bitPattern: value)), at: start..<body.upperBound, content: body)
    case 0x22:
      let body = try fixed(start, 4)
      let value = Float(bitPattern: UInt32(unsigned(at: body.lowerBound, 4)))
      return PropertyListNode(.real(Double(value)), at: start..<body.upperBound, content: body)
    case 0x23, 0x33:
      let body = try fixed(start, 8)
      let value = Double(bitPattern: unsigned(at: body.lowerBound, 8))
      return PropertyListNode(
        marker == 0x23 ? .real(value) : .date(value), at: start..<body.upperBound, content: body)
    case 0x40...0x4F:
      let (count, body) = try length(start, unitBytes: 1)
      let range = body..<body + count
      return PropertyListNode(.data(Array(bytes[range])), at: start..<range.upperBound, content: range)
    case 0x50...0x5F: return try text(start, unitBytes: 1)
    case 0x60...0x6F: return try text(start, unitBytes: 2)
    case 0x80...0x87:
      let body = try fixed(start, low + 1)
      return PropertyListNode(
        .uid(unsigned(at: body.lowerBound, body.count)), at: start..<body.upperBound, content: body)
    default:
      throw PropertyListFault(
        .unknownObject, 0..<bytes.count,
        "byte \(start) of the binary property list begins an object of the unknown kind "
          + "0x\(String(marker, radix: 16, uppercase: true))",
        "Check that the file was saved or copied completely, or create it again.")
    }
  }

  private func integer(_ value: UInt64) -> PropertyListNode.Value {
    Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)
  }

  /// ASCII, or UTF-16 with the high byte first; a lone surrogate becomes U+FFFD.
  private func text(_ start: Int, unitBytes: Int) throws(PropertyListFault) -> PropertyListNode {
    let (count, body) = try length(start, unitBytes: unitBytes)
    let range = body..<body + count * unitBytes
    let value: String
    if unitBytes == 1 {
      guard !bytes[range].contains(where: { $0 >= 0x80 }) else {
        throw broken("the text at byte \(start) is marked as ASCII but contains other characters")
      }
      value = String(decoding: bytes[range], as: UTF8.self)
    } else {
      let units = (0..<count).map { UInt16(bytes[body + 2 * $0]) << 8 | UInt16(bytes[body + 2 * $0 + 1]) }
      value = String(decoding: units, as: UTF16.self)
    }
    return PropertyListNode(.string(value), at: start..<range.upperBound, content: range)
  }

  // MARK: - Numbers

  /// The body of an object of fixed size, checked to lie among the objects.
  private func fixed(_ start: Int, _ count: Int) throws(PropertyListFault) -> Range<Int> {
    guard count <= objectsEnd - start - 1 else {
      throw broken("the object at byte \(start) runs into the offset table")
    }
    return start + 1..<start + 1 + count
  }

  /// How many units an object has, and where they begin; all of them are checked to lie among the objects.
  private func length(_ start: Int, unitBytes: Int) throws(PropertyListFault) -> (count: Int, body: Int) {
    var count = UInt64(bytes[start] & 0x0F)
    var body = start + 1
    if count == 0x0F {
      guard body < objectsEnd, (0x10...0x13).contains(bytes[body]) else {
        throw broken("the object at byte \(start) has no length")
      }
      let lengthBody = try fixed(body, 1 << Int(bytes[body] & 0x0F))
      count = unsigned(at: lengthBody.lowerBound, lengthBody.count)
      body = lengthBody.upperBound
    }
    guard count <= UInt64((objectsEnd - body) / unitBytes) else {
      throw broken("the object at byte \(start) runs into the offset table")
    }
    return (Int(count), body)
  }

  /// A number with its high byte first; the caller has checked that its one to eight bytes exist.
  private func unsigned(at offset: Int, _ count: Int) -> UInt64 {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
