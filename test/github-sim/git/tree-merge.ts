import { mergeLines } from './line-merge.js';
import type { FileMap, ObjectStore, TreeFile } from './object-store.js';

export type TreeMerge =
  | { readonly clean: true; readonly files: FileMap }
  | { readonly clean: false; readonly conflicts: readonly string[] };

/** Merges two trees over a common one, file by file, and line by line if both sides changed a text. */
export function mergeTrees(store: ObjectStore, base: FileMap, ours: FileMap, theirs: FileMap): TreeMerge {
  const files = new Map<string, TreeFile>();
  const conflicts: string[] = [];
  for (const path of new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])) {
    const merged = mergeFile(store, base.get(path), ours.get(path), theirs.get(path));
    if (merged === 'conflict') conflicts.push(path);
    else if (merged) files.set(path, merged);
  }
  conflicts.push(...fileAndFolderClashes(files));
  return conflicts.length === 0 ? { clean: true, files } : { clean: false, conflicts };
}

function mergeFile(
  store: ObjectStore,
  base: TreeFile | undefined,
  ours: TreeFile | undefined,
  theirs: TreeFile | undefined,
): TreeFile | undefined | 'conflict' {
  if (sameFile(ours, theirs) || sameFile(base, theirs)) return ours;
  if (sameFile(base, ours)) return theirs;
  if (!ours || !theirs) return 'conflict';
  const mode = base?.mode === ours.mode ? theirs.mode : ours.mode;
  if (ours.sha === theirs.sha) return { mode, sha: ours.sha };
  if (!base) return 'conflict';
  const baseText = textOf(store.blob(base.sha));
  const ourText = textOf(store.blob(ours.sha));
  const theirText = textOf(store.blob(theirs.sha));
  if (baseText === null || ourText === null || theirText === null) return 'conflict';
  const merged = mergeLines(baseText, ourText, theirText);
  return merged === null ? 'conflict' : { mode, sha: store.putBlob(Buffer.from(merged)) };
}

/** Returns the paths of files that are also folders of other files. */
function fileAndFolderClashes(files: FileMap): string[] {
  return [...files.keys()].filter((path) => {
    const folders = path.split('/').slice(0, -1);
    return folders.some((_, depth) => files.has(folders.slice(0, depth + 1).join('/')));
  });
}

function sameFile(one: TreeFile | undefined, other: TreeFile | undefined): boolean {
  return one?.sha === other?.sha && one?.mode === other?.mode;
}

/** The content as text, or null if it is binary, where lines have no meaning. */
function textOf(content: Buffer): string | null {
  return content.includes(0) ? null : content.toString('utf8');
}
