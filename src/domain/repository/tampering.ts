import type { Sha } from '../facts/facts.js';
import { branchMatches, literalPrefix, releaseBranchPatterns } from '../policy/branch-pattern.js';
import type { Policy } from '../policy/policy.js';

/** The state of a path in a commit. */
export type FileState =
  | { readonly kind: 'file'; readonly blobSha: Sha }
  /** A symbolic link, a folder or a submodule. It never counts as the file. */
  | { readonly kind: 'other' }
  /**
   * `everThere`: the branch contained the file at some time. A branch that was created before the installation never
   * did.
   */
  | { readonly kind: 'absent'; readonly everThere: boolean };

export type FileIntegrity = 'intact' | 'tampered' | 'not_installed';

/**
 * Checks an installed file on one branch. Every revision that the service ever published is intact, no matter who
 * committed it, so a merged workflow update needs no extra step.
 */
export function fileIntegrity(found: FileState, isPublished: (blobSha: Sha) => boolean): FileIntegrity {
  if (found.kind === 'file') return isPublished(found.blobSha) ? 'intact' : 'tampered';
  if (found.kind === 'other') return 'tampered';
  return found.everThere ? 'tampered' : 'not_installed';
}

/** A tampered file on one branch. */
export interface TamperedFile {
  readonly branch: string;
  readonly path: string;
}

/** The change of the tampered files between two checks. */
export interface TamperingChange {
  readonly tampered: readonly TamperedFile[];
  readonly restored: readonly TamperedFile[];
}

/** Compares the tampered files of two checks. */
export function diffTampering(before: readonly TamperedFile[], now: readonly TamperedFile[]): TamperingChange {
  const missingIn = (files: readonly TamperedFile[]) => {
    const known = new Set(files.map(fileKey));
    return (file: TamperedFile) => !known.has(fileKey(file));
  };
  return { tampered: now.filter(missingIn(before)), restored: before.filter(missingIn(now)) };
}

const fileKey = ({ branch, path }: TamperedFile): string => JSON.stringify([branch, path]);

/** The tampered workflow files of a repository. */
export interface Tampering {
  readonly files: readonly string[];
  readonly branches: readonly string[];
  /** The time at which the first of them was found. */
  readonly since: Date;
  /** The address of the GitHub issue about it. Null if no issue could be created. */
  readonly issueUrl: string | null;
}

/** The branches on which installed files are watched: those from which releases ship. */
export interface WatchedBranches {
  /** The prefixes of their names, because GitHub lists branches by prefix. */
  readonly prefixes: readonly string[];
  /** Returns whether several releases share the branch. */
  isTrunk(branch: string): boolean;
  includes(branch: string): boolean;
}

/**
 * Returns the watched branches: the default branch, the development branch, and every branch that matches the pattern
 * of release or hotfix branches.
 */
export function watchedBranches(defaultBranch: string, policy: Policy): WatchedBranches {
  const trunks = [...new Set([defaultBranch, policy.development.branch ?? defaultBranch])];
  const patterns = releaseBranchPatterns(policy);
  const isTrunk = (branch: string): boolean => trunks.includes(branch);
  return {
    prefixes: [...new Set([...trunks, ...patterns.map(literalPrefix)])],
    isTrunk,
    includes: (branch) => isTrunk(branch) || patterns.some((pattern) => branchMatches(pattern, branch)),
  };
}
