package import LinkspanCore
internal import RegistryRequests

extension Registry {
  /// Ends what is left of a campaign that was cancelled, between other changes. Nobody waits for it.
  package func endWaiting(of campaign: Int64, at now: WallTime) {
    change({ store throws(RegistryError) in try store.endWaiting(of: campaign, at: now) }) { result in
      // Where the store fails, the next sender that lives goes on.
      if case .success(true) = result { self.endWaiting(of: campaign, at: now) }
    }
  }
}
