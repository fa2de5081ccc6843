package import LinkspanCore

/// A table of verdicts, to be shown as text, as JSON or as a picture.
package struct Matrix: Hashable, Sendable {
  /// How a verdict is to be taken.
  package enum Tone: String, Hashable, Sendable {
    case good
    case bad
    case neutral
    case unknown
  }

  package struct Cell: Hashable, Sendable {
    /// One verdict or several, each on a line of its own in a picture.
    package var lines: [String]
    package var tone: Tone
    package var certainty: Certainty
    /// Every field of it, for programs.
    var members: JSONMembers

    init(_ lines: [String], _ tone: Tone, _ certainty: Certainty, _ members: [(String, JSON)]) {
      self.lines = lines
      self.tone = tone
      self.certainty = certainty
      self.members = JSONMembers(members)
    }

    /// On one line, with the mark of its certainty where it is not documented.
    package var text: String { lines.joined(separator: ", ") + certainty.mark }
  }

  package struct Row: Hashable, Sendable {
    package var title: String
    package var cells: [Cell]
  }

  package var name: String
  package var title: String
  package var columns: [String]
  package var rows: [Row]
  /// Sentences under the table.
  package var notes: [String]

  /// `{"type":"matrix","matrix":NAME,"cells":[…]}`, a cell an object with the two names it stands under.
  package var json: JSON { .object(members) }

  /// Those of ``json``.
  package var members: [(String, JSON)] {
    [
      ("type", .string("matrix")), ("matrix", .string(name)),
      (
        "cells",
        .array(
          rows.flatMap { row in row.cells }.map { .object($0.members.list) })
      ), ("notes", .array(notes.map(JSON.string))),
    ]
  }
}

/// Members of an object that count as equal when they are written the same.
struct JSONMembers: Hashable, Sendable {
  let list: [(String, JSON)]

  init(_ list: [(String, JSON)]) { self.list = list }

  static func == (left: Self, right: Self) -> Bool {
    JSON.object(left.list).bytes == JSON.object(right.list).bytes
  }

  func hash(into hasher: inout Hasher) { hasher.combine(JSON.object(list).bytes) }
}

extension Certainty {
  /// Behind a verdict: nothing for what is documented.
  var mark: String {
    switch self {
    case .documented: ""
    case .observed: " (o)"
    case .inferred: " (i)"
    case .disputed: " (d)"
    case .open: " (?)"
    }
  }
}
