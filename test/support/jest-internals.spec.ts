import { expect, it } from '@jest/globals';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const jestCli = createRequire(require.resolve('jest-circus/package.json'));

/** `jest-runner.mjs` and `spec-modules.mjs` replace these parts of Jest. Without them, Jest would load everything again for each file. */
it('the runtime of Jest has the methods that the runner of the tests replaces or calls', () => {
  const { default: Runtime } = jestCli('jest-runtime') as { readonly default: { readonly prototype: object } };
  for (const method of ['unstable_importModule', 'requireInternalModule', 'requireModuleOrMock', 'getSourceMaps']) {
    expect([method, typeof Reflect.get(Runtime.prototype, method)]).toEqual([method, 'function']);
  }
});

it('the framework of Jest stores its event handlers under the global symbol that the runner deletes', () => {
  expect(Reflect.get(globalThis, Symbol.for('EVENT_HANDLERS'))).toEqual(expect.arrayContaining([expect.any(Function)]));
});

it('class-transformer has the registry that the runner clears after each file', () => {
  const { defaultMetadataStorage } = require('class-transformer/cjs/storage.js') as { defaultMetadataStorage: object };
  expect(typeof Reflect.get(defaultMetadataStorage, 'clear')).toBe('function');
});

it('the runner of the tests loads the sources, so a worker loads a package once', () => {
  // Jest's own loader adds this member.
  expect(import.meta).not.toHaveProperty('jest');
});

it('two dynamic imports at once can share a source that is not loaded yet', async () => {
  const [{ RemoteToolsModule }, { McpService }] = await Promise.all([
    import('../../src/features/mcp/remote-tools.module.js'),
    import('../../src/features/mcp/mcp.service.js'),
  ]);
  expect(RemoteToolsModule).toHaveProperty('name', 'RemoteToolsModule');
  expect(McpService).toHaveProperty('name', 'McpService');
});
