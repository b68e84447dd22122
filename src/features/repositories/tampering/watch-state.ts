import type { Sha } from '../../../domain/facts/facts.js';
import type { TamperedFile } from '../../../domain/repository/file-integrity.js';

/** A branch as it was last looked at. */
interface SeenBranch {
  readonly branch: string;
  /** Releases were made from it without having it for themselves. */
  readonly trunk: boolean;
  readonly headSha: Sha;
  /** The managed files that were there at any time. */
  readonly paths: readonly string[];
}

/** What is known of the workflow files of a repository. */
export interface WatchState {
  /** The installed files that were watched so far. */
  readonly files: readonly string[];
  readonly branches: readonly SeenBranch[];
  readonly tampered: readonly TamperedFile[];
}

/** A branch, and the commit at its head when the host was asked. */
export interface BranchHead {
  readonly branch: string;
  /** Releases are made from it without having it for themselves. */
  readonly trunk: boolean;
  readonly sha: Sha;
  readonly observedAt: Date;
}

/** What one look at a branch found. */
export interface BranchLook extends BranchHead {
  /** The managed files that are there. */
  readonly present: readonly string[];
  /** Those of them that are as the service published them at some time. */
  readonly published: readonly string[];
  /** The watched files that are not as they were installed. */
  readonly tampered: readonly string[];
}

/** What one look at a repository found. */
export interface RepositoryLook {
  readonly watched: readonly string[];
  /** Every branch that is watched. */
  readonly heads: readonly BranchHead[];
  /** Of those that moved, and those on which something was tampered with. */
  readonly looks: readonly BranchLook[];
  /** When the host was first asked. */
  readonly askedAt: Date;
}
