package import LinkspanCore

/// Signs requests to an S3-like store (AWS: Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header",
/// Signature Version 4 with a hash of the body).
package struct BucketSignature: Sendable {
  private let credentials: BucketCredentials
  private let region: String

  /// - Parameter host: Of the store; a host of AWS names the region.
  package init(_ credentials: BucketCredentials, host: String) {
    self.credentials = credentials
    region = credentials.region ?? Self.region(of: host) ?? "us-east-1"
  }

  /// `eu-central-1` of `bucket.s3.eu-central-1.amazonaws.com`; nil for hosts that name no region.
  static func region(of host: String) -> String? {
    let labels = ASCII.lowercased(host).split(separator: ".").map(String.init)
    guard let place = labels.firstIndex(of: "amazonaws"), let service = labels[..<place].lastIndex(of: "s3")
    else { return nil }
    return labels[(service + 1)..<place].first { $0 != "dualstack" }
  }

  /// The request with what proves who sends it.
  ///
  /// - Parameter request: Its target is encoded as S3 wants it, and the items of its query are in order. All its fields are
  ///   signed.
  package func signed(_ request: HTTPRequest, at now: WallTime) -> HTTPRequest {
    var request = request
    let moment = Self.text(of: now)
    let hash = SHA256.hexDigest(of: request.body)
    request.fields["x-amz-content-sha256"] = hash
    request.fields["x-amz-date"] = moment
    if let token = credentials.sessionToken { request.fields["x-amz-security-token"] = token }

    var fields = request.fields.list.map { (name: ASCII.lowercased($0.name), value: $0.value) }
    fields.append(("host", request.authority))
    fields.sort { $0.name < $1.name }
    let names = fields.map(\.name).joined(separator: ";")
    let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let canonical = [
      request.method, String(parts[0]), parts.count > 1 ? String(parts[1]) : "",
      fields.map { "\($0.name):\($0.value)\n" }.joined(), names, hash,
    ].joined(separator: "\n")

    let day = String(moment.prefix(8))
    let scope = "\(day)/\(region)/s3/aws4_request"
    let text = ["AWS4-HMAC-SHA256", moment, scope, SHA256.hexDigest(of: Array(canonical.utf8))]
    var key = Array("AWS4\(credentials.secretKey)".utf8)
    for step in [day, region, "s3", "aws4_request"] { key = HMAC.digest(of: Array(step.utf8), key: key) }
    let signature = ASCII.hexText(HMAC.digest(of: Array(text.joined(separator: "\n").utf8), key: key))
    request.fields["Authorization"] =
      "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
    return request
  }

  /// `20130524T000000Z`.
  private static func text(of time: WallTime) -> String {
    String("\(time)".prefix { $0 != "." && $0 != "Z" }.filter { $0 != "-" && $0 != ":" }) + "Z"
  }
}
