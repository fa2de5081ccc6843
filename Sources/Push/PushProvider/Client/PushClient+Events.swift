package import LinkspanCore

extension PushClient {
  /// A push that was handed over, by the order in which pushes were.
  package typealias Ticket = Int

  /// What the transport tells the client. Every ``Action/send(_:on:_:)`` is followed by exactly one ``answered(_:_:)`` or
  /// ``failed(_:_:)`` for its ticket, unless its connection is reported ``closed(_:reason:)``, which stands for the failure of
  /// all that is under way on it. A transport that knows the fate of each request tells ``goingAway(_:)`` instead.
  package enum Event: Sendable {
    /// The peer's SETTINGS allow that many streams on a connection.
    case streamLimit(Int, on: Int)
    case answered(Ticket, HTTPResponse)
    case failed(Ticket, Failure)
    /// The peer takes no new request on a connection (GOAWAY); what is under way there goes on.
    case goingAway(Int)
    case closed(Int, reason: String)
  }

  /// What the transport does for the client. A connection is a number; numbers are not used twice.
  package enum Action: Sendable {
    case open(Int)
    /// Nothing is under way on it any more.
    case close(Int)
    /// Asks whether an idle connection still lives.
    case ping(Int)
    case send(Ticket, on: Int, HTTPRequest)
    case finished(Ticket, PushResult)
    /// Nothing for the transport: whether APNs takes pushes has changed.
    case health(PushHealth.Change)
  }

  /// Why an attempt has no answer.
  package struct Failure: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// No connection came about.
      case cannotConnect
      /// The server's certificate is refused, so that no attempt can help before a person mends that.
      case certificateRefused
      /// The peer has certainly not acted upon the request: a refused stream, or one above GOAWAY's last.
      case notProcessed
      /// The request cannot be written, so no attempt can help before a person mends what it is made of.
      case unusable
      /// The request was sent and its answer never came, so APNs may have accepted the push.
      case lost
    }

    package var kind: Kind
    package var reason: String

    package init(_ kind: Kind, _ reason: String) {
      self.kind = kind
      self.reason = reason
    }
  }
}
