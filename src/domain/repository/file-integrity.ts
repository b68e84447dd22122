/** What became of a workflow file that the service installed. */
import type { Sha } from '../facts/facts.js';

/** What lies at a path of a commit. */
export type FoundEntry =
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
export function fileIntegrity(found: FoundEntry, isPublished: (blobSha: Sha) => boolean): FileIntegrity {
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
export function tamperingChange(before: readonly TamperedFile[], now: readonly TamperedFile[]): TamperingChange {
  const missingIn = (files: readonly TamperedFile[]) => {
    const known = new Set(files.map(keyOf));
    return (file: TamperedFile) => !known.has(keyOf(file));
  };
  return { tampered: now.filter(missingIn(before)), restored: before.filter(missingIn(now)) };
}

const keyOf = ({ branch, path }: TamperedFile): string => JSON.stringify([branch, path]);
