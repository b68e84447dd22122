import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@jest/globals';
import { parse } from 'yaml';

export type Name = 'upload' | 'gate';
export type Texts = Readonly<Record<string, string>>;

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly runs: { readonly using: string; readonly main: string };
}

export const textOf = (name: Name): string => readFileSync(`action/${name}/action.yml`, 'utf8');
export const actionFile = (name: Name): ActionFile => parse(textOf(name)) as ActionFile;

interface Command {
  readonly name: string;
  readonly message: string;
}

export interface ActionOutcome {
  readonly code: number | null;
  readonly outputs: Texts;
  readonly summary: string;
  /** The commands that the runner executes, except those that only control the log. */
  readonly commands: readonly Command[];
  /** The readable text of the log, before it is masked. */
  readonly log: string;
  /** The lines of the log, besides commands, in which the runner searched for commands. */
  readonly unprotected: readonly string[];
  readonly masks: readonly string[];
}

const unescaped = (text: string): string => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');

/** Reads the log of a step line by line, as the runner does. */
function readLog(text: string): Pick<ActionOutcome, 'commands' | 'log' | 'unprotected' | 'masks'> {
  const [commands, lines, unprotected, masks]: [Command[], string[], string[], string[]] = [[], [], [], []];
  let stop: string | null = null;
  for (const line of text.split('\n')) {
    const [, name = '', message = ''] = /^\s*::([\w-]+)(?: [^:]*)?::(.*)$/.exec(line) ?? [];
    if (stop !== null) {
      if (line === `::${stop}::`) stop = null;
      else lines.push(line);
    } else if (name === 'stop-commands') stop = message;
    else if (name === 'add-mask') masks.push(unescaped(message));
    else {
      lines.push(line);
      if (name === '') unprotected.push(line);
      else if (name !== 'debug') commands.push({ name, message: unescaped(message) });
    }
  }
  return { commands, log: lines.join('\n'), unprotected: unprotected.filter((line) => line !== ''), masks };
}

/** Reads the file of outputs as the runner does: a name with a delimiter, and all lines until the delimiter. */
function readOutputs(text: string): Texts {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  while (lines.length > 1) {
    const [name = '', delimiter = ''] = (lines.shift() ?? '').split('<<');
    const end = lines.indexOf(delimiter);
    expect(end).toBeGreaterThanOrEqual(0);
    outputs[name] = lines
      .splice(0, end + 1)
      .slice(0, -1)
      .join('\n');
  }
  return outputs;
}

/**
 * Runs the committed bundle of an action in a folder as the runner does: with the default of each input, and with its
 * expressions evaluated.
 */
export async function runActionIn(
  folder: string,
  name: Name,
  inputs: Texts,
  variables: Texts,
  context: Texts = {},
): Promise<ActionOutcome> {
  const { inputs: described, runs } = actionFile(name);
  const evaluate = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
      const value = { 'toJSON(matrix)': 'null', 'strategy.job-total': '1', ...context }[expression];
      if (value === undefined) throw new Error(`no value for ${expression}`);
      return value;
    });
  const given = Object.entries(described).flatMap(([input, { default: preset }]) => {
    const value = inputs[input] ?? (preset === undefined ? undefined : evaluate(preset));
    return value === undefined ? [] : [[`INPUT_${input.toUpperCase()}`, value]];
  });
  const files = path.join(folder, '.runner');
  mkdirSync(files, { recursive: true });
  const [output, summary] = [path.join(files, 'output'), path.join(files, 'summary')];
  for (const file of [output, summary]) writeFileSync(file, '');
  const child = spawn(process.execPath, [path.resolve('action', name, runs.main)], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      ...(Object.fromEntries(given) as Texts),
      GITHUB_ACTIONS: 'true',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/payments',
      GITHUB_WORKFLOW: 'build',
      GITHUB_JOB: 'test',
      GITHUB_RUN_ID: '123',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return {
    code,
    outputs: readOutputs(readFileSync(output, 'utf8')),
    summary: readFileSync(summary, 'utf8'),
    ...readLog(text),
  };
}
