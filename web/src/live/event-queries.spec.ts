import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CHANGED_BY, EVENT_TYPES, toQueries } from './event-queries.js';

const SOURCES = 'web/src';
const SCHEMA = readFileSync('migrations/schema.sql', 'utf8');

/** Returns the values that a check of the table of events permits. */
const readCheck = (name: string): readonly string[] => {
  const [, list = ''] =
    new RegExp(`CONSTRAINT event_${name}_check CHECK \\(\\w+ = ANY \\(ARRAY\\[(.+?)\\]`).exec(SCHEMA) ?? [];
  return [...list.matchAll(/'([^']+)'::text/g)].map(([, value = '']) => value);
};

/** Every event that the service can store. */
const CATALOGUE = readCheck('type').flatMap((type) =>
  type === 'workspace.updated' ? readCheck('what').map((what) => ({ type, what })) : [{ type }],
);

const toName = ({ type, what }: { readonly type: string; readonly what?: string }): string =>
  what === undefined ? type : `${type} ${what}`;

/** The first parts of the keys of all queries, as the sources declare them. */
const NOUNS = new Set(
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.spec)\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(path.join(SOURCES, file), 'utf8').matchAll(/queryKey: \['([^']+)'/g)])
    .map(([, noun = '']) => noun),
);

/** Each event with the queries whose answer it changes. */
const QUERIES: readonly (readonly [name: string, nouns: readonly string[]])[] = [
  [
    'release.updated',
    [
      'audit',
      'environments',
      'history',
      'overrides',
      'projects',
      'quality',
      'release',
      'releases',
      'repository',
      'reviews',
      'running',
      'search',
    ],
  ],
  ['review.updated', ['audit', 'projects', 'release', 'releases', 'repository', 'reviews']],
  ['evidence.received', ['projects', 'quality', 'release', 'releases', 'repository', 'reviews']],
  ['deployment.updated', ['audit', 'environments', 'history', 'release', 'running']],
  ['artifact.updated', ['audit', 'projects', 'release', 'releases', 'repository', 'reviews', 'running']],
  [
    'repo.updated',
    [
      'audit',
      'billing',
      'environments',
      'projects',
      'quality',
      'release',
      'releases',
      'repositories',
      'repository',
      'reviews',
      'running',
      'search',
      'sync',
      'warnings',
      'workflow-update',
    ],
  ],
  ['workspace.updated members', ['audit', 'keys', 'me', 'search', 'team', 'workspaces']],
  ['workspace.updated keys', ['audit', 'keys']],
  [
    'workspace.updated plan',
    [
      'audit',
      'billing',
      'platform',
      'projects',
      'release',
      'releases',
      'repositories',
      'repository',
      'reviews',
      'warnings',
    ],
  ],
  ['workspace.updated freezes', ['audit', 'freezes', 'projects', 'release', 'releases', 'repository', 'reviews']],
  ['workspace.updated projects', ['audit', 'projects', 'search']],
  ['sync.started', ['sync']],
  ['sync.progress', ['sync']],
  ['sync.failed', ['sync']],
  ['sync.completed', ['everything']],
];

describe('the table of queries and events', () => {
  it('has every query of the dashboard', () => {
    expect(Object.keys(CHANGED_BY).toSorted()).toEqual([...NOUNS].toSorted());
  });

  it('has every event of the service, and no other', () => {
    expect(EVENT_TYPES.toSorted()).toEqual(readCheck('type').toSorted());
    const used = new Set(Object.values(CHANGED_BY).flat());
    expect([...used, 'sync.completed'].toSorted()).toEqual(CATALOGUE.map(toName).toSorted());
  });

  it('has the queries of every event', () => {
    expect(QUERIES.map(([name]) => name).toSorted()).toEqual(CATALOGUE.map(toName).toSorted());
  });

  it.each(QUERIES)('names the queries that %s changes', (name, nouns) => {
    const [type = '', what] = name.split(' ');
    const queries = toQueries({ type, ...(what !== undefined && { what }) });
    expect(queries.map(([noun = 'everything']) => String(noun)).toSorted()).toEqual(nouns);
  });

  it('names one release, and all lists that can contain it', () => {
    const queries = toQueries({ type: 'release.updated', milestoneId: 'm1' });
    expect(queries).toContainEqual(['release', 'm1']);
    expect(queries).toContainEqual(['releases']);
    expect(queries).toContainEqual(['reviews']);
    expect(queries).toContainEqual(['overrides']);
  });

  it('names every release for a deployment, which changes what the others find in the environment', () => {
    expect(toQueries({ type: 'deployment.updated', milestoneId: 'm1' })).toContainEqual(['release']);
  });

  it('names nothing for an event of a later version', () => {
    expect(toQueries({ type: 'toString' })).toEqual([]);
    expect(toQueries({ type: 'moon.risen' })).toEqual([]);
    expect(toQueries({ type: 'workspace.updated', what: 'moon' })).toEqual([]);
  });
});
