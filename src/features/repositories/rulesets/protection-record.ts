import type { Protection } from '../../../domain/repository/protection.js';

/** What is stored of a repository's protection. */
export interface ProtectionRecord extends Protection {
  /** Names the asking that it is about. */
  readonly attempt: string;
}
