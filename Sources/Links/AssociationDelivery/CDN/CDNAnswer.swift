package import LinkspanCore

/// What Apple's CDN says about a host, read from an answer of its own.
///
/// - Source: section 4. Nothing is required: a header that is absent or unreadable is nil.
package struct CDNAnswer: Hashable, Sendable {
  /// A refusal, with its reason as far as the CDN gives one.
  package struct Failure: Hashable, Sendable {
    /// The five digits behind `SWCERR`; nil when the reason names none.
    package var code: String?
    /// What follows the code, or the whole reason without one; may be empty.
    package var text: String
    /// `status` or `cause` of the details: `403 Forbidden`, `context deadline exceeded …`.
    package var detail: String?
    /// Read as: a device may ask the host itself (inferred).
    package var triesDirect: Bool?
    /// `Apple-Failure-Source`, which was never observed.
    package var source: String?

    /// The class of the code by its hundreds (inferred).
    package var kind: Kind {
      switch code?.prefix(3) {
      case nil: .untold
      case "001": .http
      case "002": .connection
      case "003": .time
      case "004": .content
      default: .other
      }
    }

    /// The status that the origin gave, from the details or the text.
    package var originStatus: Int? {
      let line = detail ?? text.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? ""
      guard code == "00101", let word = line.split(separator: " ").first, word.utf8.count == 3 else {
        return nil
      }
      return Int(word)
    }

    /// Whether the origin turned the crawler away, as filters by address, country or user agent do (T5, T7).
    package var isRefusal: Bool { [401, 403, 429, 451].contains(originStatus) }

    /// Whether the crawler found fault with the certificate, by the words of its library (C9, inferred).
    package var blamesCertificate: Bool {
      let words = ASCII.lowercased(reason + " " + (detail ?? ""))
      return kind == .connection && ["x509", "certificate"].contains(where: words.contains)
    }

    /// `SWCERR00101 Bad HTTP Response: 403 Forbidden`, or empty.
    package var reason: String {
      [code.map { "SWCERR" + $0 }, text.isEmpty ? nil : text].compactMap { $0 }.joined(separator: " ")
    }
  }

  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case http, connection, time, content, other, untold
  }

  package var status: Int
  /// The URLs the file came from, the first one asked first; more than one after a redirect (T3).
  package var urls: [String]
  /// `json`, and no other value was ever seen.
  package var originFormat: String?
  /// nil for an answer with a file.
  package var failure: Failure?
  /// How long the answer lives from the crawl on, in seconds.
  package var maxAge_s: Int?
  /// How long ago the crawl was, in seconds.
  package var age_s: Int?
  package var body: [UInt8]

  package init(_ response: HTTPResponse) {
    status = response.status
    urls = (response.fields["Apple-From"] ?? "").split(separator: ",").map { ASCII.trimmed($0) }.filter {
      !$0.isEmpty
    }
    originFormat = response.fields["Apple-Origin-Format"].map { ASCII.trimmed($0) }
    maxAge_s = CacheControl(response.fields).maxAge_s
    age_s = response.fields["Age"].flatMap { CacheControl.seconds(ASCII.trimmed($0)) }
    body = response.body
    failure = response.status == 200 ? nil : Self.failure(response.fields)
  }

  /// How much longer the CDN keeps the answer, in seconds, by its own headers; at most that without an age.
  package var remaining_s: Int? { maxAge_s.map { max(0, $0 - (age_s ?? 0)) } }

  private static func failure(_ fields: HTTPFields) -> Failure {
    let reason = ASCII.trimmed(fields["Apple-Failure-Reason"] ?? "")
    let digits = reason.hasPrefix("SWCERR") ? reason.dropFirst(6).prefix { $0.isASCII && $0.isNumber } : ""
    let isCode = digits.count == 5
    var failure = Failure(
      code: isCode ? String(digits) : nil, text: isCode ? ASCII.trimmed(reason.dropFirst(11)) : reason)
    if let details = fields["Apple-Failure-Details"] {
      let root = JSONParser.parse(Array(details.utf8)).root
      failure.detail = (root?["status"] ?? root?["cause"])?.string ?? details
    }
    failure.triesDirect = fields["Apple-Try-Direct"].flatMap { value in
      ["true": true, "false": false][ASCII.lowercased(ASCII.trimmed(value))]
    }
    failure.source = fields["Apple-Failure-Source"]
    return failure
  }
}
