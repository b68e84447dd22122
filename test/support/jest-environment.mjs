import { ModuleMocker } from 'jest-mock';

/** What a file of tests found when it began, of what all files of a worker have in common. */
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

/** Where a file of tests runs: among the globals of its worker, as the packages do that the worker has loaded. */
// oxlint-disable-next-line import/no-default-export -- the one export that Jest takes
export default class WorkerEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  found = new FoundState();

  /** There is no context but the worker's own. */
  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {
    this.found.restore();
  }
}
