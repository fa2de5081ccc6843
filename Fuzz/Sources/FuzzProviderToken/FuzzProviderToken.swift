import FuzzSupport
import LinkspanCore
import LinkspanCrypto
import PushProvider

/// The entry that the package manager expects of an executable.
@_cdecl("FuzzProviderToken_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  guard let key = try? P256PrivateKey.generate() else { preconditionFailure("no key") }
  return fuzz(argc, argv) { check($0, key) }
}

/// The laws: no input stops the program; nobody else's token is valid; a text is read by its characters, so that one
/// character more makes another token or none.
private func check(_ input: [UInt8], _ key: P256PrivateKey) {
  let text = String(decoding: input, as: UTF8.self)
  guard let token = ReceivedProviderToken(text) else { return }
  let verdict = token.verdict(by: key.publicKey, at: token.issuedAt)
  precondition(verdict == .invalidSignature, "a token that the key never signed is \(verdict.rawValue)")
  precondition(ReceivedProviderToken(text + "=") == nil, "padding is not part of a token")
}
