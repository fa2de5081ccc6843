internal import CGnuTLS

/// The passphrase of a private key, wiped from memory when the last reference to it goes away.
///
/// It cannot be printed. It is shared by reference, so that there is only one copy to wipe.
package final class Passphrase {
  /// Our choice; a longer one is a mistake, such as another file's content.
  package static let limitBytes = 1_024

  /// Ends in a zero.
  private let memory: UnsafeMutableBufferPointer<CChar>

  /// - Parameter bytes: Copied; at most ``limitBytes``, without a zero. The caller wipes what it has.
  package init(copying bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= Self.limitBytes && !bytes.contains(0), "a passphrase is a short text")
    memory = .allocate(capacity: bytes.count + 1)
    memory.initialize(repeating: 0)
    UnsafeMutableRawBufferPointer(memory).copyMemory(from: bytes)
  }

  deinit {
    gnutls_memset(memory.baseAddress, 0, memory.count)
    memory.deallocate()
  }

  /// A copy of its bytes, for what no caller can wipe, such as a password that is hashed at once.
  package var bytes: [UInt8] {
    withExtendedLifetime(self) { memory.dropLast().map { UInt8(bitPattern: $0) } }
  }

  func with<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    withExtendedLifetime(self) { body(UnsafePointer(memory.baseAddress!)) }
  }

  /// Overwrites bytes that held a secret, in a way that is not optimised away.
  package static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    gnutls_memset(start, 0, bytes.count)
  }

  /// Overwrites an array's bytes in place; the caller must hold the only reference to the array.
  package static func wipe(_ bytes: inout [UInt8]) { bytes.withUnsafeMutableBytes { wipe($0) } }
}
