import type { KeyScope } from '../../domain/keys/key-scope.js';

/** An API key as the workspace's people see it: all of it but its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The leading part of the secret. */
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  /** Ids of the repositories that it is confined to; null is every repository of the workspace. */
  readonly repositoryIds: readonly string[] | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Null never ends. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}
