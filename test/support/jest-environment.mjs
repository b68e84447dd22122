import { ModuleMocker } from 'jest-mock';

/**
 * The globals, the environment variables and `process.exit` at the start of a test file, because all files of a worker
 * share them.
 */
class FoundState {
  names = new Set(Reflect.ownKeys(globalThis));
  console = globalThis.console;
  exit = Reflect.get(process, 'exit');
  variables = { ...process.env };

  restore() {
    for (const name of Reflect.ownKeys(globalThis)) {
      if (!this.names.has(name)) Reflect.deleteProperty(globalThis, name);
    }
    globalThis.console = this.console;
    process.exit = this.exit;
    for (const name of Object.keys(process.env)) {
      if (!(name in this.variables)) delete process.env[name];
    }
    Object.assign(process.env, this.variables);
  }
}

/** The environment of a test file: the globals of its worker, which the loaded packages also use (docs/adr/0016). */
// oxlint-disable-next-line import/no-default-export -- the one export that Jest takes
export default class WorkerEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  found = new FoundState();

  /** Null, because a test file runs in the context of its worker. */
  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {
    this.found.restore();
  }
}
