import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** The names in the first column of the table in the page. */
const listed = readFileSync('docs/features/retention.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));

it('the page about retention lists every table once', () => {
  const schema = readFileSync('migrations/schema.sql', 'utf8');
  const tables = [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)].map(([, name = '']) => name);
  expect(listed.toSorted()).toEqual(tables.toSorted());
});
