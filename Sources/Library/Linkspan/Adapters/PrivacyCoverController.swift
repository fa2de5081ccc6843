#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Puts a scene's privacy cover on and off, as ``PrivacyCover`` decides.
  ///
  /// Keep one for each window scene, from `scene(_:willConnectTo:options:)` to `sceneDidDisconnect`.
  @MainActor
  public final class PrivacyCoverController {
    private var cover: PrivacyCover
    private weak var scene: UIWindowScene?
    private let ownView: (() -> UIView)?
    private var view: UIView?
    private var window: UIWindow?
    private let blur = BlurWorkspace()
    private var observers: [any NSObjectProtocol] = []

    /// - Parameter ownView: Makes the view for ``PrivacyCover/Form/ownView``.
    public init(_ cover: PrivacyCover, scene: UIWindowScene, ownView: (() -> UIView)? = nil) {
      self.cover = cover
      self.scene = scene
      self.ownView = ownView
      let events: [(Notification.Name, PrivacyCover.Event)] = [
        (UIScene.willDeactivateNotification, .willResignActive),
        (UIScene.didEnterBackgroundNotification, .didEnterBackground),
        (UIScene.willEnterForegroundNotification, .willEnterForeground),
        (UIScene.didActivateNotification, .didBecomeActive),
        (UIScene.didDisconnectNotification, .didDisconnect),
      ]
      observers = events.map { name, event in
        NotificationCenter.default.addObserver(forName: name, object: scene, queue: nil) { [weak self] _ in
          // UIKit posts these on the main thread, and the cover must be on before the call returns.
          MainActor.assumeIsolated { self?.handle(event) }
        }
      }
    }

    deinit { observers.forEach { NotificationCenter.default.removeObserver($0) } }

    /// Around a prompt of the system that the app itself causes, so that the cover stays away.
    ///
    /// When the prompt ends before the app is active again the cover appears until it is.
    public func prompt<Result>(_ body: () async throws -> Result) async rethrows -> Result {
      cover.beginPrompt()
      defer { perform(cover.endPrompt()) }
      return try await body()
    }

    /// For events that UIKit does not post, such as a new size.
    public func handle(_ event: PrivacyCover.Event) {
      if event == .didDisconnect { remove() }
      perform(cover.handle(event))
      // The scene had no window yet when the cover was to come: the last chance before the picture.
      if event == .didEnterBackground, view == nil, let form = cover.shown { show(form) }
    }

    private func perform(_ step: PrivacyCover.Step?) {
      switch step {
      case .cover(let form)?, .replace(let form)?: show(form)
      case .uncover?: remove()
      case nil: break
      }
    }

    private func show(_ form: PrivacyCover.Form) {
      guard let content = content(for: form) else { return handle(.drawingFailed) }
      remove()
      guard let scene, let base = scene.windows.first(where: { !$0.isHidden }) else { return }
      content.frame = base.bounds
      content.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      view = content
      switch cover.placement {
      case .inWindow: base.addSubview(content)
      case .windowAboveAlerts:
        let window = UIWindow(windowScene: scene)
        window.windowLevel = UIWindow.Level(rawValue: UIWindow.Level.alert.rawValue + 1)
        let controller = UIViewController()
        controller.view = content
        window.rootViewController = controller
        window.isHidden = false
        self.window = window
      }
    }

    private func remove() {
      view?.removeFromSuperview()
      view = nil
      window?.isHidden = true
      window = nil
    }

    private func content(for form: PrivacyCover.Form) -> UIView? {
      switch form {
      case .opaque(let colour): return Self.plain(colour)
      case .ownView: return ownView?() ?? Self.plain(cover.fallback)
      case .blurred(let effect):
        guard let base = scene?.windows.first(where: { !$0.isHidden }), let image = blurred(base, effect)
        else {
          return nil
        }
        return UIImageView(image: image)
      }
    }

    private static func plain(_ colour: BlurEffect.Tint) -> UIView {
      let view = UIView(frame: .zero)
      view.backgroundColor = UIColor(
        red: colour.red, green: colour.green, blue: colour.blue, alpha: colour.alpha)
      return view
    }

    private func blurred(_ window: UIWindow, _ effect: BlurEffect) -> UIImage? {
      let scale = window.screen.scale
      let width = Int(window.bounds.width * scale)
      let height = Int(window.bounds.height * scale)
      guard width > 0, height > 0 else { return nil }
      let space = CGColorSpaceCreateDeviceRGB()
      let layout = CGImageAlphaInfo.premultipliedLast.rawValue
      guard
        let context = CGContext(
          data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width * 4, space: space,
          bitmapInfo: layout)
      else { return nil }
      UIGraphicsPushContext(context)
      context.translateBy(x: 0, y: CGFloat(height))
      context.scaleBy(x: scale, y: -scale)
      let isDrawn = window.drawHierarchy(in: window.bounds, afterScreenUpdates: false)
      UIGraphicsPopContext()
      guard isDrawn, let bytes = context.data else { return nil }
      let count = width * height * 4
      var picture = PixelImage(
        width: width, height: height, order: .rgba,
        bytes: Array(UnsafeRawBufferPointer(start: bytes, count: count)))
      var scaled = effect
      scaled.scale = Double(scale)
      blur.apply(scaled, to: &picture)
      picture.bytes.withUnsafeBytes {
        bytes.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(bytes), byteCount: count)
      }
      return context.makeImage().map { UIImage(cgImage: $0, scale: scale, orientation: .up) }
    }
  }
#endif
