package import LinkspanCore

/// The devices that have an app, and the server that they ask for its association file.
///
/// Shares lie between 0 and 1. A new fleet holds the defaults that ``FleetParameter`` names with their sources.
package struct Fleet: Hashable, Sendable {
  /// Devices with the app when the forecast begins.
  package var devices = 1_000_000
  /// New installations a day, as a share of the devices.
  package var growthPerDay = 0.001
  /// The first second of the forecast.
  package var start = WallTime("2026-03-02T00:00:00Z")!
  package var days = 7
  package var routes = Routes()
  /// Where the devices are; the shares add up to 1.
  package var zones = [Zone(offsetSeconds: 0, share: 1)]
  /// The update that ships; nil for a week without one.
  package var update: Update? = Update()
  package var site = Site()
  package var cdn = CDN()
  package var server = Server()

  package init() {}

  /// Which devices ask the host itself instead of Apple's CDN.
  package struct Routes: Hashable, Sendable {
    package var belowIOS14 = 0.01
    package var developerMode = 0.0
    package var managedMode = 0.0

    /// All devices that ask the host itself.
    package var direct: Double { min(1, belowIOS14 + developerMode + managedMode) }
  }

  /// Devices whose clocks show the same time.
  package struct Zone: Hashable, Sendable {
    /// East of Greenwich is positive.
    package var offsetSeconds: Int
    package var share: Double

    package init(offsetSeconds: Int, share: Double) {
      self.offsetSeconds = offsetSeconds
      self.share = share
    }
  }

  /// An update of the app in the store.
  package struct Update: Hashable, Sendable {
    package var released = WallTime("2026-03-03T12:00:00Z")!
    /// Apple's phased release: 1, 2, 5, 10, 20, 50 and 100 % of the automatic updates, a step a day.
    package var isPhased = false
    /// Devices that update by themselves.
    package var automaticShare = 0.6
    /// Of those that could, how many do so in one night.
    package var nightlyShare = 0.7
    /// The hours of the night, in seconds of the device's own day; the end may lie on the next day.
    package var windowStartSeconds = 0
    package var windowLengthSeconds = 6 * 3600
    /// Of one night's updates, how many fall within the window's first ``burstSeconds``.
    package var burstShare = 0.0047
    package var burstSeconds = 1
    /// How far off the burst's share may be: by this factor, up and down.
    package var burstUncertainty = 2.0
    /// Until half of the people who update by hand have done so.
    package var manualHalfLifeSeconds = 2 * 86_400
    /// Devices that are updated by hand.
    package var manualShare = 0.3

    package init() {}
  }

  /// What else the same server answers.
  package struct Site: Hashable, Sendable {
    package var requestsPerSecond = 50.0
    /// How far the busiest hour lies above the mean, and the quietest below it, as a share.
    package var dailySwing = 0.5
    /// In UTC.
    package var busiestHour = 20
    /// Requests over connections that were open before.
    package var keptShare = 0.8
  }

  /// Apple's CDN as the host sees it.
  package struct CDN: Hashable, Sendable {
    /// Caches that ask the host each for itself.
    package var caches = 60
    package var maxAgeSeconds = 21_600
  }

  package struct Server: Hashable, Sendable {
    package var cores = 1
    /// Processor time of one new TLS connection with one request; nil when nobody measured it.
    package var connectionMilliseconds: Double?
    /// The file and its header.
    package var responseBytes = 4_096
    /// What a full handshake sends besides.
    package var handshakeBytes = 3_500
    /// How long a device waits before it gives up.
    package var patienceSeconds = 5
    /// 99 of 100 connections are to be answered within this time.
    package var targetMilliseconds = 500.0

    /// New connections that it takes a second; nil when its cost isn't known.
    package var capacity: Double? { connectionMilliseconds.map { Double(cores) * 1000 / $0 } }
  }

  /// Seconds of the forecast.
  package var seconds: Int { days * 86_400 }

  /// Devices that ask the host itself.
  package var directDevices: Int { Int((Double(devices) * routes.direct).rounded()) }
}

/// When a device asks again (V2, R1): the same times as the simulator's device keeps.
enum RecheckTimes {
  /// 4.9 to 5.0 days after a success.
  static let success = 423_360..<432_000
  /// 3 h to 3 h 5 min after a failure, eight times.
  static let failure = 10_800..<11_100
  static let tries = 8
  static let meanSuccess = 427_680.0
}
