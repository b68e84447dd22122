import { randomBytes } from 'node:crypto';
import { takeRsaKeys } from '../rsa-keys.js';
import type { WebhookEndpoint } from '../webhook-outbox.js';
import type { Account } from './account.js';
import type { Permissions } from './permission.js';
import { User } from './user.js';
import type { SimulatedGitHubState } from './simulated-github-state.js';

export interface AppSpec {
  readonly name: string;
  readonly owner: Account;
  readonly webhookUrl?: string;
  readonly callbackUrls?: readonly string[];
  /** The target of the browser after an installation of the app. */
  readonly setupUrl?: string;
  readonly permissions?: Permissions;
  readonly events?: readonly string[];
}

/** The permissions and events of the Shipgate app. */
const USUAL_PERMISSIONS: Permissions = {
  metadata: 'read',
  actions: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'write',
  deployments: 'write',
  attestations: 'read',
  members: 'read',
  administration: 'write',
  workflows: 'write',
};

const USUAL_EVENTS: readonly string[] = [
  'branch_protection_rule',
  'check_run',
  'create',
  'delete',
  'deployment',
  'deployment_protection_rule',
  'deployment_status',
  'issues',
  'label',
  'member',
  'membership',
  'merge_group',
  'milestone',
  'organization',
  'pull_request',
  'pull_request_review',
  'push',
  'repository',
  'repository_ruleset',
  'status',
  'team',
  'workflow_job',
  'workflow_run',
];

/** A registered GitHub App with its keys, its bot account, and the permissions that it requests. */
export class App {
  readonly id: number;
  readonly createdAt: Date;
  readonly slug: string;
  readonly name: string;
  readonly owner: Account;
  readonly clientId: string;
  /** GitHub accepts all client secrets of an app until they are deleted. */
  readonly clientSecrets = [randomBytes(20).toString('hex')];
  /** Signs the next deliveries. */
  webhookSecret = randomBytes(20).toString('hex');
  /** PKCS#1 PEM, the format in which GitHub issues it. */
  readonly privateKey: string;
  /** GitHub accepts all private keys of an app until they are deleted. */
  readonly publicKeys: string[] = [];
  readonly bot: User;
  readonly permissions: Permissions;
  readonly events: readonly string[];
  readonly callbackUrls: readonly string[];
  readonly setupUrl: string | null;
  webhookUrl: string | null;

  constructor(
    readonly state: SimulatedGitHubState,
    spec: AppSpec,
  ) {
    this.id = state.nextId();
    this.createdAt = state.now();
    this.name = spec.name;
    this.slug = spec.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    this.owner = spec.owner;
    this.clientId = `Iv23li${randomBytes(7).toString('hex')}`;
    this.permissions = spec.permissions ?? USUAL_PERMISSIONS;
    this.events = spec.events ?? USUAL_EVENTS;
    this.callbackUrls = spec.callbackUrls ?? [];
    this.setupUrl = spec.setupUrl ?? null;
    this.webhookUrl = spec.webhookUrl ?? null;
    this.privateKey = this.generatePrivateKey();
    this.bot = state.accounts.add(new User(state, { login: `${this.slug}[bot]` }, 'Bot'));
  }

  /** Adds a private key, and returns it. */
  generatePrivateKey(): string {
    const { privateKey, publicKey } = takeRsaKeys();
    this.publicKeys.push(publicKey.export({ type: 'spki', format: 'pem' }).toString());
    return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  }

  /** Adds a client secret, and returns it. */
  generateClientSecret(): string {
    const secret = randomBytes(20).toString('hex');
    this.clientSecrets.push(secret);
    return secret;
  }

  /** The oldest client secret. */
  get clientSecret(): string {
    const [secret] = this.clientSecrets;
    if (secret === undefined) throw new TypeError('All client secrets of the app were deleted.');
    return secret;
  }

  get endpoint(): WebhookEndpoint | null {
    return this.webhookUrl === null ? null : { appId: this.id, url: this.webhookUrl, secret: this.webhookSecret };
  }
}
