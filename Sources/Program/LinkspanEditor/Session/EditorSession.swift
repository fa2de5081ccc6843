package import AppSiteAssociation
package import LinkspanCore

/// One editor's conversation by the Language Server Protocol: messages in, messages and work out. It reads no file and
/// starts nothing, so tests feed it messages.
///
/// - Source: Language Server Protocol 3.17.
package struct EditorSession: Sendable {
  /// What the caller does next.
  package enum Step: Sendable {
    case send(JSON)
    /// Have a thread answer the question, and report it with ``finished(_:)``; one at a time.
    case start(EditorQuestion)
    /// Nobody waits for the running question any more; its answer is not reported.
    case stop
    /// End with this status.
    case exit(Int32)
  }

  private enum Phase {
    case new, ready, shutDown
  }

  /// Ours: values of one message; an editor's change of a large file has a few thousand.
  private static let valueLimit = 200_000
  /// Ours: open documents.
  static let documentLimit = 1_000
  /// Ours: the bytes of one document; larger ones are let go.
  static let textLimitBytes = 8 << 20
  /// Ours: questions that wait.
  static let waitingLimit = 1_000
  /// Ours: larger documents are told about their syntax first.
  static let quickLimitBytes = 32 << 10

  private let serverVersion: String
  private var phase = Phase.new
  private(set) var documents: [String: EditorDocument] = [:]
  /// What is known of the documents' present texts.
  private var analyses: [String: (number: Int, analysis: DocumentAnalysis)] = [:]
  /// The findings about syntax that were published last.
  private var publishedSyntax: [String: [Finding]] = [:]
  private var waiting: [EditorQuestion] = []
  private var running: EditorQuestion?
  private var numbers = 0
  private var samples: [String] = []
  /// Those that ``init(serverVersion:releases:)`` was given, and those that the findings are about; nil for those of `check`.
  private let standardReleases: ReleaseSet?
  private var releases: ReleaseSet?
  /// What is wrong with the settings, until the client hears it.
  private var settingsProblem: String?
  /// Whether the client asks anew for the lines above rules when it is told to.
  private var refreshesLenses = false

  /// - Parameters:
  ///   - serverVersion: The program's version, for `serverInfo`.
  ///   - releases: Those that findings are about until the client's settings say others; nil for those of `check`.
  package init(serverVersion: String, releases: ReleaseSet? = nil) {
    self.serverVersion = serverVersion
    standardReleases = releases
    self.releases = releases
  }

  /// The status to end with when the input ends without `exit`.
  package var statusAtEnd: Int32 { phase == .shutDown ? 0 : 1 }

  /// Whether a question runs or waits.
  package var isBusy: Bool { running != nil || !waiting.isEmpty }

  /// Takes the content of a message, or the reason why there is none.
  package mutating func take(_ frame: MessageFrames.Frame) -> [Step] {
    switch frame {
    case .broken(let reason): return [.send(RPCError(.parse, reason).answer(to: .null))]
    case .message(let bytes):
      let (messages, _) = RPCMessage.read(
        bytes, unit: "message", takesBatches: false, values: Self.valueLimit)
      return messages.flatMap { take($0) }
    }
  }

  /// Begins with what waits; called when no message is left to take, so that a change that is followed by another one
  /// costs nothing.
  package mutating func idle() -> [Step] {
    guard running == nil, !waiting.isEmpty else { return [] }
    let place = waiting.firstIndex { $0.request != nil } ?? 0
    var question = waiting.remove(at: place)
    if let known = analyses[question.document.uri], known.number == question.document.number {
      question.analysis = known.analysis
    }
    running = question
    return [.start(question)]
  }

  /// The running question is answered.
  package mutating func finished(_ answer: EditorAnswer) -> [Step] {
    guard let question = running else { return [] }
    running = nil
    let uri = question.document.uri
    let isCurrent = documents[uri]?.number == question.document.number
    if isCurrent, let analysis = answer.analysis { analyses[uri] = (question.document.number, analysis) }
    if let request = question.request { return [.send(answer.result.answer(to: request))] }
    guard isCurrent else { return [] }
    if let syntax = answer.syntax {
      // When nothing changed there, the diagnostics that follow say all.
      guard syntax != publishedSyntax[uri] ?? [] else { return [] }
      publishedSyntax[uri] = syntax
      return [publish(Diagnostics.json(syntax, in: question.document), of: question.document)]
    }
    publishedSyntax[uri] = (answer.analysis?.findings ?? []).filter { $0.rule.hasPrefix("json.") }
    return [publish(answer.result, of: question.document)]
  }

  // MARK: - Messages

  private mutating func take(_ message: RPCMessage) -> [Step] {
    switch message {
    case .answer: return []
    case .invalid(let id, let error): return [.send(error.answer(to: id))]
    case .notification(let method, let parameters):
      if method == "exit" { return [.exit(statusAtEnd)] }
      return phase == .ready ? hear(method, parameters) : []
    case .request(let id, let method, let parameters):
      do throws(RPCError) {
        guard let result = try answer(id, method, parameters) else { return [] }
        return [.send(result.answer(to: id))]
      } catch {
        return [.send(error.answer(to: id))]
      }
    }
  }

  /// - Returns: nil where the answer comes later.
  private mutating func answer(
    _ id: JSON, _ method: String, _ parameters: JSONNode?
  ) throws(RPCError) -> JSON? {
    switch (phase, method) {
    case (.new, "initialize"): return initialize(parameters)
    case (.new, _):
      throw RPCError(.notInitialized, "Send 'initialize' before '\(method.shortenedForMessage)'.")
    case (.ready, "initialize"): throw RPCError(.invalidRequest, "The server is initialized already.")
    case (.ready, "shutdown"):
      phase = .shutDown
      return .null
    case (.ready, _): break
    case (.shutDown, _): throw RPCError(.invalidRequest, "The server is shut down; send 'exit'.")
    }
    let ask = try EditorRequest.ask(method, parameters)
    let document = try document(EditorRequest.uri(method, parameters))
    if case .pulledDiagnostics = ask,
      parameters?["previousResultId"]?.string == String(document.number)
    {
      return .object([("kind", .string("unchanged")), ("resultId", .string(String(document.number)))])
    }
    guard waiting.count < Self.waitingLimit else {
      throw RPCError(.internalFailure, "\(Self.waitingLimit) requests are waiting already. Ask again later.")
    }
    waiting.append(
      EditorQuestion(
        ask: ask, document: document, request: id, samples: samples, releases: releases, analysis: nil))
    return nil
  }

  private func document(_ uri: String?) throws(RPCError) -> EditorDocument {
    guard let uri else { throw RPCError(.invalidParameters, "'textDocument.uri' is missing.") }
    guard let document = documents[uri] else {
      throw RPCError(.invalidParameters, "The document '\(uri.shortenedForMessage)' is not open.")
    }
    return document
  }

  private mutating func initialize(_ parameters: JSONNode?) -> JSON {
    phase = .ready
    take(settings: parameters?["initializationOptions"])
    let workspace = parameters?["capabilities"]?["workspace"]
    refreshesLenses = workspace?["codeLens"]?["refreshSupport"]?.bool == true
    return EditorCapabilities.json(client: parameters?["capabilities"], version: serverVersion)
  }

  /// `{"sampleUrls": […], "releases": "ios:15..26"}`, also below the name that editors have it under. What is not named stays;
  /// null names none.
  private mutating func take(settings: JSONNode?) {
    let settings = settings?["linkspan"] ?? settings
    switch settings?["sampleUrls"]?.value {
    case .array(let list): samples = Array(list.compactMap { $0.string }.prefix(EditorFiles.sampleLimit))
    case .null: samples = []
    default: break
    }
    guard let node = settings?["releases"] else { return }
    settingsProblem = nil
    let texts = node.string.map { [$0] } ?? (node.array ?? []).compactMap { $0.string }
    guard !texts.allSatisfy({ $0.isEmpty }) else {
      releases = standardReleases
      return
    }
    do throws(OSVersionError) {
      releases = try ReleaseSet(texts)
    } catch {
      settingsProblem = "The setting 'releases' is not read: \(error.description)"
    }
  }

  /// The settings changed, or are there for the first time.
  private mutating func settingsChanged(from before: ReleaseSet?) -> [Step] {
    let told = settingsProblem.map { [Self.log($0)] } ?? []
    settingsProblem = nil
    return releases == before ? told : told + recheck { $0 == .site }
  }

  // MARK: - Notifications

  private mutating func hear(_ method: String, _ parameters: JSONNode?) -> [Step] {
    let document = parameters?["textDocument"]
    let uri = document?["uri"]?.string
    switch method {
    case "textDocument/didOpen":
      guard let uri, let text = document?["text"]?.string else {
        return [Self.log("didOpen has no 'textDocument' with 'uri' and 'text'.")]
      }
      return open(
        uri, language: document?["languageId"]?.string ?? "", version: document?["version"]?.int, text)
    case "textDocument/didChange":
      guard let uri, let changes = parameters?["contentChanges"]?.array else {
        return [Self.log("didChange has no 'textDocument.uri' and 'contentChanges'.")]
      }
      return change(uri, version: document?["version"]?.int, changes)
    case "textDocument/didClose": return uri.map { close($0) } ?? []
    case "textDocument/didSave": return refreshStories()
    // One of the files may be a list of URLs.
    case "workspace/didChangeWatchedFiles": return refreshStories() + refreshLenses()
    case "workspace/didChangeConfiguration":
      let before = (samples, releases)
      take(settings: parameters?["settings"])
      return settingsChanged(from: before.1) + (samples == before.0 ? [] : refreshLenses())
    case "initialized": return settingsChanged(from: releases)
    case "$/cancelRequest": return cancel(parameters?["id"])
    default: return []
    }
  }

  private mutating func nextNumber() -> Int {
    numbers += 1
    return numbers
  }

  private mutating func open(_ uri: String, language: String, version: Int?, _ text: String) -> [Step] {
    guard documents[uri] != nil || documents.count < Self.documentLimit else {
      return [Self.log("\(Self.documentLimit) documents are open already; close one.")]
    }
    guard text.utf8.count <= Self.textLimitBytes else { return [Self.log(Self.tooLarge(uri))] }
    let document = EditorDocument(
      uri: uri, language: language, version: version, text: DocumentText(text), number: nextNumber())
    documents[uri] = document
    return check(document)
  }

  private mutating func change(_ uri: String, version: Int?, _ changes: [JSONNode]) -> [Step] {
    guard var document = documents[uri] else {
      return [Self.log("The document '\(uri.shortenedForMessage)' is not open, so it cannot change.")]
    }
    var text = EditedText(document.text.bytes)
    for change in changes {
      guard let new = change["text"]?.string else { return [Self.log("A change has no 'text'.")] }
      switch (change["range"]?.value, TextSpan(change["range"])) {
      // Null, as some clients write what is not there.
      case (nil, _), (.null, _): text = EditedText(Array(new.utf8))
      case (_, let span?): text.replace(span, by: new)
      case (_, nil): return [Self.log("A change has a 'range' without two positions.")]
      }
    }
    guard text.byteCount <= Self.textLimitBytes else {
      return close(uri) + [Self.log(Self.tooLarge(uri))]
    }
    document.change(
      to: DocumentText(text.bytes), version: version ?? document.version, number: nextNumber())
    documents[uri] = document
    return check(document)
  }

  private static func tooLarge(_ uri: String) -> String {
    "The document '\(uri.shortenedForMessage)' has more than \(textLimitBytes) bytes, and is let go."
  }

  private mutating func close(_ uri: String) -> [Step] {
    guard let document = documents.removeValue(forKey: uri) else { return [] }
    analyses[uri] = nil
    publishedSyntax[uri] = nil
    return forget(uri) + [publish(.array([]), of: document)]
  }

  /// Stories name files that somebody may have changed.
  private mutating func refreshStories() -> [Step] { recheck { $0 == .story } }

  private mutating func recheck(_ isConcerned: (DocumentKind?) -> Bool) -> [Step] {
    let concerned = documents.values.filter { isConcerned($0.kind) }.sorted { $0.uri < $1.uri }
    return concerned.flatMap { known in
      var document = known
      document.number = nextNumber()
      documents[document.uri] = document
      return check(document)
    }
  }

  /// A client keeps the lines above rules as long as a document stays as it is.
  private mutating func refreshLenses() -> [Step] {
    guard refreshesLenses else { return [] }
    let request: [(String, JSON)] = [
      ("jsonrpc", .string("2.0")), ("id", .string("lenses-\(nextNumber())")),
      ("method", .string("workspace/codeLens/refresh")),
    ]
    return [.send(.object(request))]
  }

  // MARK: - Questions

  /// Has a new text checked, and the check of an older one end.
  private mutating func check(_ document: EditorDocument) -> [Step] {
    let steps = forget(document.uri)
    let asks: [EditorQuestion.Ask] =
      document.kind == .site && document.text.bytes.count > Self.quickLimitBytes
      ? [.syntax, .diagnostics] : [.diagnostics]
    waiting += asks.map {
      EditorQuestion(
        ask: $0, document: document, request: nil, samples: [], releases: releases, analysis: nil)
    }
    return steps
  }

  /// Drops the notifications that are on their way about a document; requests are answered.
  private mutating func forget(_ uri: String) -> [Step] {
    waiting.removeAll { $0.request == nil && $0.document.uri == uri }
    guard let question = running, question.request == nil, question.document.uri == uri else { return [] }
    running = nil
    return [.stop]
  }

  private mutating func cancel(_ request: JSONNode?) -> [Step] {
    guard let id = request?.json.text else { return [] }
    let cancelled = RPCError(.cancelled, "The request was cancelled.")
    if let question = running, let own = question.request, own.text == id {
      running = nil
      return [.stop, .send(cancelled.answer(to: own))]
    }
    guard let place = waiting.firstIndex(where: { $0.request?.text == id }),
      let own = waiting.remove(at: place).request
    else { return [] }
    return [.send(cancelled.answer(to: own))]
  }

  // MARK: - Sending

  private func publish(_ diagnostics: JSON, of document: EditorDocument) -> Step {
    var members: [(String, JSON)] = [("uri", .string(document.uri))]
    if let version = document.version { members.append(("version", .int(version))) }
    members.append(("diagnostics", diagnostics))
    return Self.notify("textDocument/publishDiagnostics", .object(members))
  }

  /// What is said of a notification that cannot be understood, which has no answer.
  private static func log(_ message: String) -> Step {
    // Type 2 is a warning.
    notify("window/logMessage", .object([("type", .int(2)), ("message", .string(message))]))
  }

  private static func notify(_ method: String, _ parameters: JSON) -> Step {
    .send(.object([("jsonrpc", .string("2.0")), ("method", .string(method)), ("params", parameters)]))
  }
}
