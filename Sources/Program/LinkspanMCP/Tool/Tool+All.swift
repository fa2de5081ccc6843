extension Tool {
  /// Every tool, in the order of `tools/list`.
  package static let all: [Tool] = [
    check, match, explain, diff, coverage, clipSize, pushLint, simulate,
  ]

  private static let files =
    "Paths are relative to the folders that the server may read, or absolute below them."

  private static let host = ToolParameter("host", .text, "--host", "The host of files named one by one")

  private static let releases = ToolParameter(
    "os", .text, "--os", list: 0...16, "Releases such as ios:17.4; without it the newest behaviour counts")

  /// - Parameter oldest: The first release that counts without it.
  private static func ranges(from oldest: String) -> ToolParameter {
    ToolParameter(
      "os", .text, "--os", list: 0...16,
      "Releases or ranges such as ios:17.4 or ios:15..26; without it from \(oldest) to the newest")
  }

  private static let apps = ToolParameter(
    "app", .pathOrIdentifier, "--app", list: 0...16,
    "Files about apps (.ipa, .app, entitlements, Info.plist, provisioning profile, Expo's app.json), or application "
      + "identifiers such as ABCDE12345.com.example.app")

  private static let check = Tool(
    "check", command: ["check"], title: "Check association files",
    summary:
      "Checks association files, assetlinks.json files, site folders and apps, alone and together. Lists each "
      + "finding with its rule, line, column, message and help. Asks no host. " + files,
    answer: ["findings": "array", "summary": "object", "not_checked": "array", "diagnosis": "array"],
    [
      ToolParameter(
        "site", .path, nil, list: 1...16, required: true,
        "Association files, or folders laid out HOST/.well-known/apple-app-site-association"),
      apps, host, ranges(from: "the app's minimum, or else iOS 15,"),
    ])

  private static let match = Tool(
    "match", command: ["match"], title: "Match URLs",
    summary:
      "Decides for each URL whether the rules of an association file let it open each app, by which rule, and "
      + "why not. " + files,
    answer: ["url": "string", "decision": "string", "reason": "string", "certainty": "string"],
    [
      ToolParameter(
        "urls", .text, nil, list: 1...500, required: true, "Whole URLs: https://example.com/path"),
      ToolParameter("file", .path, "--file", required: true, "The association file"),
      apps, host, releases,
      ToolParameter(
        "written_in", .choice(["page", "code"]), "--written-in",
        "Where the URLs are written: page (browsers encode them), or code of an app (NSURL)"),
    ])

  private static let explain = Tool(
    "explain", command: ["explain"], title: "Explain a link",
    summary:
      "Follows one link on a simulated device, step by step from finger to screen, and names the smallest "
      + "changes that would alter the outcome. Needs 'site' (with 'app', if need be) or 'story'. Asks no host. "
      + files, needs: ["site", "story"],
    answer: [
      "url": "string", "opens": "string", "certainty": "string", "steps": "array", "changes": "array",
    ],
    [
      ToolParameter("url", .text, nil, required: true, "The link: https://example.com/path"),
      ToolParameter(
        "site", .path, "--site", list: 1...16,
        "Association files, or folders laid out HOST/.well-known/apple-app-site-association"),
      apps, host,
      ToolParameter("claims", .text, "--claims", list: 0...32, "Entries such as applinks:example.com"),
      ToolParameter(
        "build", .choice(["app-store", "test-flight", "ad-hoc", "development", "developer-id"]), "--build",
        "How the apps were signed"),
      ToolParameter("os", .text, "--os", "The device's release, such as ios:17.4"),
      ToolParameter(
        "developer", .flag, "--developer", "The device has developer mode for associated domains on"),
      ToolParameter("managed", .flag, "--managed", "The device is managed, with direct downloads allowed"),
      ToolParameter("from", .text, "--from", "How the link is followed: messages, safari, typed, qr, …"),
      ToolParameter(
        "container", .text, "--container",
        "Instead of 'from', where the link is: browser, mail, webview, safari-view-controller, other-app, …"),
      ToolParameter(
        "gesture", .text, "--gesture", "With container: what moves the link: tap, load, type, script, open, …"
      ),
      ToolParameter(
        "page", .text, "--page", "With from=safari or a tap in container=browser: the URL of the page"),
      ToolParameter(
        "through", .text, "--through", list: 0...8,
        "With from=redirect or container: the links that redirect, the tapped one first"),
      ToolParameter("expect", .choice(["app", "browser"]), "--expect", "What should open"),
      ToolParameter("story", .path, "--story", "A story to explain the link in"),
      ToolParameter("device", .text, "--device", "With story: the device"),
      ToolParameter("at", .text, "--at", "With story: after so many steps, or 'end'"),
    ])

  private static let diff = Tool(
    "diff", command: ["diff"], title: "Compare association files",
    summary:
      "Compares two association files by meaning and shows each change with a URL and both decisions. Asks no "
      + "host. " + files,
    answer: ["changes": "array", "decided": "boolean", "not_decided": "array", "truncated": "boolean"],
    [
      ToolParameter("old", .path, nil, required: true, "The file before"),
      ToolParameter("new", .path, nil, required: true, "The file after"),
      host,
      ToolParameter("app", .text, "--app", list: 0...16, "Only these application identifiers"),
      ranges(from: "iOS 15"),
      ToolParameter("limit", .integer(1...1_000), "--limit", "Show at most so many changes (200)"),
    ])

  private static let coverage = Tool(
    "coverage", command: ["coverage"], title: "Count URLs by rule",
    summary:
      "Counts which rules of an association file the URLs of sitemaps, access logs or lists reach, and compares "
      + "the file with the routes of the app. Needs 'urls', 'routes' or both. " + files,
    needs: ["urls", "routes"],
    answer: ["hits": "integer", "unread_lines": "integer", "file_fetches": "integer", "rules": "array"],
    [
      ToolParameter("file", .path, "--file", required: true, "The association file"),
      ToolParameter("urls", .path, "--urls", list: 1...16, "Sitemaps, access logs or lists of URLs"),
      host,
      ToolParameter("os", .text, "--os", "A release, such as ios:17.4"),
      ToolParameter("routes", .path, "--routes", "The routes of the app's router, a JSON list"),
      ToolParameter("app", .text, "--app", list: 0...16, "With routes: the applications that have them"),
    ])

  private static let clipSize = Tool(
    "clip_size", command: ["clip", "size"], title: "Measure an App Clip",
    summary:
      "Compares each variant of an App Clip with Apple's size limit, and says what would make it smaller. "
      + files,
    answer: ["invocation": "string", "variants": "array", "findings": "array"],
    [
      ToolParameter(
        "path", .path, nil, required: true,
        "'App Thinning Size Report.txt', app-thinning.plist, an .ipa or an .app"),
      ToolParameter("minimum_os", .text, "--minimum-os", "The clip's minimum iOS, such as 16.0"),
      ToolParameter(
        "invocation", .choice(["physical", "digital", "demo"]), "--invocation", "How the clip is opened"),
      ToolParameter("on", .text, "--on", "The rules of a day, such as 2024-03-01"),
      ToolParameter("resources", .text, "--resources", list: 0...32, "Patterns of resources to pack"),
      ToolParameter("against", .path, "--against", "An older build, to say what has grown"),
      ToolParameter("max", .text, "--max", list: 0...16, "Budgets such as 9.5MB or code=4MB"),
    ])

  private static let pushLint = Tool(
    "push_lint", command: ["push", "lint"], title: "Check push payloads",
    summary:
      "Checks payloads of pushes: JSON, a simulator's .apns files, or recorded requests with headers. Sends "
      + "nothing. " + files,
    answer: ["findings": "array", "summary": "object", "not_checked": "array"],
    [
      ToolParameter("files", .path, nil, list: 1...64, required: true, "Payload files"),
      ToolParameter("push_type", .text, "--push-type", "alert, background, liveactivity, voip, …"),
      ToolParameter(
        "headers", .text, "--header", list: 1...16,
        "Headers of the request, such as apns-topic:com.example.app"),
    ])

  private static let simulate = Tool(
    "simulate", command: ["simulate"], title: "Run a story",
    summary: "Runs stories of devices, sites and Apple's CDN on a virtual clock and reports every event and "
      + "expectation; the same seed gives the same answer. Asks no host. " + files,
    perRun: "seeds",
    [
      ToolParameter("stories", .path, nil, list: 1...8, required: true, "Story files, or folders of them"),
      ToolParameter(
        "seeds", .integer(0...Int.max), "--seed", list: 1...8,
        "Seeds to use instead of the story's own; one run each"),
      ToolParameter(
        filterName,
        .choice(["event", "link", "history", "push", "expectation", "invariant", "summary", "total"]), nil,
        list: 1...16, "Send only objects of these types; all without it"),
    ])
}
