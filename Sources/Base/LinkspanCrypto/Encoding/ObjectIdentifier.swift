/// An object identifier, as the content of its element.
struct ObjectIdentifier: Hashable, Sendable {
  var content: [UInt8]

  init(_ content: some Sequence<UInt8>) { self.content = Array(content) }

  // RFC 5652, 4 and 5.1; 11.1 and 11.2.
  static let data = pkcs(7, 1)
  static let signedData = pkcs(7, 2)
  static let contentType = pkcs(9, 3)
  static let messageDigest = pkcs(9, 4)

  // RFC 3370, 3.2.
  static let rsa = pkcs(1, 1)

  /// 1.2.840.113549.1 and two more numbers below 128.
  static func pkcs(_ numbers: UInt8...) -> ObjectIdentifier {
    ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01] + numbers)
  }

  /// The numbers with dots between, for messages.
  var text: String {
    guard let first = content.first else { return "?" }
    var numbers = [Int(min(first / 40, 2)), Int(first) - 40 * Int(min(first / 40, 2))]
    var number = 0
    // Nine bytes of seven bits fit into an Int.
    for byte in content.dropFirst().prefix(64) {
      number = (number & (Int.max >> 8)) << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 {
        numbers.append(number)
        number = 0
      }
    }
    return numbers.map { String($0) }.joined(separator: ".")
  }
}
