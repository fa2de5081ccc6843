internal import LinkspanCore
internal import RegistryServer

extension LinkspanError {
  /// For a client of the API.
  var siteFailure: RegistryAPI.SiteFailure {
    switch kind {
    case .unavailable: .unavailable
    case .uncertain: .uncertain
    case .usage, .failure: .refused(text)
    }
  }
}
