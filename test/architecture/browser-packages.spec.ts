import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const WEB = 'web/src';
const read = (path: string): string => readFileSync(path, 'utf8');

/** The packages that the browser runs, and those that build it. */
function listBrowserPackages(): readonly string[] {
  const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const imports = sources
    .filter((name) => !name.endsWith('.spec.ts'))
    .flatMap((name) => [...read(join(WEB, name)).matchAll(/from '([^.'][^']*)'/g)])
    .map(([, specifier = '']) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set([...imports, '@primer/primitives', 'openapi-typescript', 'vite', 'axe-core'])].toSorted();
}

describe('the packages of the dashboard', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
  };
  const names = listBrowserPackages();

  it('are found', () => {
    expect(names).toEqual(expect.arrayContaining(['@primer/react', '@tanstack/react-query', 'openapi-fetch', 'react']));
  });

  it.each(names)('are not installed with the service, because the browser gets them bundled: %s', (name) => {
    const { dev = false, devOptional = false } = packages[`node_modules/${name}`] ?? {};
    expect([name, dev || devOptional]).toEqual([name, true]);
  });

  it('are part of the image as built files', () => {
    expect(read('docker/Dockerfile')).toContain('COPY --from=build /shipgate/dist/web dist/web');
  });
});
