import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vite';

/** The service behind the development server. `npm run dev` sets it. */
const service = process.env['SHIPGATE_URL'] ?? 'http://localhost:3000';

/** The screen that most sessions begin with. */
const FIRST_SCREEN = '/release-list.screen.tsx';

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

/** Returns whether the first screen imports the module, also through others. */
function isInFirstScreen(id: string, graph: ModuleGraph, visited = new Set<string>()): boolean {
  if (id.endsWith(FIRST_SCREEN)) return true;
  if (visited.has(id)) return false;
  visited.add(id);
  return graph.getModuleInfo(id)?.importers.some((importer) => isInFirstScreen(importer, graph, visited)) ?? false;
}

/**
 * Modules that several screens share are joined to a few files. On a slow network each file costs more than its bytes, because the service
 * sends at most six at a time to a browser.
 */
const groups = [
  // Otherwise chunks that several screens share, with Primer, run before the entry, which contains this file.
  { name: 'live-region', test: /live-region\.ts$/, priority: 3 },
  { name: 'react', test: /[\\/]node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 3 },
  { name: 'start', tags: ['$initial' as const], priority: 2 },
  {
    debugName: 'first-screen',
    name: (id: string, graph: ModuleGraph) => (isInFirstScreen(id, graph) ? 'first-screen' : null),
    minShareCount: 2,
    priority: 1,
  },
  { name: 'shared', minShareCount: 6 },
];

const PRIMER = path.join(import.meta.dirname, '../node_modules/@primer');

const readAll = (folder: string, files: RegExp): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => files.test(file))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n');

/**
 * Returns the custom properties of Primer's themes that neither our sources nor Primer's components name, also not through other
 * properties. Half of them: without these the styles have 235 instead of 318 kB, and 28 instead of 49 kB with gzip.
 */
function listUnusedProperties(): readonly string[] {
  const values = new Map<string, string[]>();
  for (const [, name = '', value = ''] of readAll(`${PRIMER}/primitives/dist/css`, /\.css$/).matchAll(
    /(--[\w-]+):([^;]*);/g,
  ))
    values.set(name, [...(values.get(name) ?? []), value]);
  const used = new Set<string>();
  const visit = (text: string): void => {
    for (const [name] of text.matchAll(/--[\w-]+/g)) {
      if (used.has(name)) continue;
      used.add(name);
      values.get(name)?.forEach(visit);
    }
  };
  visit(readAll(path.join(import.meta.dirname, 'src'), /\.(css|tsx?)$/));
  visit(readAll(`${PRIMER}/react/dist`, /\.(css|js)$/));
  return [...values.keys()].filter((name) => !used.has(name));
}

export default defineConfig({
  root: import.meta.dirname,
  css: { lightningcss: { unusedSymbols: [...listUnusedProperties()] } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    // The content security policy allows no inline script, and images only from the service.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The styles of single screens are small. Vite takes a file of styles that the network lost for a loaded one.
    cssCodeSplit: false,
    rolldownOptions: {
      output: { codeSplitting: { groups } },
      onLog(level, log, handler) {
        // Primer marks files for servers that render React. A browser ignores the mark.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handler(level, log);
      },
    },
  },
  server: {
    // The catalogue of conditions is in the sources of the service.
    fs: { allow: ['..'] },
    // The service has the address of this server as its own, so it accepts unsafe requests from its pages.
    proxy: { '^/(api|cli|mcp|metrics|manifest-start|\\.well-known)(/|\\?|$)': service },
  },
});
