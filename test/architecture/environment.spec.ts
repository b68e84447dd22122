import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Variable, VARIABLES } from '../../src/config/variables.js';

const documented = new Map(
  [...readFileSync('.env.example', 'utf8').matchAll(/^# ?([A-Z][A-Z\d_]*)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
);

const variables = Object.entries<Variable<unknown>>(VARIABLES);

const read = variables.flatMap(([name, { fromFile }]) => (fromFile ? [name, `${name}_FILE`] : [name]));

describe('.env.example', () => {
  it('documents every variable that the service reads, and no other', () => {
    expect([...documented.keys()].toSorted()).toEqual(read.toSorted());
  });

  it.each(variables)('shows the default of %s', (name, { fallback }) => {
    expect(documented.get(name)).toBe(fallback ?? '');
  });

  it('sets nothing by itself, so a copy of it changes nothing', () => {
    const set = readFileSync('.env.example', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(set).toEqual([]);
  });
});

describe('process.env', () => {
  /** The files that pass on the whole environment: to the schema, and to the programs of the embedded server. */
  const HANDING_ON = new Set([
    'src/client/main.ts',
    'src/client/action/run-action.ts',
    'src/main.ts',
    'src/cli/doctor.ts',
    'src/cli/commands/command-runtime.ts',
    'src/database/embedded/os-processes.ts',
  ]);

  it('is read only by the schema of variables', () => {
    const offenders = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .map((path) => join('src', path))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !HANDING_ON.has(path))
      .filter((path) => /process\.env\b|\benv\b.*= process\b/.test(readFileSync(path, 'utf8')));
    expect(offenders).toEqual([]);
  });
});
