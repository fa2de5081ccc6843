internal import AppBundle
internal import LinkspanCore

/// What a file seems to be, for the sentence that refuses it.
package enum ContentGuess {
  /// A larger text is not parsed for a sentence. Ours.
  private static let parseLimitBytes = 1 << 20

  /// A phrase such as "a TypeScript configuration". It quotes nothing of the content.
  package static func phrase(_ bytes: [UInt8], name: String) -> String {
    if bytes.isEmpty { return "an empty file" }
    if let found = signatures.first(where: { bytes.starts(with: $0.bytes) }) { return found.phrase }
    if bytes.count <= parseLimitBytes, let kind = AppFile.kind(of: bytes, name: name) { return kind }
    if bytes.prefix(512).contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) }) {
      return "binary data"
    }
    let text = bytes.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
    if let found = beginnings.first(where: { text.starts(with: $0.text.utf8) }) { return found.phrase }
    if let ending = endings.first(where: { name.hasSuffix($0.name) }) { return ending.phrase }
    return bytes.count <= parseLimitBytes ? json(bytes) ?? "text" : "text"
  }

  private static let signatures: [(bytes: [UInt8], phrase: String)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a PNG picture"),
    ([0xFF, 0xD8, 0xFF], "a JPEG picture"), (Array("%PDF-".utf8), "a PDF document"),
    ([0x50, 0x4B, 0x03, 0x04], "a zip archive"), ([0x1F, 0x8B], "a gzip archive"),
    (Array("SQLite format 3".utf8), "an SQLite database"),
    (Array("bplist00".utf8), "a property list"), ([0x30, 0x80], "DER data, such as a certificate or a key"),
    ([0x30, 0x81], "DER data, such as a certificate or a key"),
    ([0x30, 0x82], "DER data, such as a certificate or a key"),
  ]

  private static let beginnings: [(text: String, phrase: String)] = [
    ("-----BEGIN CERTIFICATE", "a certificate"), ("-----BEGIN", "a key or another PEM file"),
    ("<!doctype html", "a web page"), ("<!DOCTYPE html", "a web page"), ("<html", "a web page"),
    ("<svg", "an SVG picture"), ("<?xml", "XML"), ("---\n", "YAML"), ("#!", "a script"),
    ("import Foundation", "Swift source"), ("import SwiftUI", "Swift source"),
    ("import UIKit", "Swift source"), ("// swift-tools-version", "a Swift package manifest"),
  ]

  private static let endings: [(name: String, phrase: String)] = [
    (".swift", "Swift source"), (".yaml", "YAML"), (".yml", "YAML"), (".toml", "TOML"),
    (".md", "Markdown"), (".csv", "a table"),
  ]

  /// By keys that a file of the kind has at its top.
  private static let kinds: [(keys: [String], phrase: String)] = [
    (["applinks"], "an association file"), (["webcredentials"], "an association file"),
    (["appclips"], "an association file"),
    (["compilerOptions"], "a TypeScript configuration"), (["openapi"], "an OpenAPI description"),
    (["swagger"], "an OpenAPI description"), (["log", "creator"], "a HAR archive"),
    (["script", "devices"], "a story for 'linkspan simulate'"),
    (["update", "devices"], "a fleet for 'linkspan forecast'"),
    (["sites", "server"], "a configuration of linkspan"), (["sites"], "a configuration or story of linkspan"),
    (["server"], "a configuration of linkspan"),
    (["apps", "host"], "a configuration for 'linkspan generate'"),
    (["versions", "devices"], "a fleet for 'linkspan forecast'"), (["aps"], "a push payload"),
    (["start_url"], "a web app manifest"), (["name", "dependencies"], "a package manifest"),
    (["name", "devDependencies"], "a package manifest"), (["name", "scripts"], "a package manifest"),
    (["pins"], "a file of the Swift package manager"), (["images", "info"], "an asset catalogue"),
    (["strings"], "a string catalogue"), (["$schema"], "JSON of a schema of its own"),
  ]

  private static func json(_ bytes: [UInt8]) -> String? {
    let document = JSONParser.parse(bytes, dialect: .json5)
    guard let root = document.root else { return nil }
    if root.array != nil { return document.isWellFormed ? "a JSON array" : nil }
    guard let members = root.object, document.isWellFormed || !members.isEmpty else { return nil }
    let keys = Set(members.map { $0.name })
    if let kind = kinds.first(where: { $0.keys.allSatisfy(keys.contains) }) { return kind.phrase }
    return document.isWellFormed ? "JSON of another kind" : nil
  }
}
