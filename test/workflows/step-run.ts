import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { publishedWorkflows, type WorkflowDocument } from './workflow-document.js';

/** The place of a step in the workflow files. */
export interface StepPlace {
  /** `ci` or `enforce`. */
  readonly workflow: string;
  readonly job: string;
  readonly step: string;
}

export interface StepOutcome {
  readonly code: number | null;
  readonly log: string;
  /** The content of `$GITHUB_OUTPUT`. */
  readonly outputs: string;
}

/** The folder of a job, as a runner creates it. Its temporary files remain until the end of the job. */
export class Runner {
  private constructor(
    readonly workspace: string,
    readonly temp: string,
  ) {}

  static async create(): Promise<Runner> {
    const [workspace, temp] = await Promise.all([
      mkdtemp(path.join(tmpdir(), 'shipgate-workspace-')),
      mkdtemp(path.join(tmpdir(), 'shipgate-runner-')),
    ]);
    // By default curl doubles the delay before each retry, which takes too long for a test.
    await writeFile(path.join(temp, '.curlrc'), 'retry-delay = 1\n');
    return new Runner(workspace, temp);
  }

  /** Runs the script of a step as a runner does, with the variables that its expressions would give. */
  async run(
    { workflow, job, step }: StepPlace,
    variables: Readonly<Record<string, string>> = {},
    documents: readonly WorkflowDocument[] = publishedWorkflows(),
  ): Promise<StepOutcome> {
    const [script, output] = [path.join(this.temp, 'step.sh'), path.join(this.temp, 'output')];
    await writeFile(script, scriptOf({ workflow, job, step }, documents));
    await writeFile(output, '');
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: this.workspace,
      env: { PATH: process.env['PATH'], HOME: this.temp, RUNNER_TEMP: this.temp, GITHUB_OUTPUT: output, ...variables },
    });
    let log = '';
    child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, log, outputs: await readFile(output, 'utf8') };
  }

  async remove(): Promise<void> {
    await Promise.all([this.workspace, this.temp].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/** The commands that the runner finds in a log, also in the middle of a line. */
export function commandsIn(log: string): readonly string[] {
  const commands: string[] = [];
  let message: string | null = null;
  for (const line of log.split(/\r\n|\r|\n/).map((text) => text.trim())) {
    if (message !== null) {
      if (line === `::${message}::`) message = null;
      continue;
    }
    const stop = /^::stop-commands::(.+)$/.exec(line);
    if (stop) message = stop[1] ?? null;
    else if (line.startsWith('::') || line.includes('##[')) commands.push(line);
  }
  return commands;
}

function scriptOf({ workflow, job, step }: StepPlace, documents: readonly WorkflowDocument[]): string {
  const document = documents.find(({ path: file }) => file.endsWith(`shipgate-${workflow}.yml`));
  const stated = document?.stated.jobs[job]?.steps.find(({ name }) => name === step);
  if (stated?.run === undefined) throw new Error(`${workflow} has no step "${step}" in the job "${job}" with a script`);
  return stated.run;
}
