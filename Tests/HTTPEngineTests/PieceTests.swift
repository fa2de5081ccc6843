import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("Output queue")
struct OutputQueueTests {
  @Test func givesBackWhatWasPutInHoweverLittleIsTaken() {
    for step in [1, 2, 3, 7, 1_000, 100_000] {
      var queue = OutputQueue()
      var expected: [UInt8] = []
      for size in [0, 1, 5, 20_000, 3, 16_384, 1] + [Int](repeating: 300, count: 200) {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &+ expected.count) }
        expected += bytes
        queue.append(bytes)
        #expect(queue.count == expected.count)
      }
      var taken: [UInt8] = []
      while !queue.isEmpty {
        queue.write { piece in
          let count = min(step, piece.count)
          taken += piece[..<count]
          return count
        }
      }
      #expect(taken == expected)
    }
  }

  @Test func showsTheSameBytesAgainWhenNoneWereTaken() {
    var queue = OutputQueue()
    queue.append([1, 2])
    queue.write { _ in 0 }
    queue.append([3])
    queue.write { piece in
      #expect(piece[0] == 1)
      return 1
    }
    #expect(queue.count == 2)
  }

  /// One TLS record holds 16,384 bytes (RFC 8446, 5.1): what fits into one is written as one.
  @Test(arguments: [false, true])
  func joinsWhatFitsIntoOneRecord(_ keepsMemory: Bool) {
    for (sizes, pieces) in [
      ([16_000, 384], [16_384]), ([16_000, 385], [16_000, 385]), ([16_384, 1], [16_384, 1]),
      ([1, 16_383], [16_384]),
      ([16_385, 1], [16_385, 1]),
    ] {
      for copies in [false, true] {
        var queue = OutputQueue(keepsMemory: keepsMemory)
        for size in sizes {
          let bytes = [UInt8](repeating: 7, count: size)
          if copies { bytes.withUnsafeBufferPointer { queue.append($0) } } else { queue.append(bytes) }
        }
        var written: [Int] = []
        while !queue.isEmpty {
          queue.write { piece in
            written.append(piece.count)
            return piece.count
          }
        }
        #expect(written == pieces)
      }
    }
  }
}

@Suite("Peer counts")
struct PeerCountsTests {
  @Test func countAddressesOfIPv4AndNetworksOfIPv6() throws {
    for (one, two, isSame) in [
      ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false),
      ("2001:db8::1", "2001:db8::ffff:2", true),
      ("2001:db8::1", "2001:db8:0:1::1", false), ("::ffff:10.0.0.1", "10.0.0.1", true),
      ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false),
    ] {
      let one = try #require(SocketAddress(one, port: 1))
      let two = try #require(SocketAddress(two, port: 2))
      let counts = PeerCounts()
      let first = counts.add(one, limit: 1)
      let second = counts.add(two, limit: 1)
      counts.remove(one)
      let again = counts.add(one, limit: 1)
      #expect([first, second, again] == [true, !isSame, true])
    }
  }
}

@Suite("Authority")
struct HTTPAuthorityTests {
  @Test(arguments: [
    ("a", "a", nil), ("A.b-c_d~1", "a.b-c_d~1", nil), ("a:", "a", nil), ("a:0", "a", 0),
    ("a:65535", "a", 65_535),
    ("[::1]", "[::1]", nil), ("[2001:DB8::1.2.3.4]:443", "[2001:db8::1.2.3.4]", 443),
  ])
  func isAHostAndPerhapsAPort(_ text: String, _ host: String, _ port: UInt16?) {
    #expect(HTTPAuthority(text)?.host == host)
    #expect(HTTPAuthority(text)?.port == port)
  }

  @Test(arguments: [
    "", ":1", "a b", "a/b", "a?b", "a@b", "a%41", "a:b", "a:65536", "a:000001", "a:-1", "[]", "[:]x", "[::1",
    "::1",
    "[g::1]", "ü", "a,b", "a;b", "a\0",
  ])
  func isNothingElse(_ text: String) {
    #expect(HTTPAuthority(text) == nil)
  }
}

@Suite("Socket address")
struct SocketAddressTests {
  @Test(arguments: [
    ("1.1.1.1", true), ("9.255.255.255", true), ("10.0.0.0", false), ("10.255.255.255", false),
    ("11.0.0.0", true),
    ("0.0.0.0", false), ("100.63.255.255", true), ("100.64.0.0", false), ("100.127.255.255", false),
    ("100.128.0.0", true), ("127.0.0.1", false), ("169.254.169.254", false), ("172.15.255.255", true),
    ("172.16.0.0", false), ("172.31.255.255", false), ("172.32.0.0", true), ("192.0.2.1", false),
    ("192.168.1.1", false), ("198.17.255.255", true), ("198.19.255.255", false), ("223.255.255.255", true),
    ("224.0.0.1", false), ("255.255.255.255", false), ("::", false), ("::1", false),
    ("::ffff:10.0.0.1", false),
    ("::ffff:1.1.1.1", true), ("64:ff9b::10.0.0.1", false), ("64:ff9b::1.1.1.1", true), ("fe80::1", false),
    ("fc00::1", false), ("fdff::1", false), ("ff02::1", false), ("2001:db8::1", false), ("2001::1", false),
    ("2001:200::1", true), ("2002:a00:1::1", false), ("2606:4700::1", true), ("3fff::1", false),
    ("4000::1", false),
  ])
  func knowsWhetherItIsReachableFromAnywhere(_ text: String, _ isPublic: Bool) throws {
    #expect(try #require(SocketAddress(text, port: 443)).isPublic == isPublic)
  }

  @Test func isWrittenAsItIsRead() throws {
    #expect(try #require(SocketAddress("127.0.0.1", port: 80)).description == "127.0.0.1:80")
    #expect(try #require(SocketAddress("2001:DB8::1", port: 443)).description == "[2001:db8::1]:443")
    for text in ["", "localhost", "127.0.0.1:80", "[::1]", "1.2.3", "1.2.3.4.5", "::g"] {
      #expect(SocketAddress(text, port: 1) == nil)
    }
  }
}
