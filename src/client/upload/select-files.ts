import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { escapePath, glob } from 'tinyglobby';
import { plainText } from '../plain-text.js';
import { usageError } from '../command-result.js';

/** A file to upload. */
export interface SelectedFile {
  /** The path from the working folder, with slashes. */
  readonly name: string;
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** The limits of the service for one upload. */
const MAX_FILES = 500;
const MAX_FILE_BYTES = 10_485_760;
const MAX_BYTES = 26_214_400;

const NEVER_ENTERED = ['**/node_modules/**', '**/.git/**'];

/**
 * Returns the files that the patterns select, in the order of their names. A pattern is an existing file, an existing folder with all
 * files in it, or a glob; `!` excludes. Links are never followed. Throws a usage error if a pattern matches nothing, unless nothing
 * matches at all and that is allowed, and if the files exceed a limit of the service.
 */
export async function selectFiles(
  patterns: readonly string[],
  { cwd, allowEmpty }: { readonly cwd: string; readonly allowEmpty: boolean },
): Promise<readonly SelectedFile[]> {
  const included = patterns.filter((pattern) => !pattern.startsWith('!'));
  const excluded = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => withSlashes(pattern.slice(1)));
  if (included.length === 0) throw usageError('No file is named. Name files, folders or patterns to upload.');
  const found = new Map<string, string>();
  const unmatched: string[] = [];
  for (const pattern of included) {
    const paths = await glob(globOf(pattern, cwd), {
      cwd,
      absolute: true,
      dot: true,
      onlyFiles: true,
      followSymbolicLinks: false,
      expandDirectories: false,
      ignore: [...NEVER_ENTERED, ...excluded],
    });
    const files = paths.filter((file) => stat(file)?.isFile() === true);
    if (files.length === 0) unmatched.push(pattern);
    for (const file of files) found.set(withSlashes(path.relative(cwd, file)), file);
  }
  if (found.size === 0 && allowEmpty) return [];
  if (unmatched.length > 0) throw usageError(`No file matches ${unmatched.map(plainText).join(', ')}.`);
  refuseTooLarge([...found].map(([name, file]) => ({ name, size: stat(file)?.size ?? 0 })));
  const selected: SelectedFile[] = [];
  for (const [name, file] of [...found].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    selected.push({ name, path: file, ...(await digestOf(file)) });
  }
  return selected;
}

const withSlashes = (name: string): string => (path.sep === '\\' ? name.replaceAll('\\', '/') : name);

/** Describes a file; undefined if it does not exist. A link is described itself, not its target. */
const stat = (file: string): Stats | undefined => lstatSync(file, { throwIfNoEntry: false });

/** A name that exists is that file or folder, also if it has brackets or other characters of patterns. */
function globOf(pattern: string, cwd: string): string {
  const existing = stat(path.resolve(cwd, pattern));
  const name = withSlashes(pattern);
  if (existing === undefined) return name;
  const escaped = escapePath(name.replace(/\/+$/, ''));
  return existing.isDirectory() ? `${escaped}/**` : escaped;
}

function refuseTooLarge(files: readonly { readonly name: string; readonly size: number }[]): void {
  const largest = [...files].sort((left, right) => right.size - left.size).slice(0, 3);
  const named = largest.map(({ name, size }) => `${plainText(name)} (${megabytes(size)})`).join(', ');
  if (files.length > MAX_FILES) {
    throw usageError(`${files.length} files match. An upload may have at most ${MAX_FILES}.`);
  }
  if ((largest[0]?.size ?? 0) > MAX_FILE_BYTES) {
    throw usageError(`A file may have at most ${megabytes(MAX_FILE_BYTES)}. The largest: ${named}.`);
  }
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_BYTES) {
    throw usageError(
      `The files have ${megabytes(total)} together. An upload may have at most ${megabytes(MAX_BYTES)}. The largest: ${named}.`,
    );
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

async function digestOf(file: string): Promise<Pick<SelectedFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}

/** The variables that a child process may see. None of them is a secret of the job. */
const INHERITED = ['PATH', 'HOME', 'SYSTEMROOT', 'PATHEXT'];

/**
 * Returns the files that git tracks. A committed report was not produced by this run. Returns null without git and outside of a
 * repository, where nothing can be said.
 */
export async function listCommitted(
  files: readonly SelectedFile[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<readonly string[] | null> {
  const inherited = Object.fromEntries(INHERITED.map((name) => [name, env[name]]));
  const args = ['--literal-pathspecs', 'ls-files', '-z', '--', ...files.map((file) => file.path)];
  try {
    const { stdout } = await promisify(execFile)('git', args, { cwd, env: inherited, maxBuffer: MAX_BYTES });
    return stdout.split('\0').filter((name) => name !== '');
  } catch {
    return null;
  }
}
