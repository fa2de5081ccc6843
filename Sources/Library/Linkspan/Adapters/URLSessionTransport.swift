#if canImport(UIKit) && !os(watchOS)
  public import Foundation
  public import UIKit
  #if canImport(FoundationNetworking)
    public import FoundationNetworking
  #endif

  /// Registers over `URLSession`.
  public struct URLSessionTransport: RegistrationTransport {
    private let session: URLSession

    /// - Parameter session: With the app's own time-outs, where the defaults are too long.
    public init(session: URLSession = .shared) { self.session = session }

    /// - Throws: `URLError`, for an address that is none and when no answer came.
    public func send(_ request: PushRegistration.Request) async throws -> RegistrationAnswer {
      guard let url = URL(string: request.url) else { throw URLError(.badURL) }
      var urlRequest = URLRequest(url: url)
      urlRequest.httpMethod = request.method
      for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
      if !request.body.isEmpty { urlRequest.httpBody = Data(request.body) }
      let (data, response) = try await session.data(for: urlRequest)
      guard let answer = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      return RegistrationAnswer(
        status: answer.statusCode,
        retryAfter: answer.value(forHTTPHeaderField: "Retry-After").flatMap {
          RetryAfter.seconds(
            $0, date: answer.value(forHTTPHeaderField: "Date"), now: Int64(Date().timeIntervalSince1970))
        },
        message: data.isEmpty ? nil : String(decoding: data.prefix(Self.messageLimit), as: UTF8.self))
    }

    /// Ours: so much of a server's answer is for a log.
    private static let messageLimit = 1_000
  }

  /// Keeps the last registration in the defaults of the app.
  ///
  /// Safe: `UserDefaults` may be used from every thread, and the properties do not change.
  public struct DefaultsMemory: RegistrationMemory, @unchecked Sendable {
    private let defaults: UserDefaults
    private let key: String

    /// - Parameter key: One for each service that the app registers with.
    public init(defaults: UserDefaults = .standard, key: String = "LinkspanPushRegistration") {
      self.defaults = defaults
      self.key = key
    }

    /// The bytes under the key.
    public func load() -> [UInt8]? { defaults.data(forKey: key).map { Array($0) } }

    /// Stores the bytes, or removes the key with nil.
    public func store(_ bytes: [UInt8]?) { defaults.set(bytes.map { Data($0) }, forKey: key) }
  }

  extension PushEnvironment {
    /// The environment of the app that runs, by its provisioning profile; nil where that does not say.
    public static func ofThisApp(bundle: Bundle = .main) -> PushEnvironment? {
      #if targetEnvironment(simulator)
        let isSimulator = true
      #else
        let isSimulator = false
      #endif
      return of(bundle: bundle.bundleURL, isSimulator: isSimulator)
    }
  }

  extension BackgroundFetchOutcome {
    /// For the completion handler of `didReceiveRemoteNotification`.
    public var result: UIBackgroundFetchResult {
      switch self {
      case .newData: .newData
      case .noData: .noData
      case .failed: .failed
      }
    }
  }
#endif
