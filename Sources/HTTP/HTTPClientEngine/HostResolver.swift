internal import CLinkspanPlatform
internal import Glibc
internal import HTTPTransport
package import LinkspanCore

/// Asks the system for the addresses of a host.
package enum HostResolver {
  /// What the reason of an error begins with where the resolver gave no answer.
  package static let unanswered = "the name could not be looked up"

  /// - Parameters:
  ///   - host: A name or an address; an IPv6 address with or without brackets.
  /// - Returns: At least one, in the order to try them (RFC 6724).
  /// - Throws: ``HTTPClientError`` of kind `cannotResolve`. The system decides how long that takes.
  package static func addresses(of host: String, port: UInt16) throws(HTTPClientError) -> [SocketAddress] {
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if let address = SocketAddress(name, port: port) { return [address] }
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, String(port), &hints, &list)
    guard code == 0 else { throw error(code, "\(host):\(port)") }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next {
      var storage = sockaddr_storage()
      let length = min(Int(entry.pointee.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
      withUnsafeMutableBytes(of: &storage) { target in
        target.copyMemory(from: UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: length))
      }
      if let address = SocketAddress(storage), !addresses.contains(address) { addresses.append(address) }
      next = entry.pointee.ai_next
    }
    guard !addresses.isEmpty else {
      throw HTTPClientError(.cannotResolve(isAnswered: true), "\(host):\(port)", "the name has no address")
    }
    return addresses
  }

  /// What a code of `getaddrinfo` means: the resolver's word that there is no address, or its silence.
  static func error(_ code: CInt, _ authority: String) -> HTTPClientError {
    // Glibc's EAI_NODATA, a name with records of other kinds only.
    let noData: CInt = -5
    let isAnswered = code == EAI_NONAME || code == noData
    let words = isAnswered ? "the name has no address" : unanswered
    return HTTPClientError(
      .cannotResolve(isAnswered: isAnswered), authority, "\(words): \(String(cString: gai_strerror(code)))")
  }
}
