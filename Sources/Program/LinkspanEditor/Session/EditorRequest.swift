internal import LinkspanCore

/// The requests about a document, read from messages.
enum EditorRequest {
  static func ask(_ method: String, _ parameters: JSONNode?) throws(RPCError) -> EditorQuestion.Ask {
    switch method {
    case "textDocument/diagnostic": return .pulledDiagnostics
    case "textDocument/codeLens": return .lenses
    case "textDocument/hover": return .hover(try place(parameters))
    case "textDocument/completion": return .completion(try place(parameters))
    case "textDocument/definition": return .definition(try place(parameters))
    case "textDocument/codeAction":
      guard let span = TextSpan(parameters?["range"]) else {
        throw RPCError(.invalidParameters, "'range' is missing, or has no two positions.")
      }
      let only = parameters?["context"]?["only"]?.array
      return .actions(span, only: only.map { $0.compactMap { $0.string } })
    case "codeAction/resolve":
      guard let title = parameters?["title"]?.string, parameters?["kind"]?.string == QuickFixes.fixAll else {
        throw RPCError(.invalidParameters, "Only an action of the kind '\(QuickFixes.fixAll)' is resolved.")
      }
      return .allFixed(title: title)
    default: throw RPCError(.noSuchMethod, "There is no method '\(method.shortenedForMessage)'.")
    }
  }

  /// The document that a request is about.
  static func uri(_ method: String, _ parameters: JSONNode?) -> String? {
    method == "codeAction/resolve"
      ? parameters?["data"]?["uri"]?.string : parameters?["textDocument"]?["uri"]?.string
  }

  private static func place(_ parameters: JSONNode?) throws(RPCError) -> TextPlace {
    guard let place = TextPlace(parameters?["position"]) else {
      throw RPCError(.invalidParameters, "'position' is missing, or has no 'line' and 'character' from 0.")
    }
    return place
  }
}

/// What the server says it can do.
enum EditorCapabilities {
  static func json(client: JSONNode?, version: String) -> JSON {
    let documents = client?["textDocument"]
    // A client that takes both would show each finding twice.
    let hasBoth = documents?["publishDiagnostics"] != nil && documents?["diagnostic"] != nil
    let pulled: [(String, JSON)] = [
      (
        "diagnosticProvider",
        .object([
          ("identifier", .string(Diagnostics.source)), ("interFileDependencies", .bool(false)),
          ("workspaceDiagnostics", .bool(false)),
        ])
      )
    ]
    let capabilities: [(String, JSON)] = [
      ("positionEncoding", .string("utf-16")),
      (
        "textDocumentSync",
        // 2 is incremental.
        .object([("openClose", .bool(true)), ("change", .int(2)), ("save", .bool(true))])
      ),
      ("hoverProvider", .bool(true)),
      (
        "completionProvider",
        .object([
          ("triggerCharacters", .array(["\"", "(", ":", "?"].map(JSON.string))),
          ("resolveProvider", .bool(false)),
        ])
      ),
      (
        "codeActionProvider",
        .object([
          ("codeActionKinds", .array(["quickfix", QuickFixes.fixAll].map(JSON.string))),
          ("resolveProvider", .bool(true)),
        ])
      ),
      ("codeLensProvider", .object([("resolveProvider", .bool(false))])),
      ("definitionProvider", .bool(true)),
    ]
    return .object([
      ("capabilities", .object(capabilities + (hasBoth ? [] : pulled))),
      (
        "serverInfo",
        .object([("name", .string("linkspan")), ("version", .string(version))])
      ),
    ])
  }
}
