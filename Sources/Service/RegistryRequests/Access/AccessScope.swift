/// What a credential allows.
package enum AccessScope: String, Hashable, Sendable, CaseIterable {
  case readDevices = "devices:read"
  case writeDevices = "devices:write"
  case readNotifications = "notifications:read"
  case writeNotifications = "notifications:write"
  case readCampaigns = "campaigns:read"
  case writeCampaigns = "campaigns:write"
  /// Publish the files of the hosts that the credential names.
  case writeSites = "sites:write"
}
