import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

/** The position of a call in a stack: the address of a built file, its line and its column, which start at 1. */
const POSITION = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | null>();

/**
 * Returns the stack with positions in the TypeScript sources. Reads the source map of a file when a stack names the file. Node's option
 * `--enable-source-maps` would keep the maps of all files in memory, also those of packages: 15 MB.
 */
export const toSourcePositions = (stack: string): string =>
  stack.replaceAll(POSITION, (position, file: string, line: string, column: string) => {
    const entry = getSourceMap(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return position;
    return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });

function getSourceMap(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = file.includes('/node_modules/') ? null : readSourceMap(file);
  maps.set(file, map);
  return map;
}

function readSourceMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')) as SourceMapPayload);
  } catch {
    // The position in the built file remains useful.
    return null;
  }
}
