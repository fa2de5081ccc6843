package import AssociationDelivery
package import LinkspanCore

extension CDNEndpoint {
  /// The CDN, or a stand-in for it, that an address names.
  ///
  /// - Parameter flag: The flag that it was given with.
  /// - Throws: A usage error; nothing of a credential is in it.
  package static func read(_ address: ServiceAddress, of flag: String) throws(LinkspanError) -> CDNEndpoint {
    let example = "http://127.0.0.1:8080"
    let server = try LinkspanError.server(address, of: flag, example: example, takesPath: true)
    guard let endpoint = CDNEndpoint("\(server.scheme)://\(server.authority)\(server.path)") else {
      throw .usage("'\(flag)': expected a URL such as \(example)")
    }
    return endpoint
  }
}
