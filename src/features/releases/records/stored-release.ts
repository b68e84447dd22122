import type { ReleaseRecord } from '../../../domain/release/release-record.js';

/** A release as it is kept: its record, and what the last evaluation wrote down beside it. */
export interface StoredRelease {
  readonly id: string;
  readonly repositoryId: string;
  readonly record: ReleaseRecord;
  /** The facts that the last evaluation rested on, as `kind:key`. */
  readonly consulted: readonly string[];
  readonly verdictDigest: string | null;
  /** Whether the gate was open by the last evaluation, if only until then. */
  readonly wasOpen: boolean;
  /** Since when that is in doubt, because something that it rests on has changed; null where it is not. */
  readonly invalidatedAt: Date | null;
  readonly createdAt: Date;
}
