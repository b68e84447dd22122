import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { APP_NEEDS } from './app-needs.js';

const guide = readFileSync('docs/guides/self-hosting.md', 'utf8');
/** The second cell of the row of the guide's table that begins with the name. */
const rowOf = (name: string): string => new RegExp(`^\\| ${name} +\\| (.*?) *\\|$`, 'm').exec(guide)?.[1] ?? '';

/** Names of permissions as GitHub's own pages write them. */
const LABELS: Readonly<Record<string, string>> = {
  metadata: 'Metadata',
  contents: 'Contents',
  pull_requests: 'Pull requests',
  issues: 'Issues',
  checks: 'Checks',
  statuses: 'Commit statuses',
  deployments: 'Deployments',
  members: 'Members',
};

describe('the guide for self-hosters', () => {
  it('names the events that the service needs, and no other', () => {
    const named = Array.from(rowOf('events').matchAll(/`(\w+)`/g), ([, event = '']) => event);
    expect(named.toSorted()).toEqual([...APP_NEEDS.events].toSorted());
  });

  it('names the permissions that the service needs, each with its level', () => {
    const rows = `${rowOf('repository permissions')}; ${rowOf('organization permissions')}`;
    const named = rows.split('; ').flatMap((group) => {
      const [labels = '', level] = group.split(': ');
      return labels.split(', ').map((label) => [label, level === 'read and write' ? 'write' : level]);
    });
    const needed = Object.entries(APP_NEEDS.permissions).map(([name, level]) => [LABELS[name], level]);
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(needed));
  });
});
