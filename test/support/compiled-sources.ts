import { transformFileSync } from '@swc/core';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** JavaScript of a folder of sources, for tests that need it in a process of its own. */
export interface CompiledSources {
  readonly folder: string;
  remove(): void;
}

/** Compiles a folder's TypeScript (its specs aside) to a place from which packages still resolve. */
export function compileSources(source: string): CompiledSources {
  const cache = join(process.cwd(), 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'shipgate-'));
  // Some tests run it as another user.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of readdirSync(source)) {
    if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
    const { code } = transformFileSync(join(source, name), {
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'es6' },
    });
    writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), code);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
