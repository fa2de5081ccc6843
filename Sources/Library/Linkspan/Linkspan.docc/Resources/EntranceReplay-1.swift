import Linkspan

@MainActor
func replay<Screen>(_ recorded: String, with coordinator: ActivityCoordinator<Screen>) throws {
  coordinator.replay(try ArrivalRecording(text: recorded))
}
