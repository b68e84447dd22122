import { defineConfig } from 'vite';

/** The service behind the development server. `npm run dev` sets it. */
const service = process.env['SHIPGATE_URL'] ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    // The content security policy allows no inline script, and images only from the service.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Otherwise chunks that several screens share, with Primer, run before the entry, which contains this file.
      output: { codeSplitting: { groups: [{ name: 'live-region', test: /live-region\.ts$/ }] } },
      onLog(level, log, handler) {
        // Primer marks files for servers that render React. A browser ignores the mark.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handler(level, log);
      },
    },
  },
  server: {
    // The service has the address of this server as its own, so it accepts unsafe requests from its pages.
    proxy: { '^/(api|mcp|metrics|manifest-start|\\.well-known)(/|\\?|$)': service },
  },
});
