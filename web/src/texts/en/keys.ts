import type { Schema } from '../../api/client.js';
import { counted } from './counted.js';

/** Texts of the API keys and the personal keys. */
export const text = {
  failed: 'The keys could not be loaded.',
  count: (count: number) => counted(count, 'key', 'keys'),
  columns: {
    name: 'Name',
    scopes: 'Scopes',
    access: 'Repositories',
    created: 'Created',
    used: 'Last used',
    expires: 'Expires',
    actions: 'Actions',
  },
  by: (login: string) => `by ${login}`,
  never: 'Never',
  expired: 'Expired',
  unused: 'Unused for 90 days',
  everyRepository: 'Every repository',
  hiddenRepositories: 'Only repositories that you cannot read',
  name: 'Name',
  create: 'New key',
  createConfirm: 'Create the key',
  createDone: (name: string) => `The key ${name} was created.`,
  secretTitle: 'The new key',
  secretLead: (name: string) => `Store the secret of ${name} now. It is not shown again.`,
  revoke: 'Revoke',
  revokeFor: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke ${name}`,
  revokeEffect: 'Requests with this key are rejected from now on. This cannot be undone.',
  revokeFacts: { name: 'Name', prefix: 'Starts with', used: 'Last used' },
  revokeDone: (name: string) => `The key ${name} was revoked.`,

  service: {
    title: 'API keys',
    lead: 'An API key belongs to the workspace and is for CI systems other than GitHub Actions. A run of GitHub Actions needs none.',
    caption: 'API keys of the workspace, the newest first',
    none: 'There is no API key.',
    nameHint: 'Name the system that uses the key, for example Jenkins',
    scopes: 'What the key may do',
    scopeNames: {
      'evidence:write': 'Upload evidence',
      'gate:read': 'Check the gate',
      'deployment:write': 'Report deployments',
    } satisfies Record<Schema<'ApiKey'>['scopes'][number], string>,
    repositories: 'Repositories',
    everyRepositoryHint:
      'Without a choice, the key is valid for every repository of the workspace, including future ones and private ones that you cannot read. For a private repository the gate then gives it only the codes of its reasons and who must act. A key for chosen repositories gets the full reasons.',
    chosen: (count: number) => `The key is valid for ${counted(count, 'repository', 'repositories')} only.`,
    searchRepository: 'Search the repositories',
    noRepository: 'No repository matches.',
    repositoriesFailed: 'The repositories could not be loaded.',
    expiresOn: 'Expires on',
    expiresHint:
      'The key works until the end of this day (UTC), a year from now unless you change it. Without a day it does not expire.',
  },
  personal: {
    title: 'Personal keys',
    lead: 'A personal key lets a tool work in your name, for example your editor, or the command line after shipgate login. It expires after 30 days. Only you see your keys.',
    caption: 'Your keys, the newest first',
    none: 'You have no personal key.',
    nameHint: 'Name the tool that uses the key',
    scope: 'What the tools may do',
    scopeNames: { read: 'Read what you can read', write: 'Read and change what you can' } satisfies Record<
      Schema<'PersonalKey'>['scope'],
      string
    >,
    address: 'Address for tools',
  },
  ci: {
    title: 'Configuration for CI',
    failed: 'The configuration cannot be shown, because the settings of the service could not be loaded.',
    lead: 'The lines use the command line of this Shipgate, which needs Node 20.19 or newer. It finds the release, the commit and the run of the job.',
    actions: 'GitHub Actions, without a key. The job needs the permission id-token: write.',
    other: 'Another CI system, with an API key in SHIPGATE_API_KEY',
    check: 'Check the gate before a deployment, in a job with the variables and the file of the lines above',
    init: 'Write an sdlc.yaml and the lines for the CI system of a folder',
  },
} as const;
