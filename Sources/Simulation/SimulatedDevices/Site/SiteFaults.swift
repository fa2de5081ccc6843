internal import AssociationDelivery
package import LinkspanCore

/// What a site can do wrong on demand, by the names that commands and admin calls use. The raw value is the key in JSON
/// and on the command line.
package enum SiteFault: String, Hashable, Sendable, CaseIterable {
  case status
  case redirect
  case delay = "delay_ms"
  case type = "content_type"
  case login
  case gzip
  case cut = "cut_bytes"
  case network
  case breaking = "break_bytes"
  case user = "for"
  case agent

  /// A line for each, for help and errors.
  package static var help: String {
    "Faults: " + allCases.map { "\($0.rawValue)=\($0.value)" }.joined(separator: ", ") + "."
  }

  private var value: String {
    switch self {
    case .status: "200…599 (answer with this status and no file)"
    case .redirect: "URL (redirect there with 302, or with the status)"
    case .delay: "0…600000 (before the answer)"
    case .type: "TYPE (the content type; none omits it)"
    case .login: "true (a login page with 200)"
    case .gzip: "true (compress for every client)"
    case .cut: "BYTES (truncate the file there)"
    case .network: "silent, reset or trickle (for every client)"
    case .breaking: "BYTES (close the connection there, TLS bytes included; for every client)"
    case .user: "everybody, crawler or devices (which clients the other faults affect)"
    case .agent: "TEXT (only user agents that contain it)"
    }
  }
}

/// The faults of a site at one moment.
package struct SiteFaults: Hashable, Sendable {
  /// What happens to connections, whoever asks: who it is shows only in what they carry.
  package enum Network: String, Hashable, Sendable, CaseIterable {
    /// Everything is taken and nothing answered.
    case silent
    case reset
    /// Byte by byte, 50 a second.
    case trickle
  }

  /// 200...599; nil leaves the answer's own.
  package var status: Int?
  /// Where to redirect, with ``status`` or 302.
  package var redirect: String?
  /// 0...600,000, before the answer.
  package private(set) var delay_ms = 0
  /// The `Content-Type` to send; `none` omits it.
  package var type: String?
  package var showsLogin = false
  package var compresses = false
  /// How many bytes of the body are sent.
  package var cutBytes: Int?
  package var network: Network?
  /// How many bytes the connection carries, TLS included, before it closes.
  package var breakBytes: Int?
  /// Which clients they affect; the network faults affect all.
  package var filter = HostFacts.Filter.everybody
  /// Only user agents that contain it are affected; nil affects all.
  package var agent: String?

  package init() {}

  /// Sets a fault from text.
  ///
  /// - Returns: nil when it was set; else what is wrong with the name or the value, as a clause without full stop, and
  ///   nothing is changed.
  package mutating func set(_ name: String, to text: String) -> String? {
    guard let fault = SiteFault(rawValue: name) else {
      return
        "unknown fault; expected one of \(SiteFault.allCases.map { $0.rawValue }.joined(separator: ", "))"
    }
    switch fault {
    case .status:
      guard let number = Int(text), (200...599).contains(number) else {
        return "expected a status from 200 to 599"
      }
      status = number
    case .redirect:
      guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        return "expected a URL"
      }
      redirect = text
    case .delay:
      guard let number = Int(text), (0...600_000).contains(number) else {
        return "expected an integer from 0 to 600000 (milliseconds)"
      }
      delay_ms = number
    case .type:
      guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return "expected a content type" }
      type = text
    case .cut, .breaking:
      guard let number = Int(text), number >= 0 else { return "expected an integer ≥ 0 (bytes)" }
      if fault == .cut { cutBytes = number } else { breakBytes = number }
    case .network:
      guard let network = Network(rawValue: text) else { return "expected silent, reset or trickle" }
      self.network = network
    case .login, .gzip:
      guard let flag = ["true": true, "false": false][text] else { return "expected true or false" }
      if fault == .login { showsLogin = flag } else { compresses = flag }
    case .user:
      guard let filter = HostFacts.Filter(rawValue: text), filter != .nobody else {
        return "expected everybody, crawler or devices"
      }
      self.filter = filter
    case .agent: agent = text
    }
    return nil
  }

  /// Whether they affect a client with this user agent (T6).
  package func concern(_ userAgent: String) -> Bool {
    if let agent, !userAgent.contains(agent) { return false }
    switch filter {
    case .nobody: return false
    case .crawler: return AssociationUserAgent.isCrawler(userAgent)
    case .devices: return AssociationUserAgent.isDevice(userAgent)
    case .everybody: return true
    }
  }

  /// The answer with the faults applied, `Content-Length` removed. The delay and the network faults are left to the
  /// caller, who owns the connection.
  package func applied(to answer: HTTPResponse) -> HTTPResponse {
    var answer = answer
    if let redirect {
      answer = .text(status ?? 302, "moved")
      answer.fields["Location"] = redirect
    } else if showsLogin {
      answer = HTTPResponse(
        status: status ?? 200, fields: ["Content-Type": "text/html; charset=utf-8"],
        body: Array("<!doctype html><title>Sign in</title><form method=post><input name=user></form>\n".utf8))
    } else if let status, status != 200 {
      answer = .text(status, "a fault set on purpose")
    }
    if let type { answer.fields["Content-Type"] = type == "none" ? nil : type }
    if let cutBytes { answer.body = Array(answer.body.prefix(cutBytes)) }
    if compresses {
      answer.body = StoredGzip.wrapped(answer.body)
      answer.fields["Content-Encoding"] = "gzip"
    }
    answer.fields["Content-Length"] = nil
    return answer
  }

  /// `{"type":"faults",…}`, every fault by its name; `null` where it is off.
  package var json: JSON {
    .object([
      ("type", .string("faults")), ("status", .init(status)), ("redirect", .init(redirect)),
      ("delay_ms", .int(delay_ms)), ("content_type", .init(type)), ("login", .bool(showsLogin)),
      ("gzip", .bool(compresses)), ("cut_bytes", .init(cutBytes)), ("network", .init(network?.rawValue)),
      ("break_bytes", .init(breakBytes)), ("for", .string(filter.rawValue)),
      ("agent", .init(agent)),
    ])
  }
}

/// The gzip form of bytes, without making them shorter: stored blocks (RFC 1951, 3.2.4; RFC 1952).
enum StoredGzip {
  static func wrapped(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      result.append(rest.isEmpty ? 1 : 0)
      result += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
      result += block
    } while !rest.isEmpty
    for word in [CRC32.value(of: bytes), UInt32(truncatingIfNeeded: bytes.count)] {
      for place in 0..<4 { result.append(UInt8(word >> UInt32(8 * place) & 255)) }
    }
    return result
  }
}
