internal import LinkspanCore
internal import LinkspanFiles

/// A bucket of an S3-like store. A file appears there when all of it was sent: a large one goes in parts, which the store shows
/// when it is told that they are all (AWS: multipart upload).
package struct JournalBucket: JournalFiles {
  /// What is kept in memory until it is sent. AWS takes 10,000 parts of at least 5 MB.
  package static let usualPartBytes = 8 << 20

  private let client: BucketClient
  private let partBytes: Int

  package init(_ client: BucketClient, partBytes: Int = usualPartBytes) {
    (self.client, self.partBytes) = (client, partBytes)
  }

  package func begin(_ name: String) -> any JournalFile { File(name, client, partBytes) }

  /// `@unchecked Sendable`: one thread writes it, and waits while another one publishes it.
  private final class File: JournalFile, @unchecked Sendable {
    private let name: String
    private let client: BucketClient
    private let partBytes: Int
    private let stream = GzipStream()
    private var waiting: [UInt8] = []
    /// The store's name for an upload in parts; nil while nothing was sent.
    private var upload: String?
    /// What the store calls each part that it has.
    private var tags: [String] = []
    private var isWhole = false

    init(_ name: String, _ client: BucketClient, _ partBytes: Int) {
      (self.name, self.client, self.partBytes) = (name, client, partBytes)
    }

    deinit {
      guard let upload, !isWhole else { return }
      // Without this the store keeps the parts until a rule of the bucket removes them.
      _ = try? client.ask("DELETE", name, [("uploadId", upload)])
    }

    func write(_ bytes: [UInt8]) throws(LinkspanError) {
      try stream.add(bytes) { waiting += $0 }
      while waiting.count >= partBytes { try sendPart(partBytes) }
    }

    /// The file is there when this returns.
    func end() throws(LinkspanError) {
      try stream.add([], isLast: true) { waiting += $0 }
      if upload == nil {
        _ = try client.ask("PUT", name, body: waiting)
      } else {
        try sendPart(waiting.count)
        try finishUpload()
      }
      waiting = []
      isWhole = true
    }

    /// Nothing is left to do: a request to the store in a transaction of the registry would hold up everything else.
    func publish() {}

    private func sendPart(_ count: Int) throws(LinkspanError) {
      let upload = if let upload { upload } else { try begun() }
      let answer = try client.ask(
        "PUT", name, [("partNumber", "\(tags.count + 1)"), ("uploadId", upload)],
        body: Array(waiting.prefix(count)))
      guard let tag = answer.fields["ETag"] else { throw unexpected("no ETag for a part") }
      tags.append(tag)
      waiting.removeFirst(count)
    }

    private func begun() throws(LinkspanError) -> String {
      let answer = try client.ask("POST", name, [("uploads", "")])
      guard let upload = BucketClient.text(of: "UploadId", in: answer) else {
        throw unexpected("no UploadId for an upload in parts")
      }
      self.upload = upload
      return upload
    }

    private func finishUpload() throws(LinkspanError) {
      let parts = tags.enumerated().map { index, tag in
        "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
      }
      let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
      _ = try client.ask("POST", name, [("uploadId", upload ?? "")], body: Array(body.utf8))
    }

    private func unexpected(_ what: String) -> LinkspanError {
      LinkspanError(
        "cannot be written", at: client.url(of: name), why: "the store's answer has \(what)",
        help: "Check that the URL is that of an S3-like store.")
    }
  }
}
