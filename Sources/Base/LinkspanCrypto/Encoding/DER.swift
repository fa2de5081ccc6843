/// Writes DER (ITU-T X.690): each function gives one whole element.
enum DER {
  static let null: [UInt8] = [0x05, 0x00]

  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    [tag] + length(content.count) + content
  }

  static func sequence(_ members: [UInt8]...) -> [UInt8] { element(0x30, Array(members.joined())) }

  /// A SET of one member, which needs no sorting.
  static func set(of member: [UInt8]) -> [UInt8] { element(0x31, member) }

  /// A number of one byte below 128.
  static func integer(_ value: UInt8) -> [UInt8] { element(0x02, [value]) }

  static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

  static func identifier(_ identifier: ObjectIdentifier) -> [UInt8] { element(0x06, identifier.content) }

  /// The element `[number]`, with other elements inside.
  static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xA0 | number, content) }

  private static func length(_ count: Int) -> [UInt8] {
    if count < 0x80 { return [UInt8(count)] }
    var digits: [UInt8] = []
    var rest = count
    while rest > 0 {
      digits.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [0x80 | UInt8(digits.count)] + digits
  }
}
