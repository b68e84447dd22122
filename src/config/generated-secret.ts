import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { types } from 'node:util';

/**
 * The secret that `directory` keeps under `name`, made on first use. It is on disk before it is used, readable by this
 * user alone, and of several processes that start at once all get the same one.
 */
export function loadOrCreateSecret(directory: string, name: string, generate: () => string): string {
  const path = join(directory, name);
  const kept = readIfPresent(path);
  if (kept !== null) return kept;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const draft = join(directory, `.${name}.${randomUUID()}`);
  try {
    writeDurably(draft, generate());
    // Unlike a rename, a link never replaces what another process has put there meanwhile.
    linkSync(draft, path);
    syncDirectory(directory);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, `${text}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes the new name itself survive a loss of power; Windows has no handle of a directory and needs none. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const isCode = (error: unknown, code: string): boolean =>
  types.isNativeError(error) && 'code' in error && error.code === code;
