#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS)
  public import SwiftUI
  import UIKit

  extension View {
    /// Brings what arrives in a SwiftUI app to the coordinator.
    ///
    /// Put it on the root view. Web pages come by `onContinueUserActivity`, which is the door for them once it is there; other
    /// URLs, and web pages on releases that deliver them so, by `onOpenURL`.
    ///
    /// - Parameters:
    ///   - ownTypes: The Handoff types of the router, and the app's other types.
    ///   - isReady: Whether the view can show what arrives; until then arrivals wait.
    ///   - scene: Tells windows apart that share the coordinator, such as by the value of their `WindowGroup`.
    public func continuesActivities<Destination>(
      with coordinator: ActivityCoordinator<Destination>, ownTypes: [String] = [], isReady: Bool = true,
      scene: String? = nil
    ) -> some View {
      modifier(
        ContinuationModifier(coordinator: coordinator, ownTypes: ownTypes, isReady: isReady, scene: scene))
    }

    /// Shows an error's content as an alert while there is one.
    ///
    /// - Parameter chosen: Gets the action that the person chose.
    public func alert(
      _ content: Binding<AlertContent?>, chosen: @escaping (AlertContent.Action) -> Void = { _ in }
    ) -> some View {
      let isPresented = Binding(
        get: { content.wrappedValue != nil }, set: { if !$0 { content.wrappedValue = nil } })
      return alert(
        content.wrappedValue?.title ?? "", isPresented: isPresented, presenting: content.wrappedValue
      ) { shown in
        ForEach(Array(shown.actions.enumerated()), id: \.offset) { _, action in
          Button(action.title) { chosen(action) }
        }
      } message: { shown in
        Text(shown.message ?? "")
      }
    }
  }

  private struct ContinuationModifier<Destination: Sendable>: ViewModifier {
    let coordinator: ActivityCoordinator<Destination>
    let ownTypes: [String]
    let isReady: Bool
    let scene: String?
    @Environment(\.scenePhase) private var phase

    func body(content: Content) -> some View {
      types.reduce(AnyView(content)) { view, type in
        AnyView(
          view.onContinueUserActivity(type) { coordinator.receive(IncomingActivity($0), scene: scene) })
      }
      .onOpenURL { coordinator.open($0.absoluteString, scene: scene) }
      .onAppear { if isReady { tell(true) } }
      .onChange(of: isReady) { tell($0) }
      .onChange(of: phase) { phase in
        switch phase {
        case .active: coordinator.didBecomeActive(scene: scene)
        case .background: coordinator.didEnterBackground(scene: scene)
        default: coordinator.willResignActive(scene: scene)
        }
      }
    }

    private func tell(_ isReady: Bool) {
      if isReady {
        coordinator.interfaceIsReady(scene: scene)
      } else {
        coordinator.interfaceIsGone(scene: scene)
      }
    }

    private var types: [String] {
      [IncomingActivity.browsingWeb, IncomingActivity.spotlightItem, IncomingActivity.spotlightQuery]
        + ownTypes
    }
  }
#endif
