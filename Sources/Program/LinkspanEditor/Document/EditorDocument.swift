internal import AppSiteAssociation
internal import LinkspanCore
internal import SiteInput

/// An open document.
package struct EditorDocument: Sendable {
  package let uri: String
  /// The path of a `file:` URI; else the URI itself, which is only shown.
  package let name: String
  package let language: String
  package var version: Int?
  package var text: DocumentText
  /// What it is; it stays that while it is open, so that half a text is judged as the whole one was.
  package var kind: DocumentKind?
  /// Counts the texts of a session, so that an answer says which one it is about.
  package var number: Int

  init(uri: String, language: String, version: Int?, text: DocumentText, number: Int) {
    self.uri = uri
    name = Self.path(of: uri)
    self.language = language
    self.version = version
    self.text = text
    self.number = number
    kind = DocumentKind(name: name, language: language, bytes: text.bytes)
  }

  var source: SourceText { SourceText(name: name, bytes: text.bytes) }

  mutating func change(to text: DocumentText, version: Int?, number: Int) {
    self.text = text
    self.version = version
    self.number = number
    kind = kind ?? DocumentKind(name: name, language: language, bytes: text.bytes)
  }

  /// The path that a `file:` URI names, percent-decoded.
  static func path(of uri: String) -> String {
    guard ASCII.lowercased(uri.prefix(7)) == "file://" else { return uri }
    let rest = uri.dropFirst(7)
    guard let slash = rest.firstIndex(of: "/") else { return uri }
    let path = String(decoding: PercentEncoding.decode(rest[slash...].utf8), as: UTF8.self)
    return path.unicodeScalars.contains("\0") ? uri : path
  }

  /// The host of URLs that show something: that in whose folder the document lies, else an example.
  var shownHost: String { folderHost ?? "example.com" }

  /// The host in whose folder the document lies; nil where no folder names one.
  var folderHost: String? {
    let folders = name.split(separator: "/").dropLast()
    let candidate = folders.last == ".well-known" ? folders.dropLast().last : folders.last
    return candidate.map { ASCII.lowercased($0) }.flatMap { SiteFolder.isHost($0) ? $0 : nil }
  }
}
