package import LinkspanCore

/// Somebody asked for a file, and what came of it.
package struct AskedQuestion: Happening {
  package var exchange: Exchange

  package var kind: String { "ask" }

  package var fields: [(String, JSON)] {
    [
      ("url", .string(exchange.url)), ("answer", .string(exchange.result.traceWords)),
      ("why", .string(exchange.cause.reason)), ("connection", .string(exchange.connection)),
      ("took_ms", .int(Int(exchange.time.wholeMilliseconds))),
    ]
  }
}
