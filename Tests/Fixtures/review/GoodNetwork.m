#import "Network.h"

@implementation Network

// keeps: review.nil-in-literal
- (NSDictionary *)userInfo:(NSError *)error {
  NSMutableDictionary *info = [NSMutableDictionary dictionary];
  info[NSLocalizedDescriptionKey] = error.localizedDescription;
  if (error.localizedFailureReason != nil) {
    [info setObject:error.localizedFailureReason forKey:NSLocalizedFailureReasonErrorKey];
  }
  return @{@"info" : info, @"suggestion" : error.localizedRecoverySuggestion ?: @""};
}

- (NSDate *)dateFromText:(NSString *)text {
  NSDateFormatter *formatter = [[NSDateFormatter alloc] init];
  [formatter setLocale:[[NSLocale alloc] initWithLocaleIdentifier:@"en_US_POSIX"]];
  [formatter setDateFormat:@"yyyy/MM/dd HH:mm:ss"];
  return [formatter dateFromString:text];
}

- (void)watch {
  [self.queue addObserver:self forKeyPath:@"operationCount" options:0 context:NULL];
  [[NSNotificationCenter defaultCenter] addObserver:self
                                           selector:@selector(refresh)
                                               name:UIApplicationDidBecomeActiveNotification
                                             object:nil];
}

- (void)dealloc {
  [self.queue removeObserver:self forKeyPath:@"operationCount"];
}

@end

@implementation Article

- (BOOL)isEqual:(id)object {
  return [object isKindOfClass:[Article class]] && [self.url isEqual:[object url]];
}

- (NSUInteger)hash {
  return self.url.hash;
}

@end

@implementation AppDelegate

- (BOOL)application:(UIApplication *)application
    continueUserActivity:(NSUserActivity *)userActivity
      restorationHandler:(void (^)(NSArray *))restorationHandler {
  if ([userActivity.activityType isEqualToString:NSUserActivityTypeBrowsingWeb]) {
    return [self.router show:userActivity.webpageURL];
  }
  return NO;
}

- (void)applicationWillResignActive:(UIApplication *)application {
  [self.window addSubview:self.cover];
}

- (void)applicationDidBecomeActive:(UIApplication *)application {
  [self.cover removeFromSuperview];
}

@end
