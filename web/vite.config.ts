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

export default defineConfig({
  root: import.meta.dirname,
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
