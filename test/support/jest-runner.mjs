import 'reflect-metadata';
import { createScriptTransformer } from '@jest/transform';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { SpecModules } from './spec-modules.mjs';

const require = createRequire(import.meta.url);
const { default: runByCircus } = require('jest-circus/runner');
const { defaultMetadataStorage } = require('class-transformer/cjs/storage.js');

// A worker that returns its memory at its end needs more than half a second, after which Jest warns of open handles. It has none: the
// event `exit` follows the last handle. A call of `process.exit` in it ends the process at once, without the listeners that follow.
if (process.send) process.once('exit', (code) => process.exit(code));

/** The global in which Jest's framework stores its event handlers. It adds handlers for each test file. */
const LISTENERS = Symbol.for('EVENT_HANDLERS');

/**
 * The async stores that code entered since the file began, including Jest's own. Node passes each one on to every later promise until
 * it is disabled, and nothing else disables it. With the stores of fifty files a promise costs twenty times as much. `run` enables a
 * disabled store again.
 */
const entered = new Set();
const enter = Reflect.get(AsyncLocalStorage.prototype, 'run');
AsyncLocalStorage.prototype.run = function run(...work) {
  entered.add(this);
  return enter.apply(this, work);
};

/** Transforms sources by the configuration, which all files of a worker share. */
let transformer;

/** Runs a test file as Jest does, but loads its modules with `SpecModules` (docs/adr/0016). */
// oxlint-disable-next-line import/no-default-export -- the one export that Jest takes
export default async function run(globalConfig, config, environment, runtime, path, sendMessage) {
  transformer ??= createScriptTransformer(config);
  const modules = new SpecModules(runtime, await transformer, path);
  runtime.unstable_importModule = (source) => modules.run(source);
  runtime.requireInternalModule = (part) => {
    delete globalThis[LISTENERS];
    delete require.cache[part];
    return require(part);
  };
  try {
    return await runByCircus(globalConfig, config, environment, runtime, path, sendMessage);
  } finally {
    for (const store of entered) store.disable();
    entered.clear();
    // It refers to every decorated class, and so keeps the modules of the file in memory.
    defaultMetadataStorage.clear();
  }
}
