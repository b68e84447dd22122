import type { KeyScope } from '../../domain/keys/key-scope.js';

/** An API key as the workspace's people see it: all of it but its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The leading part of the secret. */
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  /**
   * Names of the repositories that it is confined to, as far as whoever looks may know of them; null is every repository
   * of the workspace.
   */
  readonly repos: readonly string[] | null;
  readonly createdAt: Date;
  /** Null never ends. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}
