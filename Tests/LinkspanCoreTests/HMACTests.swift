import LinkspanCore
import Testing

@Suite struct HMACTests {
  /// RFC 4231, 4.2 to 4.4, 4.7 and 4.8: keys below, at and above the length of a block.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func agreesWithTheStandard(key: [UInt8], message: [UInt8], digits: String) {
    #expect(ASCII.hexText(HMAC.digest(of: message, key: key)) == digits)
    #expect(HMAC.proves(digits, message, key: key))
  }

  @Test func anythingElseProvesNothing() {
    let key = Array("key".utf8)
    let digits = ASCII.hexText(HMAC.digest(of: [1], key: key))
    for other in ["", String(digits.dropLast()), digits + "0", digits.uppercased(), "x" + digits.dropFirst()]
    {
      #expect(!HMAC.proves(other, [1], key: key))
    }
    #expect(!HMAC.proves(digits, [2], key: key))
    #expect(!HMAC.proves(digits, [1], key: Array("kez".utf8)))
  }
}
