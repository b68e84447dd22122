import { defineConfig } from 'vite';

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
    // The service accepts unsafe requests only from its own origin.
    proxy: { '/api': { target: service, changeOrigin: true, headers: { origin: service } } },
  },
});
