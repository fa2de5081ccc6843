import LinkspanFiles
import Testing

/// What a file seems to be, in the sentence that refuses it.
@Suite struct ContentGuessTests {
  @Test(
    arguments: [
      ("", "an empty file"), ("%PDF-1.7", "a PDF document"), ("%PDF", "text"),
      ("SQLite format 3\0", "an SQLite database"),
      ("-----BEGIN CERTIFICATE-----", "a certificate"),
      ("-----BEGIN EC PRIVATE KEY-----", "a key or another PEM file"),
      (" \t\r\n<html", "a web page"), ("<!doctype html>", "a web page"), ("<!DOCTYPE html>", "a web page"),
      ("<svg xmlns", "an SVG picture"), ("---\na: 1", "YAML"), ("--- a", "text"), ("#!/bin/sh", "a script"),
      ("import Foundation", "Swift source"), ("import SwiftUI", "Swift source"),
      ("import UIKit", "Swift source"),
      ("import os", "text"), ("// swift-tools-version:6.0", "a Swift package manifest"), ("words", "text"),
      ("[1, 2]", "a JSON array"), ("[1, 2", "text"), ("{}", "JSON of another kind"), ("{", "text"),
      (#"{"a":1"#, "text"), (#"{"applinks":{}"#, "an association file"),
      (#"{"x":1}"#, "JSON of another kind"), (#"{"server":{}}"#, "a configuration of linkspan"),
      (#"{"devices":1,"update":{},"server":{}}"#, "a fleet for 'linkspan forecast'"),
    ] as [(String, String)])
  func saysWhatItBeginsWith(text: String, phrase: String) {
    #expect(ContentGuess.phrase(Array(text.utf8), name: "a.txt") == phrase, "\(text)")
  }

  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a PNG picture"),
      ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
      ([0x50, 0x4B, 0x03, 0x04], "a zip archive"), ([0x1F, 0x8B], "a gzip archive"),
      ([0x30, 0x80], "DER data, such as a certificate or a key"),
      ([0x30, 0x81], "DER data, such as a certificate or a key"),
      ([0x30, 0x82], "DER data, such as a certificate or a key"), ([0x30, 0x83], "text"),
      ([0x61, 0x00], "binary data"), ([0x61, 0x1F], "binary data"), ([0x61, 0x0B], "binary data"),
      ([0x61, 0x09, 0x0A, 0x0C, 0x0D], "text"), ([0x61, 0x20], "text"),
    ] as [([UInt8], String)])
  func saysWhatItsBytesAre(bytes: [UInt8], phrase: String) {
    #expect(ContentGuess.phrase(bytes, name: "a") == phrase)
  }

  /// A control character counts within the first 512 bytes.
  @Test func onlyTheBeginningMakesItBinary() {
    let letters = [UInt8](repeating: 0x61, count: 512)
    #expect(ContentGuess.phrase(letters.dropLast() + [0], name: "a") == "binary data")
    #expect(ContentGuess.phrase(letters + [0], name: "a") == "text")
  }

  @Test(
    arguments: [
      ("a.swift", "Swift source"), ("a.yaml", "YAML"), ("a.yml", "YAML"), ("a.toml", "TOML"),
      ("a.md", "Markdown"),
      ("a.csv", "a table"), ("a.txt", "text"),
    ] as [(String, String)])
  func theNameDecidesWhereTheTextDoesNot(name: String, phrase: String) {
    #expect(ContentGuess.phrase(Array("words".utf8), name: name) == phrase)
  }

  @Test(
    arguments: [
      ("applinks", "an association file"), ("webcredentials", "an association file"),
      ("appclips", "an association file"),
      ("compilerOptions", "a TypeScript configuration"), ("openapi", "an OpenAPI description"),
      ("swagger", "an OpenAPI description"), ("log creator", "a HAR archive"),
      ("log", "JSON of another kind"),
      ("script devices", "a story for 'linkspan simulate'"), ("sites server", "a configuration of linkspan"),
      ("sites", "a configuration or story of linkspan"), ("server", "a configuration of linkspan"),
      ("apps host", "a configuration for 'linkspan generate'"),
      ("versions devices", "a fleet for 'linkspan forecast'"),
      ("aps", "a push payload"), ("start_url", "a web app manifest"),
      ("name dependencies", "a package manifest"),
      ("name devDependencies", "a package manifest"), ("name scripts", "a package manifest"),
      ("name", "JSON of another kind"),
      ("pins", "a file of the Swift package manager"), ("images info", "an asset catalogue"),
      ("strings", "a string catalogue"), ("$schema", "JSON of a schema of its own"),
    ] as [(String, String)])
  func knowsObjectsByTheirKeys(keys: String, phrase: String) {
    let members = keys.split(separator: " ").map { "\"\($0)\":1" }.joined(separator: ",")
    #expect(ContentGuess.phrase(Array("{\(members)}".utf8), name: "a.json") == phrase)
  }

  /// A text of more than a megabyte is not parsed.
  @Test func aLargeTextIsOnlyText() {
    let text = Array(#"{"aps":1}"#.utf8)
    let limit = 1 << 20
    #expect(
      ContentGuess.phrase(text + [UInt8](repeating: 0x20, count: limit - text.count), name: "a")
        == "a push payload")
    #expect(
      ContentGuess.phrase(text + [UInt8](repeating: 0x20, count: limit + 1 - text.count), name: "a") == "text"
    )
  }
}
