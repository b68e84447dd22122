import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { types } from 'node:util';

/**
 * Returns the secret `name` of `directory` and creates it at the first use. The secret is on disk before it is used, only this
 * user can read it, and processes that start at the same time get the same secret.
 */
export function loadOrCreateSecret(directory: string, name: string, generate: () => string): string {
  const path = join(directory, name);
  const existing = readIfPresent(path);
  if (existing !== null) return existing;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const draft = join(directory, `.${name}.${randomUUID()}`);
  try {
    writeDurably(draft, generate());
    // Unlike a rename, a link never replaces the file that another process has created in the meantime.
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

/**
 * Flushes the directory, so that the new name survives a power failure. Windows has no handle of a directory and does
 * not need it.
 */
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
