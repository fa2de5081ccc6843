package import LinkspanCore
internal import RegistryRequests

extension Registry {
  /// Settles what is left of a campaign that was cancelled or goes on, between other changes. Nobody waits for it.
  package func settleWaiting(of campaign: Int64, at now: WallTime) {
    change({ store throws(RegistryError) in try store.settleWaiting(of: campaign, at: now) }) { result in
      // Where the store fails, the next sender that lives goes on.
      if case .success(true) = result { self.settleWaiting(of: campaign, at: now) }
    }
  }
}
