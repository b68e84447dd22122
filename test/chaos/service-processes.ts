import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltService } from '../contract/built-service.js';

/** A process of the service that is started again whenever it ends, as a supervisor does. */
interface Supervised {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly clockFile: string;
  service: BuiltService | null;
}

const RETRY_PAUSE_MS = 500;

/** The file in which a process counts its timers. */
export const timersFile = (folder: string, name: string): string => join(folder, `${name}.timers`);

/** The processes of the service, each with its own clock. */
export class ServiceProcesses {
  /** Processes that ended without a signal of the test, with their last lines. */
  readonly deaths: string[] = [];
  /** The exit codes of processes that were stopped. */
  readonly exitCodes: (number | null)[] = [];
  /** The number of failed starts because the database was unavailable. */
  failedStarts = 0;
  private readonly all: readonly Supervised[];
  private readonly logged: string[] = [];
  private isStopped = false;

  private constructor(folder: string, processes: Readonly<Record<string, Readonly<Record<string, string>>>>) {
    this.all = Object.entries(processes).map(([name, variables]) => {
      const clockFile = join(folder, `${name}.clock`);
      writeFileSync(clockFile, '0');
      const preloads = ['jumping-clock', 'timer-count'].map(
        (script) => `--import=${pathToFileURL(`test/chaos/${script}.mjs`).href}`,
      );
      const added = {
        CLOCK_FILE: clockFile,
        TIMERS_FILE: timersFile(folder, name),
        NODE_OPTIONS: preloads.join(' '),
        TMPDIR: folder,
      };
      return { name, variables: { ...variables, ...added }, clockFile, service: null };
    });
  }

  static async start(
    folder: string,
    processes: Readonly<Record<string, Readonly<Record<string, string>>>>,
  ): Promise<ServiceProcesses> {
    const started = new ServiceProcesses(folder, processes);
    for (const one of started.all) one.service = await BuiltService.start(one.variables);
    return started;
  }

  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  /** The ids of the running processes, by name. */
  get pids(): ReadonlyMap<string, number> {
    return new Map(this.all.flatMap(({ name, service }) => (service?.hasEnded === false ? [[name, service.pid]] : [])));
  }

  /** The lines of the log above the level info. */
  get warnings(): readonly string[] {
    return [...this.logged, ...this.all.flatMap(({ service }) => service?.warnings ?? [])];
  }

  async kill(name: string): Promise<void> {
    const one = this.find(name);
    await one.service?.kill();
    await this.restart(one);
  }

  async stopAndStart(name: string): Promise<void> {
    const one = this.find(name);
    this.exitCodes.push((await one.service?.stop()) ?? null);
    await this.restart(one);
  }

  async halt(name: string, forMs: number): Promise<void> {
    const { service } = this.find(name);
    service?.halt('SIGSTOP');
    await sleep(forMs);
    service?.halt('SIGCONT');
  }

  async moveClock(name: string, byMs: number, forMs: number): Promise<void> {
    const { clockFile } = this.find(name);
    writeFileSync(clockFile, String(byMs));
    await sleep(forMs);
    writeFileSync(clockFile, '0');
  }

  /** Starts processes again that ended by themselves. */
  async restartEnded(): Promise<void> {
    for (const one of this.all) {
      if (one.service?.hasEnded !== true) continue;
      this.deaths.push(`${one.name}: ${one.service.end}`);
      await this.restart(one);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.all.map(async ({ service }) => service?.kill()));
  }

  private find(name: string): Supervised {
    const found = this.all.find((one) => one.name === name);
    if (!found) throw new Error(`There is no process ${name}.`);
    return found;
  }

  private async restart(one: Supervised): Promise<void> {
    this.logged.push(...(one.service?.warnings ?? []));
    one.service = null;
    while (!this.isStopped && one.service === null) {
      try {
        one.service = await BuiltService.start(one.variables);
      } catch {
        this.failedStarts += 1;
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }
}
