/** What became of a workflow file that the service installed. */
import type { Sha } from '../facts/facts.js';
import { branchMatches, literalPrefix } from '../policy/branch-pattern.js';
import type { Policy } from '../policy/policy.js';

/** What lies at a path of a commit. */
export type FileState =
  | { readonly kind: 'file'; readonly blobSha: Sha }
  /** A link, a folder or another repository: it is not the file, whatever it leads to. */
  | { readonly kind: 'other' }
  /** `everThere`: the branch had the file at some time. One that was cut before the file was installed never had. */
  | { readonly kind: 'absent'; readonly everThere: boolean };

export type FileIntegrity = 'intact' | 'tampered' | 'not_installed';

/**
 * Judges an installed file on one branch. Intact is every revision that the service ever published, whoever put it there:
 * so a merge of the service's own moves what is expected by itself.
 */
export function fileIntegrity(found: FileState, isPublished: (blobSha: Sha) => boolean): FileIntegrity {
  if (found.kind === 'file') return isPublished(found.blobSha) ? 'intact' : 'tampered';
  if (found.kind === 'other') return 'tampered';
  return found.everThere ? 'tampered' : 'not_installed';
}

/** A file that is not as it was installed, on one branch. */
export interface TamperedFile {
  readonly branch: string;
  readonly path: string;
}

/** What one look at a repository changed about its tampered files. */
export interface TamperingChange {
  readonly tampered: readonly TamperedFile[];
  readonly restored: readonly TamperedFile[];
}

/** The difference between what was known to be tampered with and what is. */
export function diffTampering(before: readonly TamperedFile[], now: readonly TamperedFile[]): TamperingChange {
  const missingIn = (files: readonly TamperedFile[]) => {
    const known = new Set(files.map(keyOf));
    return (file: TamperedFile) => !known.has(keyOf(file));
  };
  return { tampered: now.filter(missingIn(before)), restored: before.filter(missingIn(now)) };
}

const keyOf = ({ branch, path }: TamperedFile): string => JSON.stringify([branch, path]);

/** Which of a repository's installed workflow files are not as they were installed. */
export interface Tampering {
  readonly files: readonly string[];
  readonly branches: readonly string[];
  /** Since when the first of them is known. */
  readonly since: Date;
  /** Where its people are told of it; null where no issue could be written. */
  readonly issueUrl: string | null;
}

/** The branches on which installed files are watched: those that releases are made from. */
export interface WatchedBranches {
  /** What their names begin with: the host lists branches by that. */
  readonly prefixes: readonly string[];
  /** Whether releases are made from the branch without having it for themselves. */
  isTrunk(branch: string): boolean;
  includes(branch: string): boolean;
}

/** The default branch, the development branch, and every branch that a release or a hotfix may have for itself. */
export function watchedBranches(defaultBranch: string, policy: Policy): WatchedBranches {
  const trunks = [...new Set([defaultBranch, policy.development.branch ?? defaultBranch])];
  const patterns = [policy.testing.branchPattern, policy.hotfixBranchPattern];
  const isTrunk = (branch: string): boolean => trunks.includes(branch);
  return {
    prefixes: [...new Set([...trunks, ...patterns.map(literalPrefix)])],
    isTrunk,
    includes: (branch) => isTrunk(branch) || patterns.some((pattern) => branchMatches(pattern, branch)),
  };
}
