package import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// The registry's tables over one connection. Every statement is one that both databases understand; the few words they
/// spell differently come from ``SQLDialect``.
///
/// It belongs to one thread at a time; ``Registry`` sees to that.
package final class RegistryStore {
  let database: any SQLDatabase
  /// What stands for tokens and aliases; ``loadHash()`` sets its key.
  package internal(set) var hash = KeyedHash(key: [])
  /// Options of campaigns that were read, which never change; nil for campaigns without.
  var knownOptions: [Int64: CampaignDetails?] = [:]

  /// What was not understood of campaigns that were read; empty for all others, which are remembered, too.
  var knownUnread: [Int64: [String]] = [:]
  /// Campaigns that were paused since a sender asked last.
  var misunderstood: [MisunderstoodCampaign] = []

  /// Days whose partitions are known to be there; none after a transaction that came to nothing.
  var daysWithParts: Set<Int64> = []

  typealias IdentifierChance = (high: SeededGenerator, low: SeededGenerator)
  /// What identifiers of deliveries are drawn from; nil before the first.
  var identifierChance: IdentifierChance?

  /// Senders of this process, which get what is stored; nil where this store hands over nothing.
  var desks: SenderDesks?
  /// What they get when the transaction is durable.
  var handover = Handover()

  init(_ database: any SQLDatabase) { self.database = database }

  /// Does something in one transaction, or nothing at all.
  func transaction<Answer>(
    _ body: () throws(RegistryError) -> Answer
  ) throws(RegistryError) -> Answer {
    try database.begin()
    do throws(RegistryError) {
      let answer = try body()
      try database.commit()
      handover.commit()
      return answer
    } catch {
      rollBack()
      handover.rollBack(isUncertain: error.kind == .uncertain)
      throw error
    }
  }

  private func rollBack() {
    // The identifiers of messages that are not there any more will be others'.
    knownOptions = [:]
    knownUnread = [:]
    misunderstood = []
    daysWithParts = []
    do throws(RegistryError) {
      try database.rollBack()
    } catch {
      // The database has rolled back by itself, or the connection is gone and its transaction with it.
    }
  }
}
