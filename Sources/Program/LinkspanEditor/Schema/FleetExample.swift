/// Fleets that have every key of the format, in every form that it takes: what the schema is learnt from.
enum FleetExample {
  static let texts = [
    """
    {
      $schema: "a", devices: 1000000, growth_per_day: 0.001, start: "2026-03-02T00:00:00Z", days: 7,
      routes: { below_ios_14: 0.01, developer_mode: 0, managed_mode: 0 },
      zones: [{ utc_offset: "+00:00", share: 1 }],
      update: {
        released: "2026-03-03T12:00:00Z", phased: false, automatic_share: 0.6, nightly_share: 0.7,
        window: { from: "00:00", hours: 6 }, burst_share: 0.0047, burst_s: 1, burst_uncertainty: 2,
        manual_share: 0.3, manual_half_life_days: 2,
      },
      site: { requests_per_s: 50, daily_swing: 0.5, busiest_hour: 20, kept_share: 0.8 },
      cdn: { caches: 60, max_age_s: 21600 },
      server: {
        cores: 2, connection_ms: 0.3, response_bytes: 2000, handshake_bytes: 3000, patience_s: 10, target_p99_ms: 100,
      },
    }
    """,
    "{ update: null, server: { connection_ms: null } }",
  ]
}
