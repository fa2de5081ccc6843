package import LinkspanCore
internal import LinkspanCrypto
internal import PushTerms

extension ProviderCertificate {
  /// Topics of the certificate.
  private static let topicsExtension = "1.2.840.113635.100.6.3.6"
  /// What a certificate for each environment carries.
  private static let developmentExtension = "1.2.840.113635.100.6.3.1"
  private static let productionExtension = "1.2.840.113635.100.6.3.2"

  /// Reads the certificate that a client has shown.
  ///
  /// - Parameters:
  ///   - der: The certificate's bytes, whoever has issued it.
  ///   - now: A certificate outside its validity is not usable.
  package init(der: [UInt8], at now: WallTime) {
    guard let certificate = Certificate(der: der) else {
      self.init(topics: [], isUsable: false)
      return
    }
    var topics = certificate.extensionValue(Self.topicsExtension).map(Self.strings) ?? []
    if topics.isEmpty, let user = certificate.subjectUserIdentifier { topics = [user] }
    var environments: Set<PushEnvironment> = []
    if certificate.extensionValue(Self.developmentExtension) != nil { environments.insert(.sandbox) }
    if certificate.extensionValue(Self.productionExtension) != nil { environments.insert(.production) }
    self.init(topics: topics, environments: environments, isUsable: certificate.isGood(at: now))
  }

  /// The strings of a SEQUENCE; what each stands for follows it in a SEQUENCE of its own.
  private static func strings(_ der: [UInt8]) -> [String] {
    var reader = BERReader(der)
    guard let sequence = reader.next(0x30) else { return [] }
    var inside = reader.inside(sequence)
    var strings: [String] = []
    while let element = inside.next() {
      if element.tag == 0x0C { strings.append(String(decoding: der[element.content], as: UTF8.self)) }
    }
    return strings
  }
}
