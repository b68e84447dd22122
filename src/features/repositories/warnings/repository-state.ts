import type { PolicyState } from '../../../domain/policy/policy.js';
import type { Protection } from '../../../domain/repository/protection.js';
import type { Tampering } from '../../../domain/repository/tampering.js';

/** What is stored of a repository, as far as a warning rests on it. */
export interface RepositoryState {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly managed: boolean;
  /** Null where it was never read. */
  readonly policy: { readonly state: PolicyState; readonly observedAt: Date } | null;
  readonly installed: boolean;
  readonly suspendedAt: Date | null;
  /** Whether the installation may read Actions; null where GitHub has not said so yet. */
  readonly readsActions: boolean | null;
  /** Null where nobody has asked that its branches be protected. */
  readonly protection: (Protection & { readonly since: Date }) | null;
  /** Null where its workflow files are as they were installed, and where none is. */
  readonly tampering: Tampering | null;
}
