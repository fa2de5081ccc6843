import Glibc
import LinkspanCore
import LinkspanFiles
import PushSending
import TestSupport
import Testing

/// An S3-like store in memory that answers as AWS documents it.
private final class Store: Sendable {
  struct State {
    var files: [String: [UInt8]] = [:]
    /// The parts of uploads that are not whole, by the upload's name.
    var parts: [String: [String: [UInt8]]] = [:]
    var requests: [HTTPRequest] = []
    /// Answers that come in place of the store's own.
    var faults: [HTTPResponse] = []
  }

  let state = LockedState(State())

  func client() throws -> BucketClient {
    BucketClient(
      try ServiceAddress("https://store.example/bucket").server(example: "", takesPath: true),
      credentials: { BucketCredentials(accessKey: "AKID", secretKey: "s3cret") },
      now: { WallTime(milliseconds: 1_700_000_000_000) }, send: { [self] in answer($0) })
  }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    state.withLock { state in
      state.requests.append(request)
      if !state.faults.isEmpty { return state.faults.removeFirst() }
      let target = request.target.split(separator: "?", maxSplits: 1).map(String.init)
      let query = target.count > 1 ? target[1] : ""
      let upload = query.split(separator: "&").first { $0.hasPrefix("uploadId=") }.map {
        String($0.dropFirst(9))
      }
      switch (request.method, upload) {
      case ("PUT", nil): state.files[target[0]] = request.body
      case ("PUT", let upload?):
        let number = String(query.dropFirst("partNumber=".count).prefix { $0 != "&" })
        state.parts[upload]?[number] = request.body
        return HTTPResponse(status: 200, fields: ["ETag": "\"tag \(number)\""])
      case ("POST", nil):
        state.parts["up1"] = [:]
        return Self.xml("<R><UploadId>up1</UploadId></R>")
      case ("POST", let upload?):
        let parts = state.parts.removeValue(forKey: upload) ?? [:]
        state.files[target[0]] = parts.sorted { Int($0.key)! < Int($1.key)! }.flatMap(\.value)
        return Self.xml("<CompleteMultipartUploadResult/>")
      case ("DELETE", let upload?): state.parts[upload] = nil
      default: return HTTPResponse(status: 405)
      }
      return HTTPResponse(status: 200)
    }
  }

  static func xml(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, body: Array(text.utf8))
  }

  var methods: [String] { state.withLock { $0.requests.map(\.method) } }
}

/// Closed days of the journal in a bucket.
@Suite struct JournalBucketTests {
  private static let name = "linkspan-journal-2026-11-25-campaign.csv.gz"
  private static let path = "/bucket/\(name)"

  /// What does not get smaller by compressing.
  private static func noise(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 7)
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  private static func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
    var file: [UInt8] = []
    try GzipStream().add(bytes, isLast: true) { file += $0 }
    return file
  }

  @Test func aSmallFileIsOneRequest() throws {
    let store = Store()
    let file = try JournalBucket(store.client()).begin(Self.name)
    try file.write(Array("delivery,message\n".utf8))
    #expect(store.methods.isEmpty)
    try file.end()
    try file.publish()
    #expect(store.methods == ["PUT"])
    #expect(
      try store.state.withLock { $0.files[Self.path] } == Self.compressed(Array("delivery,message\n".utf8)))
  }

  @Test func aLargeFileGoesInPartsAndAppearsWhole() throws {
    let store = Store()
    let bytes = Self.noise(300_000)
    let file = try JournalBucket(store.client(), partBytes: 65_536).begin(Self.name)
    try file.write(bytes)
    #expect(store.state.withLock { $0.files.isEmpty && $0.parts["up1"]?.count == 4 })
    try file.end()
    #expect(try store.state.withLock { $0.files[Self.path] } == Self.compressed(bytes))
    let last = try #require(store.state.withLock { $0.requests.last })
    #expect(
      String(decoding: last.body, as: UTF8.self).hasPrefix(
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"tag 1\"</ETag></Part>"))
  }

  @Test func anUploadThatEndsEarlyIsTakenBack() throws {
    let store = Store()
    do {
      let file = try JournalBucket(store.client(), partBytes: 1_024).begin(Self.name)
      try file.write(Self.noise(100_000))
      #expect(store.state.withLock { $0.parts.count } == 1)
    }
    #expect(store.state.withLock { $0.parts.isEmpty && $0.files.isEmpty })
  }

  /// AWS answers 200 before it knows whether the parts make a file.
  @Test func anErrorWithStatus200IsOne() throws {
    let store = Store()
    let file = try JournalBucket(store.client(), partBytes: 1_024).begin(Self.name)
    try file.write(Self.noise(100_000))
    store.state.withLock { $0.faults = [HTTPResponse(status: 200, fields: ["ETag": "\"last\""])] }
    store.state.withLock {
      $0.faults.append(Store.xml("<Error><Code>InternalError</Code><Message>Try again</Message></Error>"))
    }
    let error = #expect(throws: LinkspanError.self) { try file.end() }
    #expect(error?.message.contains("answered 200: InternalError (Try again)") == true)
  }

  @Test func whatTheStoreCannotDoNowIsAskedAgain() throws {
    let store = Store()
    store.state.withLock { $0.faults = [HTTPResponse(status: 503), HTTPResponse(status: 500)] }
    let file = try JournalBucket(store.client()).begin(Self.name)
    try file.end()
    #expect(store.methods == ["PUT", "PUT", "PUT"])
    #expect(store.state.withLock { $0.files.count } == 1)
  }

  @Test func aRefusalIsSaidOnceAndWithoutTheSecret() throws {
    let store = Store()
    let refusal = "<Error><Code>SignatureDoesNotMatch</Code><Message>Check your key.</Message></Error>"
    store.state.withLock { $0.faults = [Store.xml(refusal, status: 403)] }
    let file = try JournalBucket(store.client()).begin(Self.name)
    let error = try #require(#expect(throws: LinkspanError.self) { try file.end() })
    #expect(store.methods == ["PUT"])
    #expect(
      error.message == "'https://store.example\(Self.path)' cannot be written: "
        + "the store answered 403: SignatureDoesNotMatch (Check your key.).")
    #expect(!"\(error)".contains("s3cret"))
  }

  // MARK: - Signatures

  /// The examples of AWS: Amazon S3 API Reference, "Signature Calculations for the Authorization Header: Transferring Payload in a
  /// Single Chunk".
  @Test(
    arguments: [
      (
        "GET", "/test.txt", [HTTPField("Range", "bytes=0-9")], "",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
      ),
      (
        "PUT", "/test%24file.text",
        [
          HTTPField("Date", "Fri, 24 May 2013 00:00:00 GMT"),
          HTTPField("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ], "Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
      ),
      (
        "GET", "/?max-keys=2&prefix=J", [], "",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      ),
    ] as [(String, String, [HTTPField], String, String)])
  func signaturesAreThoseOfAWS(
    method: String, target: String, fields: [HTTPField], body: String, signature: String
  ) throws {
    var request = HTTPRequest(
      method: method, authority: "examplebucket.s3.amazonaws.com", target: target, body: Array(body.utf8))
    request.fields = HTTPFields(fields)
    let credentials = BucketCredentials(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let signed = BucketSignature(credentials, host: request.authority).signed(
      request, at: try #require(WallTime("2013-05-24T00:00:00Z")))
    #expect(signed.fields["Authorization"]?.hasSuffix("Signature=\(signature)") == true)
    #expect(signed.fields["x-amz-date"] == "20130524T000000Z")
  }

  @Test(
    arguments: [
      ("bucket.s3.eu-central-1.amazonaws.com", "eu-central-1"),
      ("s3.dualstack.us-west-2.amazonaws.com", "us-west-2"), ("bucket.s3.amazonaws.com", "us-east-1"),
      ("store.example", "us-east-1"),
    ])
  func aHostOfAWSNamesTheRegion(host: String, region: String) throws {
    let request = HTTPRequest(method: "GET", authority: host, target: "/")
    func scope(_ credentials: BucketCredentials) throws -> String? {
      BucketSignature(credentials, host: host).signed(
        request, at: try #require(WallTime("2026-11-26T00:00:00Z"))
      )
      .fields["Authorization"]
    }
    let told = try scope(BucketCredentials(accessKey: "A", secretKey: "B"))
    #expect(told?.contains("Credential=A/20261126/\(region)/s3/aws4_request,") == true)
    let given = try scope(BucketCredentials(accessKey: "A", secretKey: "B", region: "here"))
    #expect(given?.contains("/here/s3/") == true)
  }

  // MARK: - Keys and places

  private static func write(_ text: String, _ name: String, in folder: ScratchFolder, mode: mode_t) throws
    -> String
  {
    try folder.write(text, to: name)
    try #require(chmod(folder.path(name), mode) == 0)
    return folder.path(name)
  }

  @Test(
    arguments: [
      "aws_access_key_id=A\naws_secret_access_key=B",
      "[other]\r\naws_access_key_id = X\r\naws_secret_access_key = Y\r\n\r\n# mine\r\n[ default ]\r\n"
        + "aws_access_key_id = A\r\naws_secret_access_key = B\r\n",
      "[only]\naws_access_key_id = A\naws_secret_access_key=  B  \n",
    ])
  func keysAreReadAsAWSKeepsThem(text: String) throws {
    let folder = try ScratchFolder()
    let path = try Self.write(text, "keys", in: folder, mode: 0o600)
    #expect(try BucketCredentials.read(path) == BucketCredentials(accessKey: "A", secretKey: "B"))
  }

  @Test func whatIsMissingIsNamedWithoutTheSecret() throws {
    let folder = try ScratchFolder()
    let path = try Self.write(
      "aws_secret_access_key = s3cret\nregion = here\n", "keys", in: folder, mode: 0o600)
    let error = try #require(#expect(throws: LinkspanError.self) { try BucketCredentials.read(path) })
    #expect(error.message == "'\(path)' has no line 'aws_access_key_id = …'.")
    #expect(!"\(error)".contains("s3cret"))
    let open = try Self.write(
      "aws_access_key_id = A\naws_secret_access_key = B\n", "open", in: folder, mode: 0o644)
    #expect(throws: LinkspanError.self) { try BucketCredentials.read(open) }
  }

  @Test(
    arguments: [
      ("https://store.example/bucket", nil, "needs '--bucket-credentials'"),
      ("exports", "keys", "needs the URL of a bucket"),
      ("s3://bucket/exports", "keys", "expected a URL such as"),
      ("https://store.example/b%20c", "keys", "letters, digits and -._~/ only"),
      ("https://user:word@store.example/bucket", "keys", "has a user or password"),
    ] as [(String, String?, String)])
  func whatDoesNotGoTogetherIsSaid(text: String, credentials: String?, words: String) throws {
    let error = try #require(
      #expect(throws: LinkspanError.self) { try JournalPlace(text, of: "URL", credentials: credentials) })
    #expect("\(error)".contains(words) && !"\(error)".contains("word@"))
  }
}
