import type { PersonalKeyScope } from '../../domain/keys/personal-key-scope.js';

/** A member's own key as the member sees it: all of it but its secret. */
export interface PersonalKey {
  readonly id: string;
  readonly name: string;
  /** The leading part of the secret. */
  readonly prefix: string;
  readonly scope: PersonalKeyScope;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
}
