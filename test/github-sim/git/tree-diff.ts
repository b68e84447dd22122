import type { Sha } from './git-object.js';
import type { FileMap } from './object-store.js';

export interface FileChange {
  readonly path: string;
  readonly status: 'added' | 'removed' | 'modified';
  readonly before: Sha | null;
  readonly after: Sha | null;
}

/** The changes between two trees, by path. A rename is a removed and an added file. */
export function diffTrees(before: FileMap, after: FileMap): readonly FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changes: FileChange[] = [];
  for (const path of paths) {
    const [old, now] = [before.get(path), after.get(path)];
    if (!old && now) changes.push({ path, status: 'added', before: null, after: now.sha });
    else if (old && !now) changes.push({ path, status: 'removed', before: old.sha, after: null });
    else if (old && now && (old.sha !== now.sha || old.mode !== now.mode)) {
      changes.push({ path, status: 'modified', before: old.sha, after: now.sha });
    }
  }
  return changes;
}
