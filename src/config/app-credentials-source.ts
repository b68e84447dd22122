import type { AppCredentials } from './app-credentials.js';

/**
 * The app's credentials as of now. The set-up may give them while the service runs, so they are asked for at each use
 * and never kept.
 */
export abstract class AppCredentialsSource {
  /** Null until the app is set up. */
  abstract current(): AppCredentials | null;
}
