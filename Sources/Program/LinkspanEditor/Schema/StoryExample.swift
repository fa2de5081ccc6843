/// Stories that have every key of the format, in every form that it takes: what the schema is learnt from. They are for the
/// reader, and mean nothing.
enum StoryExample {
  static let texts = [parties, links, pushes, continuity, clips]

  private static let start = "start: \"2026-09-14T08:00:00Z\""
  private static let app =
    "shop: { identifier: \"ABCDE12345.com.example.shop\", push: {}, routes: { recipe: \"/recipes/{id:int}\" } }"
  private static let devices = "iphone: { os: \"ios:17.4\" }, ipad: { os: \"ios:17.4\" }"

  private static let fate = """
    { app: "shop", devices: "iphone", fate: "x", reason: "x", shown: true, badge: 1, notification: "a", content: {} }
    """
  private static let handedOff = """
    {
      opens: "browser", because: "none", error: 4608, deliveries: 1, handled: 1, shows: "a", problem: "none",
      devices: "ipad",
    }
    """
  private static let arrived =
    "{ deliveries: 1, handled: 1, shows: \"a\", problem: \"none\", devices: \"iphone\" }"
  private static let shown =
    "{ card: \"a\", snapshot: \"a\", disturbance: \"a\", exposes: true, devices: \"iphone\" }"
  private static let invoked =
    "{ opens: \"order\", receives: \"a\", card: \"a\", shows: \"a\", devices: \"iphone\" }"

  private static let parties = """
    {
      \(start), $schema: "a", seed: 7, authorities: "authority.pem", links: ["https://a.example/a"],
      sites: {
        "a.example": "sites/a.example",
        "b.example": { file: {}, at: "root", status: 200, type: "application/json", location: "https://a.example" },
        "c.example": [{ body: "<html>" }, { hex: "3082" }, { folder: "sites/c.example" }, "sites/d.example"],
      },
      network: {
        "a.example": {
          unresolvable: false, private_address: "10.0.0.5", drops: "crawler", forbids: "crawler", down: false,
          certificate: "expired", latency_ms: 50, regions: ["US"], elsewhere: "forbids",
        },
        "b.example": { latency_ms: [20, 120] },
      },
      switches: {
        cdn_asks_root: true, cdn_follows_redirect: true, cdn_largest_file_bytes: 131072, cdn_positive_life_s: 60,
        cdn_negative_life_s: 60, cdn_crawl_timeout_s: 5, cdn_keeps_old_copy: true, cdn_crawls_anew_for_query: true,
        cdn_crawler_region: "US", device_asks_host_when_told: true, device_keeps_approval_after_refusal: true,
        device_waits_after_boot: true, push_as_observed: true, push_groups_low_priority: true,
      },
      faults: {
        loss: [1, 20], latency_tail: [1, 20], reorder: [1, 20], clock_step: [1, 20], stale_copy: [1, 20],
        partial_answer: [1, 20], crash_before_store: [1, 20], crash_after_store: [1, 20], edge_restart: [1, 20],
        origin_flap: [1, 20], lookup_failure: [1, 20], clock_drift_ppm: 50,
      },
      apps: {
        shop: {
          identifier: "ABCDE12345.com.example.shop", domains: ["applinks:a.example"], build: "x",
          remote_volume: false, browser: false, groups: ["group.com.example.shop"],
          activity_types: ["com.example.viewing"], signed_by: "ABCDE12345", schemes: ["shop"],
          routes: { recipe: "/recipes/{id:int}", draft: { path: "/drafts/{id}", activity: "com.example.drafting" } },
          code: {
            life_cycle: "x", sdk: 26, continues_activities: true, forwarding: "x", queues: true, readiness: "x",
            ignores_repeats: true, routes: true, unroutable: "x", page: "x", cover: "x", presents: true,
          },
          push: {
            environment: "production", modes: ["remote-notification"], notifications: "x", fetch: "minimum",
            handler: { takes: "4s", result: "x", badge: 1, notification: "New" },
            fetch_handler: { takes: "4s", result: "x", badge: 1, notification: "New" },
            service_extension: { takes: "5s", text: "Hello" },
          },
        },
        files: { team: "ABCDE12345", bundle_identifier: "com.example.files", entitlements: ["App.entitlements"] },
      },
      devices: {
        iphone: {
          os: "ios:17.4", count: 2, developer: true, simulator: false, managed: true, region: "JP",
          handoff: {
            account: "anna", user_info_limit_bytes: 4096, on: true, bluetooth: true, near: true,
            unlocked_since_boot: true, restricted: false, low_power: false,
          },
        },
        ipad: {
          os: ["ios:17.4"],
          managed: { direct_downloads: true, domains: { shop: ["applinks:a.example"] } },
        },
      },
    }
    """

  private static let links = """
    {
      \(start), seed: "7", apps: { \(app) }, devices: { \(devices) }, links: ["https://a.example/a"],
      script: [
        { install: "shop", devices: "iphone" }, { update: "shop", devices: "iphone" },
        { reinstall: "shop", devices: "iphone" }, { delete: "shop", devices: "iphone" },
        { launch: "shop", devices: "iphone" }, { wait: "3h" }, { reboot: "iphone" },
        { deploy: { "a.example": "a", "b.example": { file: {}, at: "root", status: 200, type: "a", location: "b" } } },
        { deploy: { "a.example": [{ body: "a" }, { hex: "30" }, { folder: "a" }, "b"] } },
        {
          network: {
            "a.example": {
              unresolvable: false, private_address: "10.0.0.5", drops: "crawler", forbids: "crawler", down: false,
              certificate: "expired", latency_ms: 50, regions: ["US"], elsewhere: "forbids",
            },
            "b.example": { latency_ms: [20, 120] },
          },
        },
        { choose: "browser", host: "a.example", devices: "iphone" },
        { tap: "all", from: "safari", page: "https://a.example/start", devices: "iphone", expect: "browser" },
        { tap: ["https://a.example/b"], from: "own-app", app: "shop", expect: ["browser"] },
        { tap: "all", from: "redirect", through: ["https://b.example/1"], expect: { opens: "browser" } },
        { tap: "all", from: "long-press", choice: "browser" },
        { tap: "all", container: "browser", gesture: "tap" },
        { expect: "browser" },
        { expect: ["browser", { opens: "browser" }] },
        {
          expect: {
            opens: "browser", links: "all", devices: "iphone", rule: "0/1", by: "*.example.com", step: "x",
          },
        },
        {
          tap: "all",
          expect: [
            {
              opens: "browser", links: ["https://a.example/a"], devices: "iphone", rule: "0/1", by: "*.example.com",
              step: "x",
            },
          ],
        },
      ],
    }
    """

  private static let pushes = """
    {
      \(start), apps: { \(app) }, devices: { \(devices) },
      script: [
        {
          push: { aps: {} }, app: "shop", type: "background", priority: 5, expires: "1h", collapse: "a", topic: "a",
          server: "x", devices: "iphone", expect: "x",
        },
        { push: "silent.apns", app: "shop", expires: 0 }, { push: { aps: {} }, app: "shop", expires: 0 },
        { push: { aps: {} }, app: "shop", expect: ["x", \(fate)] },
        {
          push: { aps: { "content-available": 1 } }, app: "shop",
          expect: \(fate),
        },
        {
          app_state: "shop", to: "x", taps_notification: true, notifications: "x", background_refresh: true,
          devices: "iphone", handler: { takes: "4s", result: "x", badge: 1, notification: "New" },
        },
        { device_state: { online: false, power: "x", in_use: true, debugger: false }, devices: "iphone" },
        { expect_push: "x" }, { expect_push: ["x", \(fate)] }, { expect_push: \(fate) },
      ],
    }
    """

  private static let continuity = """
    {
      \(start), apps: { \(app) }, devices: { \(devices) },
      script: [
        {
          handoff: "https://a.example/recipes/42", from: "iphone", to: "ipad", start: "x", trouble: "x", restores: 1,
          updates: 1, expect: "browser",
        },
        {
          handoff: {
            type: "com.example.viewing", webpage_url: "https://a.example", user_info: {}, stream_bytes: 1,
            needs_save: true, eligible: true, expires: "2026-09-14T08:00:00Z",
          },
          app: "shop", from: "iphone", to: "ipad",
          expect: \(handedOff),
        },
        { handoff: "https://a.example/1", from: "iphone", to: "ipad", expect: [{ error: "none" }, "nothing", \(handedOff)] },
        { arrive: "x", app: "shop", devices: "iphone", start: "x", link: "a", expect: "once" },
        { arrive: "universal-link", app: "shop", start: "x", link: "https://a.example/recipes/1", expect: "once" },
        {
          arrive: "universal-link", app: "shop",
          expect: \(arrived),
        },
        { arrive: "universal-link", app: "shop", expect: ["once", \(arrived)] },
        { screen: ["home"], app: "shop", devices: "iphone", expect: "hidden" },
        {
          screen: ["home"], app: "shop",
          expect: \(shown),
        },
        { screen: "home", app: "shop", expect: ["hidden", \(shown)] },
      ],
    }
    """

  private static let card = """
    subtitle: "x", action: "OPEN", image: "a.png", languages: { DE: { title: "x", subtitle: "x" } }
    """

  private static let clips = """
    {
      \(start), apps: { \(app) }, devices: { \(devices) },
      clips: {
        order: {
          app: "shop", identifier: "ABCDE12345.com.example.shop.Clip", domains: ["appclips:a.example"],
          groups: ["group.com.example.shop"],
          experiences: {
            app: { bundle_id: "com.example.shop", name: "x", store_id: 1 },
            clip: {
              bundle_id: "com.example.shop.Clip", minimum_os: "16.4", released: true, domains: ["a.example"],
            },
            default: { \(card), website: "https://a.example" }, demo: { url: "https://a.example" },
            advanced: [
              "https://a.example",
              {
                url: "https://a.example", title: "x", \(card), category: "PARKING", powered_by: true,
                default_language: "DE",
              },
            ],
            local: ["https://a.example", { url: "https://a.example", title: "x", \(card), bundle_id: "a.b" }],
            testflight: ["https://a.example", { url: "https://a.example", title: "x" }],
          },
          routes: { recipe: "/recipes/{id:int}", draft: { path: "/drafts/{id}", activity: "com.example.drafting" } },
          code: {
            life_cycle: "x", sdk: 26, continues_activities: true, forwarding: "x", queues: true, readiness: "x",
            ignores_repeats: true, routes: true, unroutable: "x", page: "x", cover: "x", presents: true,
          },
        },
        files: { app: "shop", entitlements: "Shop.ipa", experiences: "experiences.json5" },
        demo: {
          app: "shop", identifier: "ABCDE12345.com.example.shop.Demo",
          experiences: { app: { store_id: "1" }, demo: "https://a.example" },
        },
      },
      script: [
        {
          invoke: "order", url: "https://a.example", from: "qr", start: "x", devices: "iphone",
          expect: \(invoked),
        },
        { invoke: "order", url: "https://a.example", expect: "order" },
        { invoke: "order", url: "https://a.example", expect: ["order", \(invoked)] },
        { save: "basket", by: "order", in: "group.com.example.shop", devices: "iphone" },
        { read: "basket", by: "order", in: "group.com.example.shop", devices: "iphone", expect: "x" },
        { remove_clip: "order", devices: "iphone" },
      ],
    }
    """
}
