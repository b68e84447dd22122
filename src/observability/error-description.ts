import { types } from 'node:util';
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

const MAX_CAUSES = 5;

interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * Returns the loggable fields of an error by an allow-list, because drivers attach the parameters of the statement to
 * their errors and HTTP clients the headers of the request.
 */
export function describeError(error: unknown, causesLeft = MAX_CAUSES): ErrorDescription {
  // Both tests are needed: one misses errors of another realm, the other those created without `new`.
  if (!types.isNativeError(error) && !(error instanceof Error))
    return { type: typeof error, message: 'A value that is not an error was thrown.' };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
      ? { code: String(error.code) }
      : {}),
    ...(stack === undefined ? {} : { stack: toSourcePositions(stack) }),
    ...(cause === undefined || causesLeft === 0 ? {} : { cause: describeError(cause, causesLeft - 1) }),
  };
}

/**
 * The position of a call in a stack: the address of a built file, its line and its column, which start at 1. The lengths are bounded, so
 * that a search takes linear time.
 */
const POSITION = /(file:\/\/[^\s()]{1,500}\.js):(\d{1,7}):(\d{1,7})/g;

/** The folder of the built files. */
const ROOT = new URL('../../', import.meta.url).href;

const maps = new Map<string, SourceMap | null>();

/**
 * Returns the stack with positions in the TypeScript sources. Reads the source map of a file when a stack names the file. Node's option
 * `--enable-source-maps` would keep the maps of all files in memory, also those of packages: 15 MB.
 */
export const toSourcePositions = (stack: string, root = ROOT): string =>
  stack.replaceAll(POSITION, (position, file: string, line: string, column: string) => {
    try {
      return findSource(new URL(file).href, root, Number(line), Number(column)) ?? position;
    } catch {
      // The position in the built file remains useful.
      return position;
    }
  });

function findSource(file: string, root: string, line: number, column: number): string | null {
  // The message of an error, which is part of its stack, may contain any address.
  if (!file.startsWith(root) || file.includes('/node_modules/')) return null;
  const entry = getSourceMap(file).findEntry(line - 1, column - 1);
  if (!('originalSource' in entry)) return null;
  return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

/** Throws if the file has no map. */
function getSourceMap(file: string): SourceMap {
  const known = maps.get(file);
  if (known) return known;
  const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')) as SourceMapPayload);
  maps.set(file, map);
  return map;
}
