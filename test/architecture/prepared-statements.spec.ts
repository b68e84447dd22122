import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A prepared statement in the sources: its name, and the beginning of its text. */
const NAMED = /\.(?:queryPrepared|queryWithoutTenant)(?:<[^(]*>)?\(\s*'(?<name>\w+)',\s*(?<text>.{1,80})/gs;

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

/** The beginnings of the texts of each name. */
function textsByName(): ReadonlyMap<string, ReadonlySet<string>> {
  const texts = new Map<string, Set<string>>();
  for (const path of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || path.endsWith('.spec.ts')) continue;
    for (const { groups } of readFileSync(join(SOURCES, path), 'utf8').matchAll(NAMED)) {
      const { name = '', text = '' } = groups ?? {};
      // Two places may have the same text with other parameters after it.
      const beginning = /^[A-Z_]+,/.exec(text)?.[0] ?? text;
      texts.set(name, (texts.get(name) ?? new Set()).add(beginning));
    }
  }
  return texts;
}

it('gives each name of a prepared statement to one text only, because a connection rejects a second text', () => {
  const texts = textsByName();
  expect(texts.size).toBeGreaterThan(100);
  expect([...texts].filter(([, of]) => of.size > 1)).toEqual([]);
});
