import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import {
  REQUIRED_APP_PERMISSIONS,
  missingEvents,
  missingForAttestations,
  missingForFullPermissions,
  missingForPromptUpdates,
  missingForProtectionRule,
  missingPermissions,
  requestedPermissions,
} from './app-permissions.js';

const guide = readFileSync('docs/guides/self-hosting.md', 'utf8');
/** Returns the second cell of the row with this name in the table of the guide. */
const rowOf = (name: string): string => new RegExp(`^\\| ${name} +\\| (.*?) *\\|$`, 'm').exec(guide)?.[1] ?? '';

/** The names of permissions on GitHub's pages. */
const LABELS: Readonly<Record<string, string>> = {
  metadata: 'Metadata',
  actions: 'Actions',
  contents: 'Contents',
  pull_requests: 'Pull requests',
  issues: 'Issues',
  checks: 'Checks',
  statuses: 'Commit statuses',
  deployments: 'Deployments',
  attestations: 'Attestations',
  members: 'Members',
  workflows: 'Workflows',
  administration: 'Administration',
};

describe('the guide for self-hosters', () => {
  it('names the events that the service needs, and no other', () => {
    const named = Array.from(rowOf('events').matchAll(/`(\w+)`/g), ([, event = '']) => event);
    expect(named.toSorted()).toEqual([...REQUIRED_APP_PERMISSIONS.events].toSorted());
  });

  it('names the permissions that the service needs, each with its level', () => {
    const rows = `${rowOf('repository permissions')}; ${rowOf('organization permissions')}`;
    const named = rows.split('; ').flatMap((group) => {
      const [labels = '', level] = group.split(': ');
      return labels.split(', ').map((label) => [label, level === 'read and write' ? 'write' : level]);
    });
    const needed = Object.entries(REQUIRED_APP_PERMISSIONS.permissions).map(([name, level]) => [LABELS[name], level]);
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(needed));
  });
});

describe('an app of the minimal tier', () => {
  const { workflows: _, administration: __, ...permissions } = REQUIRED_APP_PERMISSIONS.permissions;

  it('lacks nothing that it needs, and only permissions of the full tier', () => {
    expect(missingPermissions(permissions)).toEqual([]);
    expect(missingForFullPermissions(permissions)).toEqual(['workflows: write', 'administration: write']);
    expect(missingForFullPermissions({ ...permissions, workflows: 'write', administration: 'read' })).toEqual([
      'administration: write',
    ]);
    expect(missingForFullPermissions(REQUIRED_APP_PERMISSIONS.permissions)).toEqual([]);
  });

  it('receives no events of branch protection and does not need them', () => {
    expect(
      missingEvents(REQUIRED_APP_PERMISSIONS.events.filter((event) => event !== 'branch_protection_rule')),
    ).toEqual([]);
    expect(missingEvents(REQUIRED_APP_PERMISSIONS.events.filter((event) => event !== 'repository_ruleset'))).toEqual([
      'repository_ruleset',
    ]);
  });
});

describe('an installation without the permission and the events for prompt updates', () => {
  const { actions: _, ...permissions } = REQUIRED_APP_PERMISSIONS.permissions;
  const events = REQUIRED_APP_PERMISSIONS.events.filter((event) => event !== 'label' && !event.startsWith('workflow_'));

  it('continues to work: it lacks only the permission for the jobs of CI runs', () => {
    expect([missingPermissions(permissions), missingForFullPermissions(permissions), missingEvents(events)]).toEqual([
      [],
      [],
      [],
    ]);
    expect(missingForPromptUpdates(permissions, events)).toEqual({
      permissions: ['actions: read'],
      events: ['label', 'workflow_job', 'workflow_run'],
    });
  });

  it('lacks nothing with them', () => {
    expect(missingForPromptUpdates(REQUIRED_APP_PERMISSIONS.permissions, REQUIRED_APP_PERMISSIONS.events)).toEqual({
      permissions: [],
      events: [],
    });
    expect(missingForPromptUpdates({ actions: 'write' }, ['workflow_run', 'workflow_job', 'label', 'push'])).toEqual({
      permissions: [],
      events: [],
    });
  });
});

describe('an installation whose owner has not accepted the protection rule yet', () => {
  const permissions = { ...REQUIRED_APP_PERMISSIONS.permissions, deployments: 'read' };
  const events = REQUIRED_APP_PERMISSIONS.events.filter((event) => event !== 'deployment_protection_rule');

  it('continues to work: it lacks only the permission and the event for the rule', () => {
    expect([missingPermissions(permissions), missingForFullPermissions(permissions), missingEvents(events)]).toEqual([
      [],
      [],
      [],
    ]);
    expect(missingForProtectionRule(permissions, events)).toEqual({
      permissions: ['deployments: write'],
      events: ['deployment_protection_rule'],
    });
  });

  it('still needs to read deployments', () => {
    const { deployments: _, ...without } = permissions;
    expect(missingPermissions(without)).toEqual(['deployments: read']);
  });

  it('lacks nothing with them', () => {
    expect(missingForProtectionRule(REQUIRED_APP_PERMISSIONS.permissions, REQUIRED_APP_PERMISSIONS.events)).toEqual({
      permissions: [],
      events: [],
    });
  });
});

describe('an installation without the permission to read attestations', () => {
  const { attestations: _, ...permissions } = REQUIRED_APP_PERMISSIONS.permissions;

  it('continues to work: it lacks only this permission', () => {
    expect([missingPermissions(permissions), missingForFullPermissions(permissions)]).toEqual([[], []]);
    expect(missingForAttestations(permissions)).toEqual(['attestations: read']);
    expect(missingForAttestations(REQUIRED_APP_PERMISSIONS.permissions)).toEqual([]);
  });

  it('is not asked for it by a GitHub Enterprise Server, which has no attestations', () => {
    expect(requestedPermissions('https://github.acme.example/api/v3')).toEqual(permissions);
    expect(requestedPermissions('https://api.github.com')).toEqual(REQUIRED_APP_PERMISSIONS.permissions);
    expect(requestedPermissions('https://api.acme.ghe.com')).toEqual(REQUIRED_APP_PERMISSIONS.permissions);
  });
});
