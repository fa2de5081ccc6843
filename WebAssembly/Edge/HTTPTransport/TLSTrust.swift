internal import LinkspanCore

/// Whom a command believes when a server shows its certificate.
package enum TLSTrust: Sendable {
  /// Those whom the module's host believes.
  case system
  /// The authorities in a PEM file, which the host reads.
  case authoritiesPEM([UInt8])
  /// Whatever is shown, as a device in developer mode (E13).
  case anyone

  package func check() throws(TLSError) {
    if case .authoritiesPEM(let bytes) = self,
      bytes.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) == nil
    {
      throw TLSError()
    }
  }
}

package struct TLSError: Error {}
