#import "Network.h"

@implementation Network

- (NSDictionary *)userInfo:(NSError *)error {
  return @{
    NSLocalizedDescriptionKey : error.localizedDescription,
    NSLocalizedFailureReasonErrorKey : error.localizedFailureReason,  // finds: review.nil-in-literal
  };
}

- (NSDictionary *)info:(NSError *)error {
  return [NSDictionary
      dictionaryWithObjectsAndKeys:error.localizedDescription, NSLocalizedDescriptionKey,
                                   error.localizedFailureReason, NSLocalizedFailureReasonErrorKey,  // finds: review.nil-in-literal
                                   error.localizedRecoverySuggestion, NSLocalizedRecoverySuggestionErrorKey, nil];
}

- (NSDate *)dateFromText:(NSString *)text {
  NSDateFormatter *formatter = [[NSDateFormatter alloc] init];
  formatter.dateFormat = @"yyyy/MM/dd HH:mm:ss";  // finds: review.fixed-date-format
  return [formatter dateFromString:text];
}

- (void)watch {
  [self.queue addObserver:self forKeyPath:@"operationCount" options:0 context:NULL];  // finds: review.observer-unpaired
}

@end

@implementation Article

- (BOOL)isEqual:(id)object {  // finds: review.equality-without-hash
  return [object isKindOfClass:[Article class]] && [self.url isEqual:[object url]];
}

@end

@implementation AppDelegate

- (BOOL)application:(UIApplication *)application didFinishLaunchingWithOptions:(NSDictionary *)launchOptions {
  NSURL *url = launchOptions[UIApplicationLaunchOptionsURLKey];  // finds: review.handled-twice
  if (url) {
    [self openLink:url];
  }
  return YES;
}

- (BOOL)application:(UIApplication *)application
            openURL:(NSURL *)url
            options:(NSDictionary<UIApplicationOpenURLOptionsKey, id> *)options {
  [self openLink:url];
  return YES;
}

- (BOOL)application:(UIApplication *)application
    continueUserActivity:(NSUserActivity *)userActivity
      restorationHandler:(void (^)(NSArray *))restorationHandler {
  [self openLink:userActivity.webpageURL];  // finds: review.activity-type
  return YES;
}

- (void)openLink:(NSURL *)url {
  [self.router show:url];
}

- (void)applicationWillResignActive:(UIApplication *)application {
  [self.window addSubview:self.cover];  // finds: review.cover-never-removed
}

@end
