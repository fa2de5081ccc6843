internal import HTTPTransport
internal import LinkspanCore

/// Files of signers on the servers' machines: one whose certificate lasts longer than any story, and one whose certificate is over.
enum SwarmSigner {
  private struct Signer {
    var certificate: [UInt8]
    var key: [UInt8]

    /// - Parameter days: From when until when it is good, after stories begin.
    init(_ days: ClosedRange<Int64>) {
      let start = ServiceWorld.start.milliseconds / 1_000
      let day: Int64 = 86_400
      do throws(TLSError) {
        let made = try ThrowawayCertificate.make(
          for: ["host0.example"], from: start + days.lowerBound * day,
          lifetime: .seconds((days.upperBound - days.lowerBound) * day))
        (certificate, key) = (made.certificatePEM, made.keyPEM)
      } catch {
        preconditionFailure("a signer of a simulation cannot be made: \(error)")
      }
    }
  }

  /// Made once: its bytes are in no event.
  private static let good = Signer(-30...300)
  private static let expired = Signer(-30 ... -10)

  @Sendable static func read(_ path: String) throws(LinkspanError) -> [UInt8] {
    switch path {
    case "signer.pem": return good.certificate
    case "signer.key": return good.key
    case "expired.pem": return expired.certificate
    case "expired.key": return expired.key
    default: throw LinkspanError("cannot be read", at: path, why: "No such file or directory")
    }
  }
}
