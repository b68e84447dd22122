import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { SpecModules } from './spec-modules.mjs';

const require = createRequire(import.meta.url);
const { default: runByCircus } = require('jest-circus/runner');
const { defaultMetadataStorage } = require('class-transformer/cjs/storage.js');

/** Where Jest's own framework keeps who listens to a file's tests, and adds to it with each. */
const LISTENERS = Symbol.for('EVENT_HANDLERS');

/**
 * The stores that code entered since the file began, Jest's own among them. Node hands each on to every promise until it is disabled,
 * which does not happen by itself: those of fifty files make a promise twenty times as dear. Who enters one again enables it.
 */
const entered = new Set();
const enter = Reflect.get(AsyncLocalStorage.prototype, 'run');
AsyncLocalStorage.prototype.run = function run(...work) {
  entered.add(this);
  return enter.apply(this, work);
};

/** Runs a file of tests as Jest does, but for where its modules come from (docs/adr/0016). */
// oxlint-disable-next-line import/no-default-export -- the one export that Jest takes
export default async function run(globalConfig, config, environment, runtime, path, sendMessage) {
  const modules = new SpecModules(runtime, path);
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
    // It knows every class that was ever decorated, and with them the file's modules.
    defaultMetadataStorage.clear();
  }
}
