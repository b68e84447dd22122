import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { OVERRIDE_RULES } from '../../src/domain/override/applied-overrides.js';

/** In the sources, the code of a condition is a literal, or one of two literals of a conditional expression. */
const CODES = /\bcode(?::| =) (?:\w+ \? '(\w+)' : )?'(\w+)'/g;
const NAMED_CODES = /(?:_CODE|_UNKNOWN) = '(\w+)'/g;
/** These files also contain codes of met conditions, which close no gate. */
const MET = /\/stage-(report|requirements)\.ts$/;

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => `${folder}/${file}`);

function codesIn(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(CODES), ...text.matchAll(NAMED_CODES)].flatMap(([, one, other]) =>
    [one, other].filter((code) => code !== undefined),
  );
}

describe('the conditions of a verdict', () => {
  it('are each listed as subject to overrides or not', () => {
    const sources = ['src/domain', 'src/features/releases'].flatMap(sourcesIn).filter((file) => !MET.test(file));
    const codes = new Set(sources.flatMap(codesIn));
    expect(codes.size).toBeGreaterThan(30);
    expect([...codes].toSorted()).toEqual([...OVERRIDE_RULES.keys()].toSorted());
  });

  it('are each documented for admins, with the action to take', () => {
    const rows = readFileSync('docs/guides/admin.md', 'utf8').match(/^\| `.+$/gm) ?? [];
    const received = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code));
    expect([...OVERRIDE_RULES.keys()].filter((code) => !received.includes(code))).toEqual([]);
  });
});
