@implementation ImportDelegate

- (BOOL)application:(UIApplication *)application didFinishLaunchingWithOptions:(NSDictionary *)launchOptions {
  NSURL *file = launchOptions[UIApplicationLaunchOptionsURLKey];  // finds: review.handled-twice
  if (file) [Shelf add:file];
  return YES;
}

- (BOOL)application:(UIApplication *)application openURL:(NSURL *)url options:(NSDictionary *)options {
  [Shelf add:url];
  return YES;
}

@end
