import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, readdir, realpathSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { escapePath, glob, type GlobOptions } from 'tinyglobby';
import type { Env } from '../ci-environment.js';
import { plainText } from '../plain-text.js';
import { CommandError, EXIT, usageError } from '../command-result.js';

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
 * matches at all and that is allowed. Ends with 1 if the files exceed a limit of the service.
 */
export async function selectFiles(
  patterns: readonly string[],
  { cwd, allowEmpty }: { readonly cwd: string; readonly allowEmpty: boolean },
): Promise<readonly SelectedFile[]> {
  // An empty pattern would be the root of all folders.
  if (patterns.includes('')) throw usageError('A pattern is empty. Is a variable in it not set?');
  const included = patterns.filter((pattern) => !pattern.startsWith('!'));
  const excluded = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => withSlashes(pattern.slice(1)));
  if (included.length === 0) throw usageError('No file is named. Name files, folders or patterns to upload.');
  const found = new Map<string, string>();
  const unmatched: string[] = [];
  const unreadable: string[] = [];
  for (const pattern of included) {
    const paths = await glob(toGlob(pattern, cwd), {
      cwd,
      absolute: true,
      dot: true,
      onlyFiles: true,
      followSymbolicLinks: false,
      expandDirectories: false,
      ignore: [...NEVER_ENTERED, ...excluded],
      fs: { readdir: readdirReporting((folder) => unreadable.push(folder)) },
    });
    // The name contains bytes that are not valid text, so no call can open the file. A link has its own description.
    unreadable.push(...paths.filter((file) => stat(file) === undefined));
    const files = paths.filter((file) => stat(file)?.isFile() === true && !isBehindLink(file, cwd));
    if (files.length === 0) unmatched.push(pattern);
    for (const file of files) found.set(withSlashes(path.relative(cwd, file)), file);
  }
  const [hidden] = unreadable;
  if (hidden !== undefined) throw cannotBeRead(path.relative(cwd, hidden));
  if (found.size === 0 && allowEmpty) return [];
  if (unmatched.length > 0) throw usageError(`No file matches ${unmatched.map(plainText).join(', ')}.`);
  const unprintable = [...found.keys()].find((name) => /\p{Cc}/u.test(name));
  if (unprintable !== undefined) {
    throw usageError(`The name of ${plainText(unprintable)} has control characters. Rename or exclude the file.`);
  }
  refuseTooLarge([...found].map(([name, file]) => ({ name, size: stat(file)?.size ?? 0 })));
  const selected: SelectedFile[] = [];
  for (const [name, file] of [...found].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const digest = await digestFile(file).catch(() => Promise.reject(cannotBeRead(name)));
    selected.push({ name, path: file, ...digest });
  }
  return selected;
}

/** An unreadable file could be a failing report, so it is never skipped silently. */
const cannotBeRead = (name: string): CommandError =>
  usageError(
    `${plainText(withSlashes(name))} cannot be read, so a report could be missed. Correct its name or permissions, or exclude it with !.`,
  );

type ReadFolder = NonNullable<NonNullable<GlobOptions['fs']>['readdir']>;

/** Reads folders for the search and reports unreadable ones, which the search treats as empty. */
const readdirReporting = (report: (folder: string) => void): ReadFolder =>
  // The library calls only this overload.
  ((folder: string, options: { withFileTypes: true }, done: (error: Error | null, entries: Dirent[]) => void) =>
    readdir(folder, options, (error, entries) => {
      if (error !== null && error.code !== 'ENOENT') report(folder);
      done(error, entries);
    })) as unknown as ReadFolder;

const withSlashes = (name: string): string => (path.sep === '\\' ? name.replaceAll('\\', '/') : name);

/** Describes a file; undefined if it does not exist. A link is described itself, not its target. */
const stat = (file: string): Stats | undefined => lstatSync(file, { throwIfNoEntry: false });

/** Whether a folder on the path to the file is a link. The path of the working folder itself may contain a link. */
const isBehindLink = (file: string, cwd: string): boolean =>
  realpathSync(file) !== path.resolve(realpathSync(cwd), path.relative(cwd, file));

/** Returns the glob of a pattern. An existing name is that file or folder, even if it contains characters of patterns. */
function toGlob(pattern: string, cwd: string): string {
  const existing = stat(path.resolve(cwd, pattern));
  const name = withSlashes(pattern);
  if (existing === undefined) return name;
  const escaped = escapePath(name.replace(/\/+$/, ''));
  return existing.isDirectory() ? `${escaped}/**` : escaped;
}

/** The service would reject the files with the same exit code. */
const tooLarge = (message: string): CommandError => new CommandError(EXIT.no, 'refused', message);

function refuseTooLarge(files: readonly { readonly name: string; readonly size: number }[]): void {
  const largest = [...files].sort((left, right) => right.size - left.size).slice(0, 3);
  const named = largest.map(({ name, size }) => `${plainText(name)} (${megabytes(size)})`).join(', ');
  if (files.length > MAX_FILES) {
    throw tooLarge(`${files.length} files match. An upload may have at most ${MAX_FILES}.`);
  }
  if ((largest[0]?.size ?? 0) > MAX_FILE_BYTES) {
    throw tooLarge(`A file may have at most ${megabytes(MAX_FILE_BYTES)}. The largest: ${named}.`);
  }
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_BYTES) {
    throw tooLarge(
      `The files have ${megabytes(total)} together. An upload may have at most ${megabytes(MAX_BYTES)}. The largest: ${named}.`,
    );
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

const BUFFER_BYTES = 65_536;

/** Reads into one buffer. The buffers of a stream would occupy as much memory as the file until they are collected. */
async function digestFile(file: string): Promise<Pick<SelectedFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  const handle = await open(file);
  try {
    for (let size = 0; ;) {
      const { bytesRead } = await handle.read(buffer, 0, BUFFER_BYTES);
      if (bytesRead === 0) return { size, sha256: hash.digest('hex') };
      hash.update(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

const GIT_VARIABLES = ['PATH', 'HOME', 'SYSTEMROOT', 'PATHEXT'];
/** Enough for the names of some million files. */
const MAX_OUTPUT_BYTES = 268_435_456;

/**
 * Returns the files that git tracks. A committed report was not produced by this run. `isComplete` is false if some files are in no git
 * repository, or git is not installed. Throws a usage error if git fails.
 */
export async function findCommitted(
  files: readonly SelectedFile[],
  env: Env,
): Promise<{ readonly committed: readonly string[]; readonly isComplete: boolean }> {
  const roots = new Map<string, string | null>();
  const tracked = new Map<string, ReadonlySet<string>>();
  const committed: string[] = [];
  let isComplete = true;
  for (const file of files) {
    const real = realpathSync(file.path);
    const folder = path.dirname(real);
    if (!roots.has(folder)) roots.set(folder, await git(folder, env, ['rev-parse', '--show-toplevel']));
    const root = roots.get(folder)?.trimEnd() ?? null;
    if (root === null) {
      isComplete = false;
      continue;
    }
    if (!tracked.has(root)) {
      const names = (await git(root, env, ['ls-files', '-z'])) ?? '';
      tracked.set(root, new Set(names.split('\0')));
    }
    if (tracked.get(root)?.has(withSlashes(path.relative(root, real))) === true) committed.push(file.name);
  }
  return { committed, isComplete };
}

/** Returns the variables that git gets. None of them is a secret of the job. */
export const gitEnvironment = (env: Env): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(GIT_VARIABLES.map((name) => [name, env[name]])),
  LC_ALL: 'C',
});

/** Runs git in a folder. Returns null without git and outside of a repository. */
async function git(folder: string, env: Env, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', folder, ...args], {
      env: gitEnvironment(env),
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return stdout;
  } catch (error) {
    const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string };
    if (code === 'ENOENT' || stderr.includes('not a git repository')) return null;
    const [sentence = ''] = stderr.split('\n');
    throw usageError(
      `git does not say which files are committed: ${plainText(sentence)}. Fix the problem, or use --allow-committed.`,
    );
  }
}
