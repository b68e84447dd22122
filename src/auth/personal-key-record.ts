import type { OrgId } from '../database/ids.js';
import type { PersonalKeyScope } from '../domain/keys/personal-key-scope.js';
import type { Membership, Person } from './user.js';

/** A stored personal key with its owner, as far as letting the owner's tools in needs it. */
export interface PersonalKeyRecord {
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly scope: PersonalKeyScope;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly person: Person;
  /** Whether the app is still installed for the organization. */
  readonly installed: boolean;
  /** Null where the owner is no member of the key's workspace any more. */
  readonly membership: Membership | null;
}
