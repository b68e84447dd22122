import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Variable, VARIABLES } from '../../src/config/variables.js';

const FIRST = readFileSync('.env.example', 'utf8');
const ADVANCED = readFileSync('.env.advanced.example', 'utf8');

const listVariables = (text: string): readonly (readonly [string, string])[] =>
  [...text.matchAll(/^# ?([A-Z][A-Z\d_]*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);

const all = [...listVariables(FIRST), ...listVariables(ADVANCED)];
const documented = new Map(all);

const variables = Object.entries<Variable<unknown>>(VARIABLES);

const read = variables.flatMap(([name, { fromFile }]) => (fromFile ? [name, `${name}_FILE`] : [name]));

describe('.env.example and .env.advanced.example', () => {
  it('document every variable that the service reads once, and no other', () => {
    expect(all.map(([name]) => name).toSorted()).toEqual(read.toSorted());
  });

  it('show first the twelve that an installation sets', () => {
    expect(listVariables(FIRST).map(([name]) => name)).toEqual([
      'PORT',
      'HOST',
      'BASE_URL',
      'TRUSTED_PROXIES',
      'DATABASE_URL',
      'DATABASE_MIGRATION_URL',
      'DATA_DIR',
      'SESSION_SECRET',
      'ENCRYPTION_KEYS',
      'PLATFORM_ADMINS',
      'BILLING',
      'METRICS_TOKEN',
    ]);
  });

  it.each(variables)('show the default of %s', (name, { fallback }) => {
    expect(documented.get(name)).toBe(fallback ?? '');
  });

  it('set nothing by themselves, so a copy of them changes nothing', () => {
    const set = `${FIRST}${ADVANCED}`.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
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
